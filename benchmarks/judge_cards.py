"""Makes the card of a judge on the rated sets that the page of evidence shows.

    python benchmarks/judge_cards.py --data FOLDER --judge qwen1.5b [--sets mtrag=30 begin] [--mode replay]

Of each set the half that is called `dev` (whole groups, by their hash, as `public:NAME:dev`), and of that the first
answers by the hash of their ids. It types `assay judges card` for them. Replies are recorded in the cache folder (the
texts are other people's): a second run replays them, and an interrupted one goes on. `--mode replay` asks nobody, and
the card then says what is not recorded. Writes benchmarks/results/cards/JUDGE.json.
"""

import argparse
import contextlib
import io
import tempfile
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import print_machine
from platformdirs import user_cache_path

from assay import load_set
from assay.cli import cli
from assay.eval_sets import part_of
from assay.runs.judging import JudgeCard

CARDS = Path(__file__).parent / "results" / "cards"
SETS = {
    "mtrag": ("mtrag_faithfulness", 60),
    "begin": ("begin_wow", 100),
    "clapnq": ("clapnq_human", 60),
    "tau": ("tau_airline", 40),
}
"""The sets: the file of each, and how many answers are taken."""


def main() -> int:
    """Writes the dev halves to a folder of their own, and makes the card there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/rated"))
    parser.add_argument("--judge", default="qwen1.5b")
    parser.add_argument("--sets", nargs="+", default=list(SETS), help="names, or NAME=N for the first N answers")
    parser.add_argument("--probed", type=int, default=20, help="so many of them are asked again and changed by probes")
    parser.add_argument("--mode", choices=["auto", "replay"], default="auto")
    parser.add_argument("--cassette", help="the recordings; {judge} stands for the judge's name")
    options = parser.parse_args()
    print_machine()
    CARDS.mkdir(exist_ok=True)
    cassette = options.cassette or str(user_cache_path("assay") / "cards.{judge}.jsonl")
    command = ["judges", "card", options.judge, "--mode", options.mode, "--cassette", cassette]
    command += ["--probed", str(options.probed), "--json"]
    cards, codes = list[JudgeCard](), list[int]()
    with tempfile.TemporaryDirectory() as folder:
        for wanted in options.sets:
            name, _, most = wanted.partition("=")
            file, usual = SETS[name]
            samples = [one for one in load_set(options.data / f"{file}.jsonl") if part_of(one.source) == "dev"]
            half = Path(folder) / f"{name}.dev.jsonl"
            half.write_text("".join(f"{one.model_dump_json(exclude_none=True)}\n" for one in samples), encoding="utf-8")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                typed = [*command, "--on", str(half), "--most", most or str(usual)]
                codes.append(int(cli(typed, standalone_mode=False) or 0))
            cards.append(JudgeCard.model_validate_json(printed.getvalue()))
    # a reason may quote a set's texts, which are other people's
    sets = tuple(of_set.model_copy(update={"failure": ""}) for card in cards for of_set in card.sets)
    text = cards[0].model_copy(update={"sets": sets}).model_dump_json(indent=2)
    (CARDS / f"{options.judge}.json").write_text(f"{text}\n", encoding="utf-8")
    return max(codes)


if __name__ == "__main__":
    raise SystemExit(main())
