"""Our scores under the names of the released files and of the board."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Official:
    """One of the twelve scores as others call it."""

    score: str
    """Our id without the setting."""
    group: str
    metric: str
    """Last part of the released metric id."""
    column: str
    """On the board."""

    def metric_id(self, dataset: str) -> str:
        """
        >>> SCORES[1].metric_id("mbencha")
        'mbencha.entity.object_texture_consistency'
        """
        return f"{dataset}.{self.group}.{self.metric}"


SCORES: tuple[Official, ...] = (
    Official("geometry", "entity", "object_geometry_consistency", "object_geometry"),
    Official("texture", "entity", "object_texture_consistency", "object_texture"),
    Official("identity", "entity", "human_identity_consistency", "human_identity"),
    Official("appearance", "entity", "human_appearance_consistency", "human_appearance"),
    Official("epipolar", "environment", "spatial_epipolar", "spatial_epipolar"),
    Official("reprojection", "environment", "spatial_reprojection", "spatial_reprojection"),
    Official("lighting", "environment", "rendering_lighting", "rendering_lighting"),
    Official("style", "environment", "rendering_style", "rendering_style"),
    Official("state", "causal", "state_progress", "state_progress"),
    Official("correctness", "causal", "progress_correctness", "physical_plausibility"),
    Official("text", "causal", "prompt_interaction", "text_interaction"),
    Official("action", "causal", "camera_interaction", "action_interaction"),
)
GROUPS = ("entity", "environment", "causal")
DATASETS = {"t": "mbencht", "a": "mbencha"}
MODEL_TYPES = {"t": "text-conditioned", "a": "action-conditioned"}


def scores_of(setting: str, group: str = "") -> list[Official]:
    """The scores a setting has, `t` or `a`, all or those of a group.

    >>> [len(scores_of("t")), [one.score for one in scores_of("a", "causal")]]
    [11, ['state', 'correctness', 'action']]
    """
    other = "action" if setting == "t" else "text"
    return [one for one in SCORES if one.score != other and group in ("", one.group)]


def trigger_of(setting: str, score: str, subset: str) -> str:
    """The column with the trigger rate behind a score.

    >>> trigger_of("t", "texture", "object"), trigger_of("t", "text", ""), trigger_of("a", "action", "")
    ('t_trigger_object', 't_trigger_text', 'a_trigger')
    """
    if setting == "a":
        return f"a_trigger_{subset}" if subset else "a_trigger"
    return "t_trigger_text" if score == "text" else f"t_trigger_{subset}"


SUBSETS = {
    "geometry": "object", "texture": "object", "identity": "human", "appearance": "human",
    "epipolar": "environment", "reprojection": "environment", "lighting": "environment", "style": "environment",
    "state": "causal", "correctness": "causal", "text": "", "action": "",
}  # fmt: skip
"""Score to the subset it is about; empty: all of them."""
