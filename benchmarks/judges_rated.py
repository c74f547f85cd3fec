"""Compares judges on answers that people rated: the tables of `assay judges compare`, with panels.

    python benchmarks/judges_rated.py --data ../shared/data/rated

Uses the same random choice of mtrag_faithfulness as rated_agreement.py, and the replies that it recorded in the cache
folder: for each judge run first

    python benchmarks/rated_agreement.py --sets mtrag_faithfulness --judge JUDGE --ways METRIC

No model is asked.
"""

import argparse
import random
import tempfile
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import print_machine
from platformdirs import user_cache_path

from assay import load_set
from assay.cli import cli
from assay.judges import load_settings

METRIC = "faithfulness"


def main() -> int:
    """Writes the chosen samples and the judges' replies to a folder of their own, and compares there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/rated"))
    parser.add_argument("--set", default="mtrag_faithfulness")
    parser.add_argument("--judges", nargs="+", default=["qwen1.5b", "qwen0.5b"], help="bundled judges")
    parser.add_argument("--metric", default=METRIC)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--report", type=Path, help="the page, as HTML")
    options = parser.parse_args()
    print_machine()
    samples = load_set(options.data / f"{options.set}.jsonl")
    samples = random.Random(options.seed).sample(samples, min(options.n, len(samples)))
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / f"{options.set}.jsonl"
        chosen.write_text("".join(sample.model_dump_json() + "\n" for sample in samples), encoding="utf-8")
        for judge in options.judges:
            cassette_path = user_cache_path("assay") / f"rated.{load_settings(judge).identity}.jsonl"
            (Path(folder) / f"{judge}.jsonl").symlink_to(cassette_path)
        command = ["judges", "compare", str(chosen), "--metric", options.metric, "--mode", "replay"]
        command += [word for judge in options.judges for word in ("--judge", judge)]
        command += ["--cassette", f"{folder}/{{judge}}.jsonl", "--seed", str(options.seed)]
        command += ["--report", str(options.report)] if options.report else []
        return int(cli(command, standalone_mode=False))


if __name__ == "__main__":
    raise SystemExit(main())
