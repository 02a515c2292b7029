"""Texts into token numbers for CLIP and BLIP, by transformers' tokenizers from the published vocabularies."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

LongText = Literal["keep_end", "lose_end"]
"""A text of more tokens than the network takes is cut. `keep_end`: its last token becomes the end token, as OpenAI's
package does it; `lose_end`: it is only cut, as torchmetrics does it, and then has no end token."""
MERGES = 49152 - 256 - 2
"""Byte pairs CLIP uses of the file, which has more."""
START, END = "<|startoftext|>", "<|endoftext|>"
REWARD_TOKENS = 35
"""Tokens of a prompt that ImageReward reads, with the two around it; the rest is cut."""


class ClipWords:
    """CLIP's byte pairs, out of `bpe_simple_vocab_16e6.txt.gz` or a `merges.txt`."""

    def __init__(self, path: Path) -> None:
        from transformers import CLIPTokenizer

        merges = [tuple(line.split()) for line in _lines(path)[1 : MERGES + 1] if line.strip()]
        if not merges or any(len(pair) != 2 for pair in merges):
            raise WorldGaugeError(f"{path.name} holds no byte pairs", "fetch it again")
        letters = byte_letters()
        words = [*letters, *(f"{letter}</w>" for letter in letters), *("".join(pair) for pair in merges), START, END]
        self.size = len(words)
        self._tokenizer = CLIPTokenizer(vocab={word: i for i, word in enumerate(words)}, merges=merges)

    def tokens(self, texts: Sequence[str], context: int, long_text: LongText) -> NDArray[np.int64]:
        """Token numbers (N, context): start, text, end, zeros."""
        start, end = self.size - 2, self.size - 1
        rows = np.zeros((len(texts), context), np.int64)
        for row, text in zip(rows, texts, strict=True):
            ids = [start, *self._tokenizer.encode(text, add_special_tokens=False), end]
            row[: len(ids)] = ids[:context]
            if len(ids) > context and long_text == "keep_end":
                row[-1] = end
        return rows


class WordPieces:
    """BERT's word pieces, out of the `vocab.txt` of bert-base-uncased."""

    def __init__(self, path: Path) -> None:
        from transformers import BertTokenizer

        words = [word for word in _lines(path) if word]
        if missing := {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}.difference(words):
            raise WorldGaugeError(f"{path.name} is no vocabulary of BERT: no {sorted(missing)[0]}", "fetch it again")
        self._tokenizer = BertTokenizer(vocab={word: i for i, word in enumerate(words)})


class CaptionWords(WordPieces):
    """Captions for Grounding DINO."""

    def tokens(self, caption: str, longest: int) -> NDArray[np.int64]:
        """Token numbers (T,) of a caption in lower case that ends with a full stop, between its two marks."""
        text = caption.lower().strip()
        text = text if text.endswith(".") else f"{text}."
        found = self._tokenizer(text, truncation=True, max_length=longest)["input_ids"]
        return np.asarray(found, np.int64)

    def text(self, tokens: NDArray[np.int64]) -> str:
        """Tokens as one text: pieces glued together, no blanks before punctuation."""
        found: str = self._tokenizer.decode(tokens.tolist(), clean_up_tokenization_spaces=True)
        return found


class RewardWords(WordPieces):
    """Prompts for ImageReward."""

    def tokens(self, prompts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Token numbers (N, 35), and 1 where there is no padding."""
        found = self._tokenizer(
            list(prompts), padding="max_length", truncation=True, max_length=REWARD_TOKENS, return_tensors="np"
        )
        return np.asarray(found["input_ids"], np.int64), np.asarray(found["attention_mask"], np.int64)


def byte_letters() -> list[str]:
    """A letter for each of the 256 bytes, in the order of CLIP's vocabulary: those that print first.

    >>> letters = byte_letters()
    >>> len(letters), letters[0], letters[255]
    (256, '!', 'Ń')
    """
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    return [*map(chr, visible), *(chr(256 + i) for i in range(256 - len(visible)))]


def _lines(path: Path) -> list[str]:
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return data.decode("utf-8").splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise WorldGaugeError(f"{path.name} cannot be read as a vocabulary: {error}", "fetch it again") from error
