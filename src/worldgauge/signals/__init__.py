"""Generic signals, and what the seats they ask for offer. Those of one benchmark live in its folder."""

from worldgauge.core.manifest import Manifest, modules_in

MANIFEST = Manifest(package=__name__, signals=modules_in(__file__, "seats"))
