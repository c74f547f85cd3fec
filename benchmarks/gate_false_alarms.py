"""Measures how often a judge's own noise makes a regression gate fail in a month, and when a fall is found.

    python benchmarks/gate_false_alarms.py [--judge J --cassette F]

Months of 30 nightly runs are simulated from a judge's own noise. By default the noise comes from the bundled
recordings: the judge gave each claim a probability of being supported, and a simulated run draws each verdict from it,
as the judge at temperature 1 would.

With `--judge J --cassette F --repeats 4` the noise is measured from repeats: the same questions asked again with other
seeds and recorded in F (`--mode auto` asks what is missing there). With `--runs A B C` it is measured from runs of one
suite on the same answers (in `--store`). A simulated run then draws each sample's value from its repeats. The gate is
the product's own (`weigh_falls`). The referee has the other kinds of gates and of noise (`gates_over_a_month`).
"""

import argparse
from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from typing import Self

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from numpy.typing import NDArray

from assay import evaluate, load_set
from assay.judges import LiteLLMJudge, Mode, load_settings
from assay.meta_eval.estimate import estimate_proportion
from assay.presentation.figure import Figure
from assay.runs import Store
from assay.runs.nightly.evidence import weigh_falls

METRIC = "faithfulness"
FALLS = (0.03, 0.05, 0.1)
LEVEL = 0.05  # the default of `false_alarms`
MONTH, QUIET = 30, 10
WITHIN = (1, 3, 7)

Floats = NDArray[np.float64]


class Judgements:
    """The probability that each claim of each sample is supported, as the judge gave it, and the samples' groups."""

    def __init__(self, claims: Sequence[Sequence[float]], groups: Sequence[str]) -> None:
        self.groups = groups
        self._probabilities = np.array([p for sample in claims for p in sample])
        self._starts = np.cumsum([0, *(len(sample) for sample in claims)])[:-1]
        self._sizes = np.array([len(sample) for sample in claims])

    def draw(self, generator: np.random.Generator) -> Floats:
        """Draws one value per sample: the share of its claims whose drawn verdict is supported."""
        verdicts = (generator.random(len(self._probabilities)) < self._probabilities).astype(float)
        return np.add.reduceat(verdicts, self._starts) / self._sizes

    def mean(self) -> float:
        """Returns the expected mean of a run."""
        return float((np.add.reduceat(self._probabilities, self._starts) / self._sizes).mean())

    def all_worse(self, by: float) -> "Judgements":
        """Returns judgements with every claim a little less likely, so that the expected mean is lower by `by`."""
        return self._changed(self._probabilities * (1 - by / self.mean()))

    def some_broken(self, by: float, generator: np.random.Generator) -> "Judgements":
        """Returns judgements where random answers have no supported claim, so that the mean is lower by about `by`."""
        values = np.add.reduceat(self._probabilities, self._starts) / self._sizes
        probabilities, lost = self._probabilities.copy(), 0.0
        for sample in generator.permutation(len(values)):
            if lost + values[sample] / 2 > by * len(values):
                break
            lost += values[sample]
            probabilities[self._starts[sample] : self._starts[sample] + self._sizes[sample]] = 0.0
        return self._changed(probabilities)

    def _changed(self, probabilities: Floats) -> "Judgements":
        changed = Judgements([[0.0]], self.groups)
        changed._probabilities, changed._starts, changed._sizes = probabilities, self._starts, self._sizes
        return changed


class Repeats:
    """The values of each sample in repeated runs (samples, repeats), and the samples' groups.

    A simulated run takes one repeat's value of each sample. The repeats stand for the judge's whole noise, so their
    deviations from the sample's mean are widened by sqrt(R / (R - 1)): the variance of a draw is then an unbiased
    estimate of the judge's.
    """

    def __init__(self, values: Floats, groups: Sequence[str]) -> None:
        self.groups, self._values = groups, values

    def draw(self, generator: np.random.Generator) -> Floats:
        """Draws one value per sample."""
        rows, repeats = self._values.shape
        values = self._values[np.arange(rows), generator.integers(0, repeats, rows)]
        means = self._values.mean(axis=1)
        return means + (values - means) * np.sqrt(repeats / (repeats - 1))

    def all_worse(self, by: float) -> Self:
        """Returns repeats with every value a little lower, so that the mean is lower by `by`."""
        return type(self)(self._values * (1 - by / self._values.mean()), self.groups)

    def some_broken(self, by: float, generator: np.random.Generator) -> Self:
        """Returns repeats where random answers score 0, so that the mean is lower by about `by`."""
        values, means, lost = self._values.copy(), self._values.mean(axis=1), 0.0
        for sample in generator.permutation(len(values)):
            if lost + means[sample] / 2 > by * len(values):
                break
            lost += means[sample]
            values[sample] = 0.0
        return type(self)(values, self.groups)


def read_recordings() -> Judgements:
    """Returns the judgements of the bundled sets by qwen1.5b, from the bundled recordings."""
    with as_file(files("assay.cassettes").joinpath("helpdesk.qwen1.5b.jsonl")) as cassette:
        judge = LiteLLMJudge("qwen1.5b", cassette=cassette, mode="replay")
        results = evaluate([*load_set("helpdesk_nl"), *load_set("helpdesk_en")], [METRIC], judge=judge)
        judge.close()
    scores = {name: own[METRIC] for name, own in results.scores.items() if own[METRIC].value is not None}
    claims = [[claim["probability"] for claim in score.evidence["claims"]] for score in scores.values()]
    return Judgements(claims, [results.samples[name].source for name in scores])


