"""`WorldSpec`: one record of static.json or dynamic.json, and everything that follows from it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import anchor_frames, entered_scenes, total_frames
from worldgauge.benchmarks.worldscore.inputs.prompts import (
    CameraTold,
    ModelKind,
    dynamic_prompts,
    static_prompts,
    usual_camera,
    with_style,
)


class WorldSpec(BaseModel):
    """A world specification as released. Static worlds have scenes and a camera path, dynamic worlds moving objects."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    visual_movement: Literal["static", "dynamic"]
    visual_style: str
    """`photorealistic` or `stylized`."""
    style: str
    """Words appended to each prompt."""
    camera_path: tuple[str, ...]
    """One layout (small world), three (large world), or `fixed`."""
    image: str
    """Path below the data set's folder."""
    scene_type: str = ""
    """`indoor` or `outdoor`; static worlds."""
    category: str = ""
    content_list: tuple[str, ...] = ()
    """Per scene, `Scene name, object, object`; static worlds."""
    prompt_list: tuple[str, ...] = ()
    """The scene of the image, then one prompt per layout; static worlds."""
    motion_type: str = ""
    objects: tuple[str, ...] = ()
    """What moves; dynamic worlds."""
    prompt: str = ""
    """The motion; dynamic worlds."""
    masks: tuple[str, ...] = ()
    """First-frame masks of the moving objects; dynamic worlds."""

    @model_validator(mode="after")
    def _complete(self) -> WorldSpec:
        if not self.camera_path:
            raise ValueError("camera_path is empty")
        if {"..", "."} & set(self.folder.split("/")) or "\0" in self.folder:
            raise ValueError(f"'{self.folder}' leaves the folder it should lie in")
        if self.visual_movement == "static":
            for name in ("prompt_list", "content_list"):
                count = len(getattr(self, name))
                # What a list holds beyond the camera path is not looked at.
                if count < len(self.camera_path) + 1:
                    raise ValueError(
                        f"{name} has {count} entries, the camera path asks for {len(self.camera_path) + 1}"
                    )
        return self

    @property
    def scenes(self) -> int:
        """Next scenes: one per layout."""
        return len(self.camera_path)

    @property
    def name(self) -> str:
        """Instance name: the image's file name up to its first dot."""
        return PurePosixPath(self.image).name.split(".")[0]

    @property
    def folder(self) -> str:
        """Folder of the world in the official output tree; also its case id. The image's folder is the category."""
        if self.visual_movement == "dynamic":
            return f"dynamic/{self.visual_style}/{self.motion_type}/{self.name}"
        return f"static/{self.visual_style}/{self.scene_type}/{self.category_folder}/{self.name}"

    @property
    def category_folder(self) -> str:
        return PurePosixPath(self.image).parent.name or self.category

    def styled_prompts(self) -> list[str]:
        """Every prompt with its style."""
        return [with_style(prompt, self.style) for prompt in self.prompt_list or (self.prompt,)]

    def prompts_for(
        self, kind: ModelKind, protocol: Protocol = "released", camera: CameraTold | None = None
    ) -> list[str]:
        """What a model of that kind is told, one prompt per clip (3D models: one per scene).

        Under `paper` a layout that stays in its scene gets the prompt of that scene.
        """
        told = camera or usual_camera(kind, protocol)
        if self.visual_movement == "dynamic":
            return dynamic_prompts(self.prompt, self.style, told)
        scenes = entered_scenes(self.prompt_list, self.camera_path) if protocol == "paper" else self.prompt_list
        return static_prompts(scenes, self.style, self.camera_path, kind, told)

    def image_data(self, frames: int) -> dict[str, Any]:
        """`image_data.json` for a model that makes `frames` per clip."""
        counts: dict[str, Any] = {"num_scenes": self.scenes, "total_frames": total_frames(self.scenes, frames)}
        if self.visual_movement == "static":
            counts["anchor_frame_idx"] = anchor_frames(self.scenes, frames)
        return self.model_dump(mode="json", exclude_defaults=True) | counts

    def tags(self) -> dict[str, str]:
        """Names a case can be filtered by and reports broken down by."""
        tags = {"movement": self.visual_movement, "style": self.visual_style, "art": self.style}
        if self.visual_movement == "dynamic":
            return tags | {"motion": self.motion_type}
        return tags | {
            "scene": self.scene_type,
            "category": self.category_folder,
            "camera": "+".join(self.camera_path),
            "world": "small" if self.scenes == 1 else "large",
        }
