"""`python -m bench.judge_local [--size 8b] [--seconds 150] [--json FILE]`: questions per second of a local judge.

A model of the published sizes of Qwen3-VL with random weights is asked through the local client, twice as many
questions at once as its batch holds: eight pictures and one question each, answered in words, or by the logits of its
choices. Random weights do not end a reply, so that every reply has all its tokens. What is timed is all that a question
takes: opening and cutting the pictures, the texts, the model.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% for c in m['content'] %}{% if c['type'] == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ c['text'] }}{% endif %}{% endfor %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>",
    "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>",
)  # fmt: skip
SIZES: dict[str, dict[str, dict[str, Any]]] = {
    "8b": {
        "text": {
            "hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
            "head_dim": 128, "intermediate_size": 12288, "vocab_size": 151936,
            "rope_parameters": {
                "rope_type": "default", "rope_theta": 5e6, "mrope_section": [24, 20, 20], "mrope_interleaved": True,
            },
        },
        "vision": {
            "depth": 27, "hidden_size": 1152, "num_heads": 16, "intermediate_size": 4304, "out_hidden_size": 4096,
            "patch_size": 16, "num_position_embeddings": 2304, "deepstack_visual_indexes": [8, 16, 24],
        },
    },
    "tiny": {
        "text": {
            "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "head_dim": 16, "intermediate_size": 128, "vocab_size": 2048,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [4, 2, 2]},
        },
        "vision": {
            "depth": 2, "hidden_size": 32, "num_heads": 2, "intermediate_size": 64, "out_hidden_size": 64,
            "patch_size": 16, "deepstack_visual_indexes": [0],
        },
    },
}  # fmt: skip


def main(given: list[str] | None = None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=sorted(SIZES), default="8b")
    parser.add_argument("--seconds", type=float, default=150.0, help="for all batch sizes together")
    parser.add_argument("--batches", default="", help="batch sizes, with commas between them")
    parser.add_argument("--pictures", type=int, default=8)
    parser.add_argument("--side", type=int, default=448, help="of a picture in pixels")
    parser.add_argument("--tokens", type=int, default=64, help="of a reply")
    parser.add_argument("--json", type=Path, default=None, help="where the figures go")
    asked = parser.parse_args(given)
    if str(ROOT / "src") not in sys.path:
        sys.path.insert(0, str(ROOT / "src"))
    batches = [int(n) for n in (asked.batches or ("1,8,16,32,64" if asked.size == "8b" else "1,4")).split(",")]
    began = time.perf_counter()
    parts = random_model(asked.size)
    found: dict[str, Any] = {
        "size": asked.size, "pictures": asked.pictures, "side": asked.side, "tokens": asked.tokens,
        "parameters": sum(weight.numel() for weight in parts.model.parameters()),
        "made_in_seconds": round(time.perf_counter() - began, 1), "measured": [],
    }  # fmt: skip
    print(json.dumps(found), flush=True)
    for logits in (True, False):
        for batch in batches:
            line = measured(parts, batch, logits, asked.seconds / (2 * len(batches)), asked)
            found["measured"].append(line)
            print(json.dumps(line), flush=True)
            if asked.json:
                asked.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return found


def measured(parts: Any, batch: int, logits: bool, seconds: float, asked: argparse.Namespace) -> dict[str, Any]:
    """Questions per second at one batch size, after a batch for warming up."""
    import torch

    from worldgauge.judge.clients.local import LocalModel
    from worldgauge.judge.request import Failed
    from worldgauge.judge.settings import Settings

    settings = Settings(client="local", model="random", concurrency=batch, logits=logits)
    client, on_gpu = LocalModel(settings, parts), torch.cuda.is_available()
    requests = [question(number, asked) for number in range(8)]
    line: dict[str, Any] = {"batch": batch, "mode": "logits" if logits else "words"}
    # Twice as many ask as a batch holds: the next batch is being prepared while one is answered.
    with ThreadPoolExecutor(2 * batch) as pool:
        try:
            list(pool.map(client.send, (requests * batch)[:batch]))
            if on_gpu:
                torch.cuda.reset_peak_memory_stats()
            began, replies = time.perf_counter(), []
            while not replies or time.perf_counter() - began < seconds:
                replies += pool.map(client.send, (requests * batch)[: 4 * batch])
            taken = time.perf_counter() - began
        except Failed as problem:
            return {**line, "failed": str(problem)[:200]}
        finally:
            client.close()
    line |= {"questions": len(replies), "seconds": round(taken, 2)}
    line |= {"questions_per_second": round(len(replies) / taken, 3)}
    line |= {"tokens_in": replies[0].usage.tokens_in, "tokens_out": replies[0].usage.tokens_out}
    if on_gpu:
        line["peak_gigabytes"] = round(torch.cuda.max_memory_allocated() / 2**30, 1)
    return line


def random_model(size: str) -> Any:
    """Made where it will stand, so that nothing of sixteen gigabytes has to be written or copied."""
    import torch
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    from worldgauge.judge.clients.local import Parts

    tokenizer = made_tokenizer()
    ids = dict(zip(SPECIAL, tokenizer.convert_tokens_to_ids(list(SPECIAL)), strict=True))
    config = Qwen3VLConfig(
        text_config=SIZES[size]["text"],
        vision_config=SIZES[size]["vision"],
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=False,
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    with torch.device(device):
        model = Qwen3VLForConditionalGeneration._from_config(
            config, dtype=torch.bfloat16 if device == "cuda" else torch.float32
        )
    model.generation_config.eos_token_id = None
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    preparer = Qwen2VLImageProcessorPil(patch_size=16, merge_size=2, temporal_patch_size=2)
    return Parts(model, tokenizer, preparer)


def made_tokenizer() -> Any:
    """Pairs of bytes learnt from our own pages, about as long as those of real tokenizers on such texts."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=2000, initial_alphabet=alphabet, special_tokens=list(SPECIAL), show_progress=False
    )
    pages = [*sorted((ROOT / "src/worldgauge/judge/prompts").glob("*.md")), ROOT / "docs/judge.md"]
    pairs.train_from_iterator([page.read_text("utf-8") for page in pages], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=pairs, pad_token=SPECIAL[0], eos_token=SPECIAL[2], chat_template=TEMPLATE,
        extra_special_tokens=list(SPECIAL), padding_side="left",
    )  # fmt: skip


def question(number: int, asked: argparse.Namespace) -> Any:
    """A request as a run would send it, about pictures of coloured noise."""
    from PIL import Image

    from worldgauge.judge.instrument import judge_of
    from worldgauge.judge.material import Material
    from worldgauge.judge.question_sets import PROMPT, JudgedQuestion, form_of, question_values
    from worldgauge.judge.request import Picture
    from worldgauge.judge.settings import Settings

    chance, pictures = np.random.default_rng(number), []
    for _ in range(asked.pictures):
        small = Image.fromarray(chance.integers(0, 256, (28, 28, 3), np.uint8))
        stream = io.BytesIO()
        small.resize((asked.side, asked.side), Image.Resampling.BICUBIC).save(stream, "JPEG", quality=90)
        pictures.append(Picture(stream.getvalue(), (asked.side, asked.side)))
    judge = judge_of(Settings(client="local", model="random", max_tokens=asked.tokens))
    one = (JudgedQuestion(id="1", text=f"Does object {number} come back to where it was?"),)
    shown = Material(f"{asked.pictures} frames in their order", tuple(pictures))
    return judge.request(PROMPT, question_values(one), form_of(one), shown)


if __name__ == "__main__":
    main()
