"""Pipelines of spaCy that spaCy itself trained and wrote, and their wheels."""

from __future__ import annotations

import zipfile
from pathlib import Path

SENTENCES = [
    (["red", "chair"], ["JJ", "NN"]),
    (["old", "chair"], ["JJ", "NN"]),
    (["Paris", "runs"], ["NNP", "VBZ"]),
    (["red", "lamp"], ["JJ", "NN"]),
]


def written_pipeline(folder: Path, version: str = "3.8.0") -> Path:
    """A tagger trained on four phrases, in a folder as spaCy writes it."""
    import spacy
    from spacy.training import Example

    nlp = spacy.blank("en")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16}
    sizes = {"width": 16, "depth": 1, "embed_size": 64, "window_size": 1, "maxout_pieces": 2}
    options = {"subword_features": True, "pretrained_vectors": None}
    nlp.add_pipe("tok2vec", config={"model": {"@architectures": "spacy.HashEmbedCNN.v2", **sizes, **options}})
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}})
    examples = [
        Example.from_dict(nlp.make_doc(" ".join(words)), {"words": words, "tags": tags}) for words, tags in SENTENCES
    ]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(60):
        nlp.update(examples, sgd=optimizer)
    ruler = nlp.add_pipe("attribute_ruler")
    for tag, part in (("NN", "NOUN"), ("NNP", "PROPN"), ("JJ", "ADJ"), ("VBZ", "VERB")):
        ruler.add([[{"TAG": tag}]], {"POS": part})
    nlp.meta.update(name="core_web_sm", version=version)
    nlp.to_disk(folder)
    return folder


def packed(folder: Path, wheel: Path, version: str = "3.8.0") -> Path:
    """A folder of a pipeline in a wheel's layout, with code beside it that must not run."""
    top = f"en_core_web_sm/en_core_web_sm-{version}"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("en_core_web_sm/__init__.py", "raise RuntimeError('the code of the wheel was run')")
        archive.write(folder / "meta.json", "en_core_web_sm/meta.json")
        for file in sorted(folder.rglob("*")):
            archive.write(file, f"{top}/{file.relative_to(folder)}")
        archive.writestr(f"en_core_web_sm-{version}.dist-info/METADATA", "Name: en-core-web-sm\n")
    return wheel
