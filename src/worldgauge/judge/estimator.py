"""What stands in for a judge while a plan is made: it tells what questions would take, and asks nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldgauge.core.asking import Estimated, Expected
from worldgauge.core.canonical import canonical_json
from worldgauge.core.clip import Clip
from worldgauge.judge.exhibits import Inquiry, described
from worldgauge.judge.forms import Form
from worldgauge.judge.instrument import Judge, Shown
from worldgauge.judge.material import Material, describe
from worldgauge.judge.tokens import bounds, expected


class Estimator:
    """Asked like the judge; raises `Estimated` in place of an answer."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def ask(
        self,
        clip: Clip,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str = "",
        rate: float | None = None,
        released: Mapping[str, Any] | None = None,
    ) -> Shown:
        if self._asks_nobody:
            raise Estimated({})
        taken = self._expected(prompt, values, form, describe(clip, self._judge, rate), released)
        raise Estimated({self._judge.key_of(clip, prompt, values, form, rate, released): taken})

    def inquire(self, inquiry: Inquiry) -> Shown:
        raise Estimated(self._of_all([inquiry]))

    def expect(self, inquiries: Sequence[Inquiry]) -> None:
        raise Estimated(self._of_all(inquiries))

    @property
    def _asks_nobody(self) -> bool:
        return self._judge.settings is None or self._judge.replays

    def _of_all(self, inquiries: Sequence[Inquiry]) -> dict[str, Expected]:
        if self._asks_nobody:
            return {}
        return {
            self._judge.key_of_inquiry(one): self._expected(
                one.prompt, one.values, one.form, described(one.exhibits), one.released
            )
            for one in inquiries
        }

    def _expected(
        self,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        material: Material,
        released: Mapping[str, Any] | None,
    ) -> Expected:
        settings = self._judge.settings
        assert settings is not None
        request = self._judge.request(prompt, values, form, material, released)
        least, most = bounds(request, canonical_json(dict(form.schema)))
        price = settings.price
        share = settings.batch_share if settings.batch else 1.0
        usual = expected(request, form.schema, settings.client, settings.effort)
        return Expected(
            calls=1,
            images=len(material.pictures),
            tokens=(least.tokens_in + least.tokens_out, most.tokens_in + most.tokens_out),
            cost=None if price is None else (share * price.of(least), share * price.of(most)),
            likely=None if price is None else share * price.of(usual),
        )
