"""Asking outside of a run: answers are kept in a folder under everything that can change them, and asked for once."""

from __future__ import annotations

import hashlib
import io
import json
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
        if self._file.is_file():
            for _, line in read_lines(self._file):
                try:
                    content = json.loads(line)
                    self._kept[content["key"]] = content["value"]
                except (ValueError, KeyError, TypeError):
                    # Torn by a kill: that question is asked again.
                    continue
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
        seen = {"video": video.digest, "rate": rate}
        return self._asked(
            judge, seen, prompt, values, form, about, lambda: judge.ask(Clip(video), prompt, values, form, rate=rate)[0]
        )

    def of_picture(
        self, file: Path | None, prompt: str, values: Mapping[str, str], form: Form, about: str, take: int = 0
    ) -> Any:
        """The answer about one picture, or about text alone."""
        judge = self.judge.on_take(take)
        material = NOTHING if file is None else self._shown(file)
        seen = {"pictures": [hashlib.sha256(picture.data).hexdigest() for picture in material.pictures]}
        return self._asked(
            judge, seen, prompt, values, form, about, lambda: judge.ask_about(material, prompt, values, form)
        )

    def of_inquiry(self, inquiry: Inquiry, take: int = 0) -> Any:
        """The answer to a question about exact frames."""
        judge = self.judge.on_take(take)
        seen = {"inquiry": judge.key_of_inquiry(inquiry)}
        return self._asked(
            judge, seen, inquiry.prompt, inquiry.values, inquiry.form, inquiry.about, lambda: judge.inquire(inquiry)[0]
        )

    def _shown(self, file: Path) -> Material:
        image = read_picture(file, hint="").convert("RGB")
        side = self.judge.image_side
        if max(image.size) > side:
            scale = side / max(image.size)
            image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
        stream = io.BytesIO()
        image.save(stream, "JPEG", quality=QUALITY)
        return Material("one picture", (Picture(stream.getvalue(), image.size),))

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
        asked = {
            **seen,
            "prompt": digest_of_prompt(prompt),
            "values": dict(values),
            "schema": dict(form.schema),
            "judge": judge.identity(),
        }
        key = digest_of(asked)
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        # Who asks the same at the same time waits for the answer.
        with turn:
            if key not in self._kept:
                ABOUT.set(about)
                self._keep(key, about, ask())
            return self._kept[key]

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
