"""BERT's pieces of a caption, and the phrases made of them."""

import numpy as np
import pytest

from worldgauge.benchmarks.worldscore.formulas.phrase_matching import detected_phrases, detection_rate
from worldgauge.benchmarks.worldscore.formulas.word_pieces import caption_tokens, decoded, read_vocabulary
from worldgauge.core.errors import Unscored

VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "skate", "##board", "##ing", "lamp", "t", "-", "shirt", ","),
    *(".", "'", "s", "n", "##'", "do", "not", "don", "##t", "/", "+", "*", "_", "\u684c", "\u5b50", "cafe"),
)


@pytest.fixture
def vocabulary(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", "utf-8")
    return read_vocabulary(tmp_path / "vocab.txt")


@pytest.mark.parametrize(
    ("caption", "pieces"),
    [
        ("Red skateboard, lamp.", ["red", "skate", "##board", ",", "lamp", "."]),
        ("t-shirt.", ["t", "-", "shirt", "."]),
        ("R\u00e9d  lamp", ["red", "lamp"]),
        ("sofa skating", ["[UNK]", "[UNK]"]),
        ("Caf\u00e9 lamp's", ["cafe", "lamp", "'", "s"]),
        ("\u684c\u5b50 lamp", ["\u684c", "\u5b50", "lamp"]),
        ("do not / lamp + red * t_shirt", ["do", "not", "/", "lamp", "+", "red", "*", "t", "_", "shirt"]),
        ("lamp(red)", ["lamp", "[UNK]", "red", "[UNK]"]),
        ("x" * 120, ["[UNK]"]),
        ("lamp\u2014red", ["lamp", "[UNK]", "red"]),
        ("red\u00a0lamp\u200bs", ["red", "[UNK]"]),
    ],
)
def test_pieces(vocabulary, caption, pieces):
    """As BertTokenizer of transformers 5.17 (tokenizers 0.23) cuts them with this vocabulary."""
    assert caption_tokens(caption, vocabulary) == ["[CLS]", *pieces, "[SEP]"]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["skate", "##board"], "skateboard"),
        (["##board"], "##board"),
        (["##board", "##ing"], "##boarding"),
        (["[CLS]", "##board"], "[CLS]board"),
        (["red", ",", "lamp", "."], "red, lamp."),
        (["t", "-", "shirt"], "t - shirt"),
        (["[CLS]", "lamp", "[SEP]"], "[CLS] lamp [SEP]"),
        (["lamp", "'", "s"], "lamp's"),
        (["don", "'", "t"], "don't"),
        (["red", "/", "lamp"], "red / lamp"),
        ([",", "."], ",."),
    ],
)
def test_text(pieces, text):
    """As the same tokenizer decodes them with `clean_up_tokenization_spaces`, the default when the code was written."""
    assert decoded(pieces) == text


def test_a_word_in_pieces_is_found_whole(vocabulary):
    tokens = caption_tokens("red skateboard, lamp.", vocabulary)
    logits = np.full((2, len(tokens)), -4.0)
    logits[0, [tokens.index("skate"), tokens.index("##board")]] = 1.0
    logits[1, tokens.index("##board")] = 1.0
    phrases = detected_phrases(logits, tokens)
    assert phrases == ["skateboard(0.73)", "##board(0.73)"]
    assert detection_rate(["skateboard", "lamp"], phrases, lambda phrase: {phrase}) == 0.5


def test_no_vocabulary(tmp_path):
    with pytest.raises(Unscored, match="is not there"):
        read_vocabulary(tmp_path / "vocab.txt")
    (tmp_path / "vocab.txt").write_text("red\n")
    with pytest.raises(Unscored, match="no vocabulary of BERT"):
        read_vocabulary(tmp_path / "vocab.txt")
