"""The pocket benchmark: a few gauge blocks and pocket instruments, for a first look and for the demo."""

from worldgauge.core.manifest import Manifest, Verb

MANIFEST = Manifest(
    package=__name__,
    name="pocket",
    verbs={"demo": Verb(".commands:app", "Make small worlds, score good and faulty subjects, print the table.")},
)
