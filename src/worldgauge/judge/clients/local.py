"""A vision-language model in this process, through transformers: questions that wait are answered in one batch."""

from __future__ import annotations

import io
import json
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from worldgauge.judge.request import Failed, Reply, Request, Usage

if TYPE_CHECKING:
    from worldgauge.judge.settings import Settings

_TOGETHER = 0.02
"""Seconds in which further questions may join a batch."""


class LocalModel:
    """A model of the Qwen3-VL class, from a folder or the hub's cache."""

    def __init__(self, settings: Settings) -> None:
        import torch
        from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

        self._torch = torch
        self._name, self._logits, self._batch = settings.sent_model, settings.logits, settings.concurrency
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        dtype = torch.bfloat16 if self.device == "cuda" else torch.float32
        place: dict[str, Any] = {"pretrained_model_name_or_path": settings.model, "revision": settings.snapshot or None}
        # Replies begin where the longest prompt of a batch ends.
        self._tokenizer = AutoTokenizer.from_pretrained(**place, padding_side="left")
        self._preparer = AutoImageProcessor.from_pretrained(**place, backend="pil")
        model = AutoModelForImageTextToText.from_pretrained(**place, dtype=dtype)
        self._model = model.to(self.device).eval()
        self._waiting: queue.SimpleQueue[tuple[Request, Future[Reply]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def send(self, request: Request) -> Reply:
        coming: Future[Reply] = Future()
        self._waiting.put((request, coming))
        return coming.result()

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

    def _answer(self, batch: Sequence[tuple[Request, Future[Reply]]]) -> None:
        try:
            replies = self.answer([request for request, _ in batch])
        except Exception as error:  # noqa: BLE001  told to everybody who waits for this batch
            failure = Failed("model", f"{type(error).__name__}: {error}", again=False)
            for _, coming in batch:
                coming.set_exception(failure)
            return
        for (_, coming), reply in zip(batch, replies, strict=True):
            coming.set_result(reply)

    def answer(self, requests: Sequence[Request]) -> list[Reply]:
        """Replies to several requests at once; one question with given choices by its logits where that is asked."""
        asked = [single_choice(request.schema) if self._logits else None for request in requests]
        prefixes = ["" if one is None else opening(one[0]) for one in asked]
        inputs = self._inputs(requests, prefixes)
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
            made = self._model.generate(
                **inputs, max_new_tokens=decoding.max_tokens, **(sampled or {"do_sample": False})
            )
        replies = []
        for row, prefix, size in zip(made[:, width:], prefixes, sizes, strict=True):
            text = self._tokenizer.decode(row, skip_special_tokens=True)
            pad = self._tokenizer.pad_token_id
            written = int((row != pad).sum()) if pad is not None else len(row)
            cut = written >= decoding.max_tokens
            replies.append(Reply(prefix + text, Usage(int(size), written), self._name, cut=cut))
        return replies

    def _inputs(self, requests: Sequence[Request], prefixes: Sequence[str]) -> dict[str, Any]:
        """Texts in which every picture has as many places as it has patches, and the patches."""
        pictures = [_opened(picture.data) for request in requests for picture in request.pictures]
        seen: dict[str, Any] = dict(self._preparer(images=pictures, return_tensors="pt")) if pictures else {}
        token = self._model.config.image_token_id
        mark, merged = self._tokenizer.convert_ids_to_tokens(token), self._preparer.merge_size**2
        counts = [int(grid.prod()) // merged for grid in seen["image_grid_thw"]] if pictures else []
        texts = []
        for request, prefix in zip(requests, prefixes, strict=True):
            chat = self._tokenizer.apply_chat_template(_messages(request), tokenize=False, add_generation_prompt=True)
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
    shown: list[dict[str, Any]] = [{"type": "image"} for _ in request.pictures]
    messages = [
        {"role": "system", "content": [{"type": "text", "text": request.system}]},
        {"role": "user", "content": [*shown, {"type": "text", "text": request.text}]},
    ]
    for turn in request.turns:
        messages.append({"role": "assistant", "content": [{"type": "text", "text": turn.reply}]})
        messages.append({"role": "user", "content": [{"type": "text", "text": turn.complaint}]})
    return messages


def _opened(data: bytes) -> Any:
    from PIL import Image

    return Image.open(io.BytesIO(data)).convert("RGB")
