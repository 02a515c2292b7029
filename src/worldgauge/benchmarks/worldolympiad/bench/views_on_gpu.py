"""What the network of the released code needs on a GPU: memory and seconds of a pass, by the number of frames.

    python src/worldgauge/benchmarks/worldolympiad/bench/views_on_gpu.py --frames 32,64,128 --size 504x280

The weights are random numbers at the real size, so no file is needed, but the authors' package is. It runs by itself in
an environment that has that package and PyTorch; where this package can be imported too, the nine pictures of the scene
are drawn as well. The first pass warms up, the second is measured: from frames to arrays on the host.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from pathlib import Path
from typing import Any

LAYOUT = "da3nested-giant-large"
PART = Path(__file__).parents[3] / "instruments" / "authors" / "parts" / "depth_anything_3.py"
PICTURES, SIDE = 9, 512


def part_of_package() -> Any:
    """The part of this package that calls the network, read from its file."""
    spec = importlib.util.spec_from_file_location("depth_anything_3_part", PART)
    assert spec is not None and spec.loader is not None
    part = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(part)
    return part


def measured(part: Any, network: Any, frames: int, size: tuple[int, int], gaussians: bool, dtype: str) -> list[str]:
    """A row of the table: the most memory of the GPU in GB, that of the weights, and seconds."""
    import numpy as np
    import torch

    settings = {"dtype": dtype, "reference_view": "saddle_balanced", "gaussians": gaussians}
    held = torch.cuda.memory_allocated() / 2**30
    stack = np.random.default_rng(0).integers(0, 256, (frames, size[1], size[0], 3), np.uint8)
    row = [str(frames), "yes" if gaussians else "no", dtype, f"{held:.1f}"]
    caller = part.Network(network, settings, "cuda")
    try:
        for _ in range(2):
            torch.cuda.reset_peak_memory_stats()
            started = time.perf_counter()
            found = caller.answer({"frames": stack}, {})
            torch.cuda.synchronize()
            seconds = time.perf_counter() - started
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
        return [*row, "more than there is", "", ""]
    peak = torch.cuda.max_memory_allocated() / 2**30
    drawn = draws(found) if gaussians and not isinstance(found, str) else ""
    torch.cuda.empty_cache()
    return [*row, f"{peak:.1f}", f"{seconds:.2f}", found if isinstance(found, str) else drawn]


def draws(found: dict[str, Any]) -> str:
    """Memory and seconds of nine pictures, drawn in PyTorch."""
    import numpy as np
    import torch

    try:
        from worldgauge.functional.gaussian_pictures import Cloud, draw
    except ImportError as error:
        return f"not drawn: {error}"
    names = ("means", "quaternions", "scales", "opacities", "harmonics")
    torch.cuda.reset_peak_memory_stats()
    started = time.perf_counter()
    cloud = Cloud(*(torch.from_numpy(np.ascontiguousarray(found[name])).float().cuda() for name in names))
    lens = torch.tensor([[400.0, 0, SIDE / 2], [0, 400.0, SIDE / 2], [0, 0, 1]], device="cuda")
    with torch.inference_mode():
        for number in range(PICTURES):
            pose = torch.linalg.inv(torch.tensor(found["poses"][number % len(found["poses"])])).float().cuda()
            draw(cloud, pose, lens, (SIDE, SIDE))
    torch.cuda.synchronize()
    peak = torch.cuda.max_memory_allocated() / 2**30
    return f"{PICTURES} pictures: {peak:.1f} GB, {time.perf_counter() - started:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", default="32,64,128")
    parser.add_argument("--size", default="504x280", help="as the network sees the frames: multiples of 14")
    parser.add_argument("--layout", default=LAYOUT)
    parser.add_argument("--dtypes", default="float32,bfloat16")
    asked = parser.parse_args()
    import torch

    part = part_of_package()
    # Random weights may call everything sky, and then there is no scale.
    part.SKY = float("inf")
    width, height = (int(side) for side in asked.size.split("x"))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {asked.layout}, {width}x{height}")
    print("| frames | Gaussians | numbers | weights, GB | most, GB | s | |")
    print("| ---: | --- | --- | ---: | ---: | ---: | --- |")
    for gaussians in (False, True):
        torch.manual_seed(0)
        with torch.device("cuda"):
            network = part.empty_network(asked.layout, gaussians).cuda().eval()
        for dtype in asked.dtypes.split(","):
            for frames in map(int, asked.frames.split(",")):
                row = measured(part, network, frames, (width, height), gaussians, dtype)
                print(f"| {' | '.join(row)} |", flush=True)
        del network
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
