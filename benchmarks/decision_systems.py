"""Which of the systems of two rated sets is better, decided from 0, 30 and 100 ratings, beside all ratings.

    python benchmarks/decision_systems.py --data ../shared/data/rated

mtrag_faithfulness (3 systems, 75 questions, 7 conversations as groups) and clapnq_human (4 systems, 40 questions, 39
documents). The score is token overlap on the scale of the ratings, by a line that is fitted on the other set: nothing
of what is decided took part in it. Per pair of systems: the difference of all ratings with a paired interval over
groups, which is the raters' full truth; then, over random choices of what is rated, how often the pair is decided
rightly: the winner has the higher mean of all ratings, or equivalent systems differ by no more than the margin. Ratings
are of questions in both systems (`pairs`: 30 ratings are of 15 questions) or of any answers (`answers`). Last, all
systems of a set in one decision.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from version_populations import MARGIN, Population, read_samples

from assay import Sample, load_set
from assay.meta_eval.arrays import Places
from assay.meta_eval.decision import Decision, VersionTable, decide_versions
from assay.meta_eval.estimate import Estimate, estimate_mean

SETS = ("mtrag_faithfulness", "clapnq_human")
RATED = (0, 30, 100)


class Systems:
    """The answers of the systems of a set, by question.

    Args:
        samples: The answers; `metadata.system` names who gave it.
        scored: The same answers with scores on the scale of the ratings.
    """

    def __init__(self, samples: Sequence[Sample], scored: Population) -> None:
        self.names = tuple(sorted({str(sample.metadata["system"]) for sample in samples}))
        questions = sorted({sample.user_input for sample in samples})
        row = {(sample.user_input, str(sample.metadata["system"])): place for place, sample in enumerate(samples)}
        self.rows = np.array([[row[question, name] for question in questions] for name in self.names])
        texts = np.unique([sample.response for sample in samples], return_inverse=True)[1]
        self._texts, self._scored = texts, scored

    def table(self, systems: Sequence[int], rated: Places | None) -> VersionTable:
        """The answers of some systems as the decision reads them; `rated` are places in the table, None for all."""
        rows = self.rows[list(systems)].ravel()
        questions = self.rows.shape[1]
        ratings = self._scored.ratings[rows]
        if rated is not None:
            ratings = np.where(np.isin(np.arange(len(rows)), rated), ratings, np.nan)
        return VersionTable(
            versions=tuple(self.names[place] for place in systems),
            version=np.repeat(np.arange(len(systems)), questions),
            question=np.tile(np.arange(questions), len(systems)),
            group=self._scored.groups[rows],
            scores=self._scored.scores[rows],
            ratings=ratings,
            text=self._texts[rows],
            scale=self._scored.scale,
        )

    def truth(self, first: int, second: int) -> Estimate:
        """How much better the second system's answers are rated, over all questions, with an interval over groups."""
        ratings = self._scored.ratings[self.rows[[first, second]]]
        width = self._scored.scale[1] - self._scored.scale[0]
        groups = self._scored.groups[self.rows[first]].astype(str).tolist()
        return estimate_mean(ratings[1] - ratings[0], groups, bounds=(-width, width))

    def choose(self, random: np.random.Generator, n: int, versions: int, whole: bool) -> Places:
        """The places of n answers that are rated: those to whole questions, or any."""
        questions = self.rows.shape[1]
        if not whole:
            return random.permutation(versions * questions)[:n]
        chosen = random.permutation(questions)[: round(n / versions)]
        return np.concatenate([chosen + version * questions for version in range(versions)])


def is_right(decision: Decision, difference: float) -> bool | None:
    """Whether a decision between two versions agrees with the difference of all ratings; None where it is unsettled."""
    if decision.verdict == "unsettled":
        return None
    if decision.verdict == "equivalent":
        return abs(difference) <= MARGIN
    return difference > 0 if decision.verdict == "ship" else difference < 0


def describe(outcomes: Sequence[bool | None]) -> str:
    """How many are right, wrong and unsettled."""
    counts = Counter(outcomes)
    return f"{counts[True]} right, {counts[False]} wrong"


def print_pairs(name: str, systems: Systems, seeds: int) -> None:
    """Each pair of systems of a set."""
    rows: list[list[object]] = []
    totals: dict[tuple[int, bool], list[bool | None]] = {}
    for first, second in combinations(range(len(systems.names)), 2):
        truth = systems.truth(first, second)
        value = truth.value or 0.0
        low_high = "none" if truth.low is None or truth.high is None else f"[{truth.low:+.2f}, {truth.high:+.2f}]"
        row: list[object] = [f"{systems.names[first]}, {systems.names[second]}", f"{value:+.2f} {low_high}"]
        for n in RATED:
            for whole in (True, False) if n else (True,):
                outcomes = []
                for seed in range(seeds if n else 1):
                    rated = systems.choose(np.random.default_rng([seed, n]), n, 2, whole)
                    table = systems.table((first, second), rated)
                    outcomes.append(is_right(decide_versions(table, margin=MARGIN, measure="scorer:line"), value))
                totals.setdefault((n, whole), []).extend(outcomes)
                row.append(describe(outcomes))
        decision = decide_versions(systems.table((first, second), None), margin=MARGIN, measure="scorer:line")
        fixed = decision.differences[0]
        ends = "" if fixed.low is None or fixed.high is None else f" [{fixed.low:+.2f}, {fixed.high:+.2f}]"
        rows.append([*row, f"{decision.verdict}{ends}"])
    rows.append(["all pairs", "", *(f"{describe(own)} of {len(own)}" for own in totals.values()), ""])
    header = ["systems", "second less first", "0 rated", "30, pairs", "30, answers", "100, pairs", "100, answers"]
    title = f"{name}: decisions of {seeds} choices of what is rated (0 rated: one)"
    print_table(title, [*header, "all rated"], rows)


def print_together(name: str, systems: Systems) -> None:
    """All systems in one decision, the first by name in use, from no and from all ratings."""
    everyone = range(len(systems.names))
    for title, rated in (("no ratings", np.array([], int)), ("all ratings", None)):
        decision = decide_versions(systems.table(everyone, rated), margin=MARGIN, measure="scorer:line")
        rows = [
            [
                version.name,
                version.mean,
                "" if version.low is None else f"[{version.low:.2f}, {version.high:.2f}]",
                version.p_best,
                f"{version.ranks[0]} to {version.ranks[1]}",
            ]
            for version in decision.versions
        ]
        print(decision.sentence)
        print_table(f"{name}, {title}", ["system", "mean", "", "P(best)", "ranks"], rows)


def main() -> None:
    """Prints the pairs of each set, then its systems together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the rated sets")
    parser.add_argument("--seeds", type=int, default=50)
    options = parser.parse_args()
    print_machine()
    samples = {name: load_set(options.data / f"{name}.jsonl") for name in SETS}
    scored = {name: read_samples(samples[name], name) for name in SETS}
    for name, other in (SETS, SETS[::-1]):
        systems = Systems(samples[name], scored[name].on_rating_scale(scored[other]))
        print_pairs(name, systems, options.seeds)
        print_together(name, systems)


if __name__ == "__main__":
    main()
