"""The released requests, made by the authors' own functions: one builder for each prompt.

Their code sends whole videos to its server, which turns each into the eight pictures that the model is shown. A group
of our pictures takes the place of such a video, or of a list of their pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from worldgauge.core.authors_code import AuthorsCode, AuthorsMessage, Recorded, Shown, record

VLM = "model/vlm.py"
PHYSICS = "physical/vlm_judge_prompt_engineering.py"
OBJECTS = "physical/sam_process.py:extract_dynamic_objects"
INTERACTION = "interaction/vlm_inter.py:evaluate_interaction"
REWRITE = "scripts/score_video_physical_3d.py:summarize_prompt_for_3d"
SCORER = "3d_metrics/reward_3d.py:VLMScorer"
FULL = 5.0
"""The end of the scale of interaction."""


def objects(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """What moves in a clip: `description`."""
    sent = code.recorded(
        OBJECTS, "0", values["description"], through="video_vlm_call", encode_video_to_data_url=_film, **_OUTSIDE
    )
    return _message(_through_server(code, "video", sent), lambda words: {"names": words})


def relevance(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """Which rules apply: `description`, ids of the `rules`, and whether they are `batched`."""
    return _rules(code, values, "relevance", "related", "reason", ("0",))


def compliance(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """Whether a clip keeps to rules: the same values; the clip is the first group, its reference the second."""
    return _rules(code, values, "compliance", "compliant", "explanation", ("0", "1"))


def chunk(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """One chunk: the `chunk` as the released code joins it from prompts and times."""
    return _message(_interaction(code, [values["chunk"]], chunk=True), _scores("visual_quality", "text_alignment"))


def transition(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """A boundary: the chunks `left` and `right`."""
    sent = _interaction(code, [values["left"], values["right"]], transition=True)
    return _message(sent, _scores("transition_smoothness"))


def whole(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """The whole clip: all `chunks`."""
    sent = _interaction(code, values["chunks"], whole=True)
    return _message(sent, _scores("long_range_consistency", "global_text_alignment"))


def static_scene(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """The description without what moves: `description`."""
    sent = code.recorded(REWRITE, values["description"], through="text_vlm_call", **_OUTSIDE)
    return _message(_through_server(code, "text", sent), _texts)


def views(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """Eight views of a rebuilt scene: `scene`."""
    return _scene_judge(code, "score_video_tensor", values["scene"])


def meta_view(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """The meta-view of a rebuilt scene: `scene`."""
    return _scene_judge(code, "score_image_tensor", values["scene"])


def _film(path: str) -> Shown:
    """In the place of a video as a data address: files are named by the number of their group."""
    return Shown(int(path))


_OUTSIDE: Mapping[str, Any] = {
    "resolve_vlm_backend": lambda *_: "qwenvl_server",
    "resolve_model_name": lambda *_: "",
    "parse_json_content": lambda *_: {},
    "os": SimpleNamespace(getenv=lambda *_: "", environ={}, PathLike=object),
}
"""What reads the environment or a reply in their modules."""


def _rules(
    code: AuthorsCode, values: Mapping[str, Any], question: str, verdict: str, reason: str, films: tuple[str, ...]
) -> AuthorsMessage:
    batch = f"{PHYSICS}:call_batch_{question}_vlm"
    alone = f"{PHYSICS}:call_{question}_vlm"
    wanted, described = list(values["rules"]), values["description"]
    stand_ins = {"chat_vlm_call": record, "video_vlm_call": record, "encode_video_to_data_url": _film, **_OUTSIDE}
    if values["batched"]:
        names = code.namespace(batch, f"{PHYSICS}:select_questions", **stand_ins)
        call = lambda: names[f"call_batch_{question}_vlm"](*films, names["select_questions"](wanted), described, None)  # noqa: E731
        sent = code.first_call(batch, call)
        return _message(sent, lambda content: _results(content, reason))
    names = code.namespace(alone, f"{PHYSICS}:{question}_prompts", **stand_ins)
    call = lambda: names[f"call_{question}_vlm"](*films, *names[f"{question}_prompts"](wanted[0], described), None)  # noqa: E731
    sent = code.first_call(alone, call)
    if "data_url" in sent.named:
        sent = _through_server(code, "video", sent)

    def one(content: Any) -> Any:
        return _results({"results": [{**content, "question_id": wanted[0]}]}, reason)

    return _message(sent, lambda content: one(content) if isinstance(content, Mapping) else content)


def _results(content: Any, reason: str) -> Any:
    """Verdicts with their reason under the key of our form."""
    items = content.get("results") if isinstance(content, Mapping) else None
    if not isinstance(items, list):
        return content
    kept = [one for one in items if isinstance(one, Mapping)]
    return {"results": [{**one, "reason": str(one.get(reason, one.get("observations", "")))} for one in kept]}


def _interaction(
    code: AuthorsCode,
    chunks: list[Mapping[str, Any]],
    *,
    chunk: bool = False,
    transition: bool = False,
    whole: bool = False,
) -> Recorded:
    """What is sent first about these chunks, of the kind that is asked about."""
    names = code.namespace(
        INTERACTION,
        chat_vlm_call=record,
        load_json=lambda *_: {},
        normalize_prompts=lambda *_: [],
        normalize_chunks=lambda *_: [dict(one) for one in chunks],
        video_duration=lambda *_: 0.0,
        # A list of pictures is one place in the message; places are numbered as they come.
        sample_video_frames=lambda *_: [Shown()],
        encode_image_to_data_url=lambda picture: picture,
        tempfile=SimpleNamespace(TemporaryDirectory=lambda **_: nullcontext("")),
        **_OUTSIDE,
    )
    skipped = {"skip_chunk": not chunk, "skip_transition": not transition, "skip_global": not whole}
    return code.first_call(INTERACTION, lambda: names["evaluate_interaction"]("", "", "", "", **skipped))


def _scene_judge(code: AuthorsCode, method: str, scene: str) -> AuthorsMessage:
    names = code.namespace(
        SCORER,
        chat_vlm_call=record,
        DEFAULT_VLM_BACKEND="",
        _tensor_to_sampled_pil_frames=lambda *_: [Shown()],
        _tensor_to_pil_image=lambda *_: Shown(),
        _pil_image_to_data_url=lambda image, **_: image,
        **_OUTSIDE,
    )
    pictures = SimpleNamespace(cpu=lambda: None)
    sent = code.first_call(SCORER, lambda: getattr(names["VLMScorer"](), method)(scene, pictures))
    return _message(sent, _score)


def _through_server(code: AuthorsCode, kind: str, sent: Recorded) -> Recorded:
    """The messages that their default backend makes of a system text, a user text and a video."""
    given = {name: value for name, value in sent.named.items() if name in ("system_prompt", "user_content", "data_url")}
    function = f"{VLM}:{kind}_qwenvl_server_call"
    names = code.namespace(function, chat_qwenvl_server_call=record, **_OUTSIDE)
    return code.first_call(function, lambda: names[f"{kind}_qwenvl_server_call"](**given))


def _message(sent: Recorded, translate: Callable[[Any], Any]) -> AuthorsMessage:
    """A recorded call of the chat as texts and places of pictures."""
    messages = sent.named["messages"] if "messages" in sent.named else sent.arguments[0]
    parts: list[str | Shown] = []
    system = ""
    for message in messages:
        if message["role"] == "system":
            system = message["content"]
            continue
        content = message["content"]
        for one in [content] if isinstance(content, str) else content:
            parts.append(_part(one, sum(isinstance(part, Shown) for part in parts)))
    return AuthorsMessage(tuple(parts), system, translate)


def _part(one: Any, number: int) -> str | Shown:
    if isinstance(one, Mapping) and one.get("type") == "text":
        return str(one["text"])
    return one if isinstance(one, str) else Shown(number)


def _scores(*names: str) -> Callable[[Any], Any]:
    """Scores as the released code reads them: what is no number is 0, all are cut to the scale, and an overall score
    that is missing is the mean."""

    def read(content: Any) -> Any:
        if not isinstance(content, Mapping):
            return content
        found = {name: _cut(content.get(name)) for name in names}
        overall = content.get("overall")
        found["overall"] = sum(found.values()) / len(found) if overall is None else _cut(overall)
        return {**found, "reason": str(content.get("reason", ""))}

    return read


def _cut(value: Any) -> float:
    try:
        return min(FULL, max(0.0, float(value)))
    except (TypeError, ValueError):
        return 0.0


def _score(content: Any) -> Any:
    """A score above 1 is one of ten."""
    score = content.get("score") if isinstance(content, Mapping) else None
    if isinstance(score, bool) or not isinstance(score, int | float):
        return content
    return {**content, "score": min(1.0, max(0.0, score / 10 if score > 1 else float(score)))}


def _texts(content: Any) -> Any:
    if not isinstance(content, Mapping):
        return content
    return {name: one if isinstance(one, str) else str(one) for name, one in content.items()}
