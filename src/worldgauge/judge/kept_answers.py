"""Asking outside of a run: answers are kept in a folder under everything that can change them, and asked for once."""

from __future__ import annotations

import hashlib
import io
import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from worldgauge.core.asking import ABOUT, Spending
from worldgauge.core.canonical import digest_of
from worldgauge.core.clip import Clip
from worldgauge.core.errors import CannotWrite
from worldgauge.core.prompts import digest_of_prompt
from worldgauge.core.reading import read_lines
from worldgauge.core.reading_pictures import read_picture
from worldgauge.core.video import Video
from worldgauge.judge.exhibits import Inquiry
from worldgauge.judge.forms import Form
from worldgauge.judge.instrument import Judge
from worldgauge.judge.material import QUALITY, Material
from worldgauge.judge.request import Picture
from worldgauge.judge.session import Answer

FILE_NAME = "answers.jsonl"
NOTHING = Material("nothing but the text")


class KeptAnswers:
    """A judge and the answers it has given into a folder; asked from many threads. The same folder goes on."""

    def __init__(self, judge: Judge, folder: Path, spending: Spending | None = None) -> None:
        self.judge, self._folder, self._spending = judge, folder, spending or Spending()
        self._file = folder / FILE_NAME
        self._kept: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}
        self._stop = threading.Event()
        self.counted: dict[str, float] = {}
        """Calls, answers and cost; known when all is asked."""

    def __enter__(self) -> KeptAnswers:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite(f"cannot write to {self._folder} ({error.strerror})") from error
        self._kept = kept_in(self._folder)
        self._end_torn_line()
        self.judge.begin(self._folder, self._spending, self._stop, lambda _: None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self.counted = self.judge.finish()

    def of_clip(
        self,
        video: Video,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str,
        take: int = 0,
        rate: float | None = None,
    ) -> Any:
        """The answer about a video."""
        judge = self.judge.on_take(take)
        return self._asked(
            judge,
            seen_of(video, rate),
            prompt,
            values,
            form,
            about,
            lambda: judge.ask(Clip(video), prompt, values, form, rate=rate)[0],
        )

    def of_picture(
        self, file: Path | None, prompt: str, values: Mapping[str, str], form: Form, about: str, take: int = 0
    ) -> Any:
        """The answer about one picture, or about text alone."""
        judge = self.judge.on_take(take)
        material = one_picture(file, judge)
        return self._asked(
            judge,
            seen_in(material),
            prompt,
            values,
            form,
            about,
            lambda: judge.ask_about(material, prompt, values, form),
        )

    def of_inquiry(self, inquiry: Inquiry, take: int = 0) -> Any:
        """The answer to a question about exact frames."""
        judge = self.judge.on_take(take)
        seen = {"inquiry": judge.key_of_inquiry(inquiry)}
        return self._asked(
            judge, seen, inquiry.prompt, inquiry.values, inquiry.form, inquiry.about, lambda: judge.inquire(inquiry)[0]
        )

    def _asked(
        self,
        judge: Judge,
        seen: Mapping[str, Any],
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str,
        ask: Callable[[], Answer],
    ) -> Any:
        key = key_of(judge, seen, prompt, values, form)
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        # Who asks the same at the same time waits for the answer.
        with turn:
            if key not in self._kept:
                ABOUT.set(about)
                self._keep(key, about, ask())
            return self._kept[key]

    def _end_torn_line(self) -> None:
        """What a kill left of a line must not swallow the next answer."""
        if not self._file.is_file() or not self._file.stat().st_size:
            return
        with self._file.open("r+b") as stream:
            stream.seek(-1, os.SEEK_END)
            if stream.read(1) != b"\n":
                stream.write(b"\n")

    def _keep(self, key: str, about: str, answer: Answer) -> None:
        line = {"key": key, "about": about, "model": answer.model, "value": answer.value, "raw": list(answer.raw)}
        with self._lock:
            self._kept[key] = answer.value
            try:
                with self._file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
                    stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            except OSError as error:
                hint = "free space, then run the same command again"
                raise CannotWrite(f"cannot write {self._file} ({error.strerror})", hint) from error


def kept_in(folder: Path) -> dict[str, Any]:
    """Answers that a folder keeps, by key; none where it keeps none."""
    found: dict[str, Any] = {}
    file = folder / FILE_NAME
    for _, line in read_lines(file) if file.is_file() else ():
        try:
            content = json.loads(line)
            found[content["key"]] = content["value"]
        except (ValueError, KeyError, TypeError):
            # Torn by a kill: that question is asked again.
            continue
    return found


def key_of(judge: Judge, seen: Mapping[str, Any], prompt: str, values: Mapping[str, str], form: Form) -> str:
    """Under which an answer is kept: everything that can change it."""
    asked = {
        **seen,
        "prompt": digest_of_prompt(prompt),
        "values": dict(values),
        "schema": dict(form.schema),
        "judge": judge.identity(),
    }
    return digest_of(asked)


def seen_of(video: Video, rate: float | None) -> dict[str, Any]:
    """What a judge sees of a clip, for the key of an answer."""
    return {"video": video.digest, "rate": rate}


def seen_in(material: Material) -> dict[str, Any]:
    """The same of pictures."""
    return {"pictures": [hashlib.sha256(picture.data).hexdigest() for picture in material.pictures]}


def one_picture(file: Path | None, judge: Judge) -> Material:
    """A picture as a judge gets it; without a file, nothing but the text."""
    if file is None:
        return NOTHING
    image = read_picture(file, hint="").convert("RGB")
    side = judge.image_side
    if max(image.size) > side:
        scale = side / max(image.size)
        image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=QUALITY)
    return Material("one picture", (Picture(stream.getvalue(), image.size),))
