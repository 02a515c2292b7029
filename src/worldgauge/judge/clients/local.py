"""A vision-language model in this process, through transformers: questions that wait are answered in one batch."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worldgauge.judge.clients.patches import Pixels, cut, opened
from worldgauge.judge.request import Failed, Reply, Request, Usage, content_of

if TYPE_CHECKING:
    from worldgauge.judge.settings import Settings

_TOGETHER = 0.02
"""Seconds in which further questions may join a batch."""


@dataclass(frozen=True)
class Parts:
    """A model with what makes its inputs."""

    model: Any
    tokenizer: Any
    """It pads on the left: replies begin where the longest prompt of a batch ends."""
    preparer: Any
    """From pictures to patches."""


@dataclass(frozen=True)
class _Prepared:
    """A request with its pictures opened."""

    request: Request
    pictures: Sequence[Pixels]
    coming: Future[Reply] = field(default_factory=Future)


class LocalModel:
    """A model of the Qwen3-VL class, from a folder or the hub's cache."""

    def __init__(self, settings: Settings, parts: Parts | None = None) -> None:
        """`parts`: a model that is already there."""
        import torch

        self._torch = torch
        self._name, self._logits, self._batch = settings.sent_model, settings.logits, settings.concurrency
        self._options = settings.options
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        parts = parts or _loaded(settings, torch.bfloat16 if self.device == "cuda" else torch.float32)
        self._tokenizer, self._preparer = parts.tokenizer, parts.preparer
        self._model = parts.model.to(self.device).eval()
        self._waiting: queue.SimpleQueue[_Prepared | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def send(self, request: Request) -> Reply:
        # Pictures are opened by who asks, side by side, while the model is at work on another batch.
        try:
            prepared = _Prepared(request, [opened(picture.data, self._preparer) for picture in request.pictures])
        except Exception as error:
            raise Failed("model", f"{type(error).__name__}: {error}", again=False) from error
        self._waiting.put(prepared)
        return prepared.coming.result()

    def close(self) -> None:
        self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch, ended = [first], False
            while len(batch) < self._batch and not ended:
                try:
                    more = self._waiting.get(timeout=_TOGETHER)
                except queue.Empty:
                    break
                if more is None:
                    ended = True
                else:
                    batch.append(more)
            self._answer(batch)
            if ended:
                return

    def _answer(self, batch: Sequence[_Prepared]) -> None:
        if len({prepared.request.decoding for prepared in batch}) > 1:
            # The limit and the seed are those of a whole batch.
            for decoding in dict.fromkeys(prepared.request.decoding for prepared in batch):
                self._answer([prepared for prepared in batch if prepared.request.decoding == decoding])
            return
        try:
            replies = self._replies(batch)
        except Exception as error:  # noqa: BLE001  told to everybody who waits for this batch
            failure = Failed("model", f"{type(error).__name__}: {error}", again=False)
            for prepared in batch:
                prepared.coming.set_exception(failure)
            return
        for prepared, reply in zip(batch, replies, strict=True):
            prepared.coming.set_result(reply)

    def _replies(self, batch: Sequence[_Prepared]) -> list[Reply]:
        """To several requests at once; one question with given choices by its logits where that is asked."""
        requests = [prepared.request for prepared in batch]
        asked = [single_choice(request.schema) if self._logits else None for request in requests]
        prefixes = ["" if one is None else opening(one[0]) for one in asked]
        inputs = self._inputs(batch, prefixes)
        width = inputs["input_ids"].shape[1]
        sizes = inputs["attention_mask"].sum(dim=1).tolist()
        with self._torch.inference_mode():
            if all(one is not None for one in asked):
                last = self._model(**inputs, logits_to_keep=1).logits[:, -1].float()
                return [self._by_logits(row, one, size) for row, one, size in zip(last, asked, sizes, strict=True)]
            decoding = requests[0].decoding
            sampled = {"do_sample": True, "temperature": decoding.temperature} if decoding.temperature else {}
            if decoding.seed is not None:
                self._torch.manual_seed(decoding.seed)
            chosen = {**(sampled or {"do_sample": False}), **self._options}
            made = self._model.generate(**inputs, max_new_tokens=decoding.max_tokens, **chosen)
        replies = []
        for row, prefix, size in zip(made[:, width:], prefixes, sizes, strict=True):
            text = self._tokenizer.decode(row, skip_special_tokens=True)
            pad = self._tokenizer.pad_token_id
            written = int((row != pad).sum()) if pad is not None else len(row)
            cut = written >= decoding.most
            replies.append(Reply(prefix + text, Usage(int(size), written), self._name, cut=cut))
        return replies

    def _inputs(self, batch: Sequence[_Prepared], prefixes: Sequence[str]) -> dict[str, Any]:
        """Texts in which every picture has as many places as it has patches, and the patches."""
        shown = [picture for prepared in batch for picture in prepared.pictures]
        seen = cut(shown, self._preparer, self.device) if shown else {}
        token = self._model.config.image_token_id
        mark, merged = self._tokenizer.convert_ids_to_tokens(token), self._preparer.merge_size**2
        counts = [int(grid.prod()) // merged for grid in seen["image_grid_thw"].cpu()] if shown else []
        texts = []
        for prepared, prefix in zip(batch, prefixes, strict=True):
            messages = _messages(prepared.request)
            chat = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
            first, *rest = chat.split(mark)
            texts.append("".join([first, *(mark * counts.pop(0) + part for part in rest), prefix]))
        written = self._tokenizer(texts, padding=True, return_tensors="pt")
        inputs = {"input_ids": written["input_ids"], "attention_mask": written["attention_mask"], **seen}
        inputs["mm_token_type_ids"] = (inputs["input_ids"] == token).int()
        return {name: value.to(self.device) for name, value in inputs.items()}

    def _by_logits(self, row: Any, asked: tuple[str, tuple[str, ...]] | None, size: int) -> Reply:
        """The likeliest choice, and how likely each is among the choices, by the first token of each."""
        assert asked is not None
        number, choices = asked
        firsts = [self._tokenizer.encode(choice, add_special_tokens=False)[0] for choice in choices]
        shares = self._torch.softmax(row[firsts], dim=0).tolist()
        scores = dict(zip(choices, shares, strict=True))
        best = max(choices, key=lambda choice: scores[choice])
        told: Any = int(best) if best.lstrip("-").isdecimal() else best
        reason = ", ".join(f"{choice} {share:.4f}" for choice, share in scores.items())
        text = json.dumps({"answers": [{"id": number, "reason": reason, "answer": told}]})
        return Reply(text, Usage(int(size), 1), self._name, scores=scores)


def _loaded(settings: Settings, dtype: Any) -> Parts:
    from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

    place: dict[str, Any] = {"pretrained_model_name_or_path": settings.model, "revision": settings.snapshot or None}
    return Parts(
        AutoModelForImageTextToText.from_pretrained(**place, dtype=dtype),
        AutoTokenizer.from_pretrained(**place, padding_side="left"),
        AutoImageProcessor.from_pretrained(**place, backend="pil"),
    )


def single_choice(schema: Mapping[str, Any]) -> tuple[str, tuple[str, ...]] | None:
    """The id and the choices of a form with one question, a scale as its numbers; None for any other form."""
    item = schema.get("properties", {}).get("answers", {}).get("items", {}).get("properties", {})
    ids, answer = item.get("id", {}).get("enum", ()), item.get("answer", {})
    if len(ids) != 1:
        return None
    if "enum" in answer:
        return ids[0], tuple(answer["enum"])
    if {"minimum", "maximum"} <= answer.keys():
        return ids[0], tuple(str(number) for number in range(answer["minimum"], answer["maximum"] + 1))
    return None


def expected_score(scores: Mapping[str, float]) -> float:
    """The mean of a scale under a judge's probabilities.

    >>> expected_score({"1": 0.25, "2": 0.75})
    1.75
    """
    return sum(int(choice) * share for choice, share in scores.items())


def opening(number: str) -> str:
    """The reply up to the answer, so that the next token is its first."""
    return f'{{"answers": [{{"id": {json.dumps(number)}, "answer": "'


def _messages(request: Request) -> list[dict[str, Any]]:
    content = [
        {"type": "text", "text": one} if isinstance(one, str) else {"type": "image"} for one in content_of(request)
    ]
    messages: list[dict[str, Any]] = []
    if request.system:
        messages.append({"role": "system", "content": [{"type": "text", "text": request.system}]})
    messages.append({"role": "user", "content": content})
    for turn in request.turns:
        messages.append({"role": "assistant", "content": [{"type": "text", "text": turn.reply}]})
        messages.append({"role": "user", "content": [{"type": "text", "text": turn.complaint}]})
    return messages
