"""`python -m tools.cluster up|down|kill`: a Ray cluster of this machine, and a bucket beside it."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.cluster.nodes import STATE, LocalCluster, Size


def parser() -> argparse.ArgumentParser:
    """What the command line may say."""
    found = argparse.ArgumentParser(prog="python -m tools.cluster", description=__doc__)
    found.add_argument("--folder", type=Path, default=Path("/tmp/worldgauge-cluster"), help="Keep it short.")
    verbs = found.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser("up", help="Start a head and workers.")
    up.add_argument("--nodes", type=int, default=3)
    up.add_argument("--cpus", type=int, default=1, help="Of each node.")
    up.add_argument("--gigabytes", type=float, default=2.0, help="Of each node.")
    up.add_argument("--s3", action="store_true", help="Also an S3-compatible server with the bucket 'lab'.")
    verbs.add_parser("down", help="Stop everything, and delete the folder.")
    verbs.add_parser("kill", help="Kill a node with -9.").add_argument("number", type=int, help="0 is the head.")
    return found


def main() -> None:
    told = parser().parse_args()
    if told.verb == "up":
        _up(told.folder, Size(told.cpus, told.gigabytes), told.nodes, told.s3)
        return
    if not (told.folder / STATE).is_file():
        raise SystemExit(f"no cluster was started in {told.folder}")
    cluster = LocalCluster.read(told.folder)
    if told.verb == "down":
        cluster.close()
    else:
        cluster.kill(told.number)


def _up(folder: Path, size: Size, count: int, with_s3: bool) -> None:
    if (folder / STATE).exists():
        raise SystemExit(f"there is a cluster in {folder} already: stop it with 'down'")
    cluster = LocalCluster(folder, size)
    if with_s3:
        cluster.start_s3()
    cluster.start(count)
    for name, value in cluster.environment().items():
        print(f"export {name}={value}")
    print(f"worldgauge run ... --executor ray --address {cluster.address}" + " --store s3://lab/store" * with_s3)


if __name__ == "__main__":
    main()
