"""How well the frames of each chunk fit its caption, by CLIP."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.adherence import FRAMES_PER_CHUNK
from worldgauge.benchmarks.worldolympiad.formulas.time_sampling import clip_positions
from worldgauge.benchmarks.worldolympiad.signals.chunks import film_of, frame_numbers, timed_chunks
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.signals.seats import TextImageInstrument

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@signal(version=2, reads=("video", "extras.chunks"), seat="text_image", cost=0.3)
def caption_similarities(
    clip: Clip, chunks: Sequence[dict[str, Any]], network: TextImageInstrument, *, by_sentence: bool = False
) -> Arrays:
    """Cosine of eight frames of every chunk with its caption; a chunk without a caption has no frames.

    `similarities` (F,) chunk after chunk, `counts` (T,) how many frames each has, `tokens` (T,) how long its caption is
    for the network, 0 where it does not tell, and `most` how many it reads: the rest of a longer one is lost.
    `by_sentence`: the mean over the sentences of a caption, so that nothing is lost.
    """
    timed = timed_chunks(clip, chunks)
    counts, shown, texts, owners = [], list[int](), list[str](), list[int]()
    for one in timed:
        film, caption = film_of(clip), one.caption.strip()
        positions = clip_positions(film, one.span.start, one.span.end, FRAMES_PER_CHUNK) if caption else []
        pieces = sentences(caption) if by_sentence else [caption]
        for frame in frame_numbers(positions, clip):
            shown += [frame] * len(pieces)
            texts += pieces
            owners += [(owners[-1] + 1) if owners else 0] * len(pieces)
        counts.append(len(positions))
    different = sorted(set(shown))
    taken = clip.frames(FrameSpec.at(*different)) if different else ()
    frames = dict(zip(different, taken, strict=True))
    found = in_stacks(network, network.similarities, [frames[i] for i in shown], texts) if shown else []
    sums = np.bincount(owners, np.asarray(found, np.float64) / 100, sum(counts)) if shown else np.zeros(0)
    pieces_each = np.bincount(owners, minlength=sum(counts)) if shown else np.ones(0)
    return {
        "similarities": sums / np.maximum(pieces_each, 1),
        "counts": np.array(counts, np.int64),
        "tokens": np.array(_tokens(network, [one.caption for one in timed]), np.int64),
        "most": np.array(getattr(network, "most_tokens", 0)),
    }


def sentences(caption: str) -> list[str]:
    """
    >>> sentences("A street. It rains!")
    ['A street.', 'It rains!']
    """
    return [part for part in _SENTENCE.split(caption) if part.strip()] or [caption]


def _tokens(network: TextImageInstrument, captions: list[str]) -> list[int]:
    count = getattr(network, "tokens_of", None)
    return count(captions) if count is not None and captions else [0] * len(captions)