def ask_repeats(judge: str, cassette: str, *, repeats: int, mode: Mode, metric: str, sets: Sequence[str]) -> Repeats:
    """Returns the values of the judge's first replies and of its repeats, as `assay judges compare --repeats` does."""
    samples = [sample for name in sets for sample in load_set(name)]
    values: dict[str, list[float]] = {}
    for repeat in range(repeats + 1):
        repeated_judge = LiteLLMJudge(load_settings(judge).for_repeat(repeat), cassette=cassette, mode=mode)
        results = evaluate(samples, [metric], judge=repeated_judge)
        repeated_judge.close()
        for name, own in results.scores.items():
            if (value := own[metric].value) is not None:
                values.setdefault(name, []).append(value)
    return _complete_samples(values, repeats + 1, {sample.id: sample.source for sample in samples})


def read_runs(store: Store, runs: Sequence[str]) -> Repeats:
    """Returns the values of real repeats of one run."""
    values: dict[str, list[float]] = {}
    for run in runs:
        for sample, metric, value, _ in store.sample_values(store.run(run).id):
            if metric == METRIC and value is not None:
                values.setdefault(sample, []).append(value)
    return _complete_samples(
        values, len(runs), {sample.id: sample.source for sample in store.samples(store.run(runs[0]).id)}
    )


def _complete_samples(values: Mapping[str, Sequence[float]], repeats: int, sources: Mapping[str, str]) -> Repeats:
    """Leaves out the samples that a repeat has no value for."""
    complete = {name: own for name, own in values.items() if len(own) == repeats}
    if not complete or repeats < 2:
        raise SystemExit(
            "no sample has a value in two repeats or more; record them with --mode auto, or name other runs"
        )
    return Repeats(np.array(list(complete.values())), [sources[name] for name in complete])


def failed_runs(runs: Sequence[Floats], groups: Sequence[str], accepted: int) -> list[int]:
    """Returns which nightly runs after the accepted ones fail the gate, counted from 0."""
    weighed = weigh_falls(np.column_stack(runs), groups, accepted=accepted, allowed=0.0, level=LEVEL)
    return [night for night, evidence in enumerate(weighed) if evidence.failed]


def format_share(outcomes: Sequence[bool]) -> str:
    """Returns how often something came out, with Wilson's 95% interval."""
    return str(Figure.from_estimate("rate", estimate_proportion(sum(outcomes), len(outcomes))))


def false_alarm_row(judgements: "Judgements | Repeats", generator: np.random.Generator, *options: int) -> list[object]:
    """Returns the share of months without a change in which the gate fails; `options`: accepted runs, months."""
    accepted, months = options
    groups = list(judgements.groups)
    failed = [
        bool(failed_runs([judgements.draw(generator) for _ in range(accepted + MONTH)], groups, accepted))
        for _ in range(months)
    ]
    return [f"nothing changed, {accepted} accepted", format_share(failed), *[""] * len(WITHIN)]


def detection_row(
    name: str, judgements: "Judgements | Repeats", worse: "Judgements | Repeats", generator: np.random.Generator, n: int
) -> list[object]:
    """Returns how often a fall after ten quiet runs is found within 1, 3 and 7 runs."""
    firsts = list[int]()
    for _ in range(n):
        runs = [judgements.draw(generator) for _ in range(1 + QUIET)] + [worse.draw(generator) for _ in range(7)]
        failed = [night - QUIET for night in failed_runs(runs, list(judgements.groups), 1) if night >= QUIET]
        firsts.append(failed[0] if failed else MONTH)
    return [name, "", *(format_share([first < within for first in firsts]) for within in WITHIN)]


def main() -> None:
    """Prints the table; the same seed gives the same nightly runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--months", type=int, default=200, help="simulated months per row")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", default=".assay")
    parser.add_argument("--runs", nargs="+", help="two or more repeats of one run")
    parser.add_argument("--judge", help="whose repeats are read from --cassette")
    parser.add_argument("--cassette", help="file with the judge's replies and repeats")
    parser.add_argument("--repeats", type=int, default=4, help="how often it was asked again")
    parser.add_argument("--mode", choices=["replay", "auto"], default="replay")
    parser.add_argument("--metric", default=METRIC, help="of --judge: such as faithfulness:claims=judge")
    parser.add_argument("--sets", nargs="+", default=["helpdesk_nl", "helpdesk_en"])
    options = parser.parse_args()
    if (options.judge is None) != (options.cassette is None):
        parser.error("--judge and --cassette go together")
    generator = np.random.default_rng(options.seed)
    print_machine()
    rows = []
    judgements: Judgements | Repeats
    if options.judge:
        judgements = ask_repeats(
            options.judge,
            options.cassette,
            repeats=options.repeats,
            mode=options.mode,
            metric=options.metric,
            sets=options.sets,
        )
    elif options.runs:
        judgements = read_runs(Store(options.store, must_exist=True), options.runs)
    else:
        judgements = read_recordings()
    draw, groups = judgements.draw, list(judgements.groups)
    noise = np.array([draw(generator) for _ in range(200)]).std(axis=0).mean()
    print(f"{len(groups)} samples scored in {len(set(groups))} groups; a sample's value varies by {noise:.3f} (sd)")
    rows += [false_alarm_row(judgements, generator, accepted, options.months) for accepted in (1, 5)]
    for by in FALLS:
        worse = judgements.all_worse(by)
        rows.append(
            detection_row(f"all answers worse, {by:g} in the mean", judgements, worse, generator, options.months)
        )
        broken = judgements.some_broken(by, generator)
        rows.append(detection_row(f"a few answers broken, {by:g}", judgements, broken, generator, options.months))
    header = ["nightly runs", "months with a false alarm", *(f"found within {within}" for within in WITHIN)]
    print_table("Months that fail a regression gate, and falls that are found", header, rows)


if __name__ == "__main__":
    main()
