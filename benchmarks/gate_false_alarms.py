"""How often a gate on a fall cries wolf, and how often it sees a real fall of 0.05.

Nights are simulated from a judge's own noise. By default that is what the bundled recordings tell: the judge gave each
claim a probability of being supported, and a night draws each verdict by it, as the judge at temperature 1 would. With
`--runs A B C` it is measured from repeats: real runs of one suite on the same answers (in `--store`), and a night draws
each sample's value from its repeats. The gate is the product's own (`judge_gates`).
"""

import argparse
from collections.abc import Callable, Sequence
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray
from printed import print_machine, print_table
from statsmodels.stats.proportion import proportion_confint

from assay import evaluate, load_set
from assay.judges import LiteLLMJudge
from assay.runs import Store
from assay.runs.compare import Comparison, Judged
from assay.runs.nightly.gates import FallGate, JudgedRun, Spent, judge_gates

METRIC = "faithfulness"
FALL = 0.05
LEVELS = (0.01, 0.02, 0.05)

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator], Floats]


class Judgements:
    """What the judge thinks of each sample's claims: the probability that each is supported, and the sample's group."""

    def __init__(self, claims: Sequence[Sequence[float]], groups: Sequence[str]) -> None:
        self.groups = groups
        self._probabilities = np.array([p for own in claims for p in own])
        self._starts = np.cumsum([0, *(len(own) for own in claims)])[:-1]
        self._sizes = np.array([len(own) for own in claims])

    def night(self, generator: np.random.Generator) -> Floats:
        """One value a sample: the share of its claims whose verdict came out as supported."""
        verdicts = (generator.random(len(self._probabilities)) < self._probabilities).astype(float)
        return np.add.reduceat(verdicts, self._starts) / self._sizes

    def mean(self) -> float:
        """The expected mean of a night."""
        return float((np.add.reduceat(self._probabilities, self._starts) / self._sizes).mean())

    def all_worse(self, by: float) -> "Judgements":
        """Every claim a little less likely, so that the expected mean is lower by `by`."""
        return self._changed(self._probabilities * (1 - by / self.mean()))

    def some_broken(self, by: float, generator: np.random.Generator) -> "Judgements":
        """Random answers whose claims are all unsupported, as many as lower the expected mean by about `by`."""
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


def recorded() -> Judgements:
    """The bundled sets by qwen1.5b, from the recordings that come with the package."""
    with as_file(files("assay.cassettes").joinpath("helpdesk.qwen1.5b.jsonl")) as cassette:
        judge = LiteLLMJudge("qwen1.5b", cassette=cassette, mode="replay")
        results = evaluate([*load_set("helpdesk_nl"), *load_set("helpdesk_en")], [METRIC], judge=judge)
        judge.close()
    scores = {name: own[METRIC] for name, own in results.scores.items() if own[METRIC].value is not None}
    claims = [[claim["probability"] for claim in score.evidence["claims"]] for score in scores.values()]
    return Judgements(claims, [results.samples[name].source for name in scores])


def repeated(store: Store, runs: Sequence[str]) -> tuple[Draw, list[str]]:
    """Nights drawn from the values of real repeats; samples that one repeat has no value for are left out."""
    values: dict[str, list[float]] = {}
    for run in runs:
        for sample, metric, value, _ in store.sample_values(store.run(run).id):
            if metric == METRIC and value is not None:
                values.setdefault(sample, []).append(value)
    whole = {name: own for name, own in values.items() if len(own) == len(runs)}
    sources = {sample.id: sample.source for sample in store.samples(store.run(runs[0]).id)}
    table = np.array(list(whole.values()))
    places = np.arange(len(table))
    return lambda generator: table[places, generator.integers(0, len(runs), len(table))], [sources[n] for n in whole]


def p_value(before: Floats, after: Floats, groups: Sequence[str]) -> float:
    """The gate's p-value for one night against one accepted run."""
    judged = tuple(
        Judged(str(n), "", "", group, False, {METRIC: (float(a), "scored")}, {METRIC: (float(b), "scored")})
        for n, (group, a, b) in enumerate(zip(groups, before, after, strict=True))
    )
    comparison = Comparison("a", "b", (METRIC,), (), (), (), judged, (), (), (), 0)
    gate = FallGate(gate="fall", metric=METRIC)
    (found,) = judge_gates([gate], [JudgedRun("judge", (METRIC,), judged, comparison)], Spent(), false_alarms=0.02)
    return 1.0 if found.p is None else found.p


def row(name: str, p: Sequence[float]) -> list[object]:
    """How many nights fail at each level, with Wilson's 95% interval."""
    cells: list[object] = [name, len(p)]
    for level in LEVELS:
        fallen = sum(each <= level for each in p)
        low, high = proportion_confint(fallen, len(p), method="wilson")
        cells.append(f"{fallen / len(p):.1%} [{low:.1%}, {high:.1%}]")
    return cells


def main() -> None:
    """Prints the table; the same seed gives the same nights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nights", type=int, default=200)
    parser.add_argument("--baselines", type=int, default=20, help="accepted runs, each held against --nights/10 nights")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", default=".assay")
    parser.add_argument("--runs", nargs="+", help="two or more repeats of one run")
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    print_machine()
    rows = []
    if options.runs:
        draw, groups = repeated(Store(options.store, must_exist=True), options.runs)
        judgements = None
    else:
        judgements = recorded()
        draw, groups = judgements.night, list(judgements.groups)
    noise = np.array([draw(generator) for _ in range(200)]).std(axis=0).mean()
    print(f"{len(groups)} samples scored in {len(set(groups))} groups; a sample's value varies by {noise:.3f} (sd)")
    unchanged = [p_value(draw(generator), draw(generator), groups) for _ in range(options.nights)]
    rows.append(row("no change, a new accepted run each", unchanged))
    by_baseline = []
    for _ in range(options.baselines):
        before = draw(generator)
        by_baseline.append([p_value(before, draw(generator), groups) for _ in range(options.nights // 10)])
    rows.append(row(f"no change, {options.baselines} accepted runs", [p for own in by_baseline for p in own]))
    worst = [max(np.mean([p <= level for p in own]) for own in by_baseline) for level in LEVELS]
    rows.append(["  of these, the unluckiest accepted run", options.nights // 10, *(f"{share:.0%}" for share in worst)])
    if judgements is not None:
        for by in (FALL, 2 * FALL):
            worse = judgements.all_worse(by)
            falls = [p_value(draw(generator), worse.night(generator), groups) for _ in range(options.nights)]
            rows.append(row(f"all answers worse, {by:g} in the mean", falls))
            broken = [
                p_value(draw(generator), judgements.some_broken(by, generator).night(generator), groups)
                for _ in range(options.nights)
            ]
            rows.append(row(f"a few answers broken, {by:g} in the mean", broken))
        steady = [
            p_value(draw(before), judgements.some_broken(FALL, generator).night(after), groups)
            for before, after in ((np.random.default_rng(n), np.random.default_rng(n)) for n in range(options.nights))
        ]
        rows.append(row(f"the same with a judge that repeats itself, {FALL:g}", steady))
    header = ["nights", "n", *(f"fail at false_alarms = {level:g}" for level in LEVELS)]
    print_table("Nights that fail a gate on a fall", header, rows)


if __name__ == "__main__":
    main()
