"""How often the decision between versions is right, on versions whose true means are known.

    python benchmarks/decision_simulation.py --data ../shared/data/rated

The answers of a rated set are a population of (score, rating, group). Groups of questions are drawn with replacement;
one version gives the answers as they are, the others give another answer of the set to a share of the questions: one
that is as good on average (any), or a worse, or a better one. What that does to the mean rating is known exactly. The
share is 0 for every fifth version, otherwise drawn from Beta(1, 2), worse and better alike; which version is in use is
drawn. The score is token overlap (simulatorarena: answer length) on the scale of the ratings, by a line that is fitted
on a third of the groups, which take no part after that. 0, 30 or 100 of the questions whose answers differ are rated in
all versions.

Prints: the stated P(best) against how often that version is best (of versions that are equal one is drawn); decisions
and how many are wrong, beside a paired t-test on the same ratings and beside all ratings; how often the intervals hold
the truth; whether what `needs` asks for settles it; and months of 30 nightly looks at a growing number of ratings, of
which the first decision counts. Intervals of shares are Clopper and Pearson's (95%).
"""

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from scipy.stats import binomtest, ttest_1samp
from version_populations import MARGIN, Change, DrawnVersions, Population, draw_versions, read_population

from assay.meta_eval import Look, Places
from assay.meta_eval.decision import Decision, decide_versions

GROUPS = {
    "mtrag_faithfulness": (7, 12, 30),
    "clapnq_human": (12, 39, 80),
    "begin_wow": (30, 100, 220),
    "simulatorarena": (12, 37, 80),
}
"""How many groups are drawn of each set: few, as many as it has, and more (mtrag_faithfulness has large groups)."""

RATED = (0, 30, 100)
ALL = -1
NIGHTS, FIRST_RATED, PER_NIGHT = 30, 10, 5
MONTHS = {"mtrag_faithfulness": (7, 12, 30), "clapnq_human": (7, 30), "begin_wow": (100,)}


@dataclass(frozen=True, eq=False)
class Trial:
    """One decision, and what is true."""

    drawn: DrawnVersions  # the versions
    rated: int  # how many questions are rated; `ALL` for every one
    decision: Decision  # what is decided
    # whether what `needs` asks for settles it: by ratings, by answers; None where it does not ask
    settled: tuple[bool | None, bool | None] = (None, None)

    @property
    def chosen(self) -> int | None:
        """The version that is said to be better, of `ship` and `keep`."""
        return winner_of(self.decision)

    @property
    def is_wrong(self) -> bool:
        """Whether what is said of the winner is false."""
        return is_wrong_winner(self.drawn, self.chosen)

    @property
    def is_false_equivalence(self) -> bool:
        """Whether versions are said to be equivalent of which one differs by more than the margin from the first."""
        truth = self.drawn.truth
        return self.decision.verdict == "equivalent" and bool(np.abs(truth - truth[0]).max() > MARGIN + 1e-9)


def winner_of(decision: Decision) -> int | None:
    """The place of the version that a decision says is better."""
    if decision.verdict == "keep":
        return 0
    names = [version.name for version in decision.versions]
    return names.index(decision.best) if decision.verdict == "ship" else None


def is_wrong_winner(drawn: DrawnVersions, chosen: int | None) -> bool:
    """Whether what is said of a winner is false: it is better than the first version or, if it is the first, than some
    other, and no other is better by more than the margin.
    """
    if chosen is None:
        return False
    lead = drawn.truth - drawn.truth[0]
    if chosen:
        return bool(lead[chosen] <= 1e-9)
    return bool(lead[1:].max() > MARGIN + 1e-9 or lead[1:].min() >= -1e-9)


def draw_change(random: np.random.Generator) -> Change:
    """How a version differs from the answers as they are."""
    return Change(
        other=float(random.choice([0.0, 0.5, 1.0])),
        share=0.0 if random.random() < 0.2 else float(random.beta(1, 2)),
        better=bool(random.random() < 0.5),
        within_group=bool(random.random() < 0.5),
        clustered=bool(random.random() < 0.5),
    )


def draw_world(random: np.random.Generator, sets: Sequence[Population], versions: int) -> DrawnVersions:
    """Versions of the answers to drawn questions, one of which has the answers as they are."""
    population = sets[random.integers(len(sets))]
    changes = [Change(), *(draw_change(random) for _ in range(versions - 1))]
    ordered = tuple(changes[place] for place in random.permutation(versions))
    groups = int(random.choice(GROUPS[population.name]))
    return draw_versions(random, population.split(random), ordered, groups)


def choose_rated(random: np.random.Generator, drawn: DrawnVersions, n: int) -> Places | None:
    """Random questions of those whose answers differ."""
    differing = drawn.differing
    if n == ALL:
        return np.arange(len(drawn.groups))
    return random.permutation(differing)[:n] if n and len(differing) else None


def decide(drawn: DrawnVersions, rated: Places | None, looks: Sequence[Look] = ()) -> Decision:
    """Asks for the decision."""
    return decide_versions(drawn.table(rated), margin=MARGIN, measure="scorer:line.yaml", looks=looks)


def try_needs(
    random: np.random.Generator, drawn: DrawnVersions, rated: Places | None, decision: Decision
) -> tuple[bool | None, bool | None]:
    """Whether the decision is settled with what it asks for: more ratings, more answers."""
    by_ratings = by_answers = None
    had = np.array([], int) if rated is None else rated
    if decision.needs.ratings is not None:
        left = np.setdiff1d(drawn.differing, had)
        more = random.permutation(left)[: decision.needs.ratings]
        by_ratings = decide(drawn, np.concatenate([had, more])).verdict != "unsettled"
    if decision.needs.answers is not None and decision.needs.answers <= 5000:
        larger = drawn.extended(random, decision.needs.answers)
        new = np.setdiff1d(larger.differing, np.arange(len(drawn.groups)))
        share = len(had) / max(1, len(drawn.differing))
        more = random.permutation(new)[: round(share * len(new))]
        asked = np.concatenate([had, more])
        by_answers = decide(larger, asked if len(asked) else None).verdict != "unsettled"
    return by_ratings, by_answers


def simulate(seed: int, sets: Sequence[Population], n: int, versions: int) -> list[Trial]:
    """Decides `n` worlds from 0, 30 and 100 ratings in turn, and each again from all ratings."""
    trials = []
    for number in range(n):
        random = np.random.default_rng([seed, versions, number])
        drawn = draw_world(random, sets, versions)
        count = RATED[number % len(RATED)]
        rated = choose_rated(random, drawn, count)
        decision = decide(drawn, rated)
        trials.append(Trial(drawn, count, decision, try_needs(random, drawn, rated, decision)))
        trials.append(Trial(drawn, ALL, decide(drawn, choose_rated(random, drawn, ALL))))
    return trials


def share(count: int, n: int) -> str:
    """A share with its exact interval."""
    if not n:
        return "none"
    interval = binomtest(count, n).proportion_ci(method="exact")
    return f"{count / n:.1%} [{interval.low:.1%}, {interval.high:.1%}] of {n}"


def share_of(trials: Iterable[Trial], is_so: Callable[[Trial], bool]) -> str:
    """How many of the trials are so."""
    outcomes = [is_so(trial) for trial in trials]
    return share(sum(outcomes), len(outcomes))


def name_of(rated: int) -> str:
    """How many are rated, in words."""
    return "all" if rated == ALL else str(rated)


def print_p_best(trials: Sequence[Trial], seed: int) -> None:
    """Stated P(best) in deciles, and how often that version is best."""
    random = np.random.default_rng(seed)
    stated, is_best = [], []
    for trial in trials:
        top = np.flatnonzero(np.isclose(trial.drawn.truth, trial.drawn.truth.max()))
        best = random.choice(top)
        for place, version in enumerate(trial.decision.versions):
            if version.p_best is not None:
                stated.append(version.p_best)
                is_best.append(place == best)
    p, right = np.array(stated), np.array(is_best, bool)
    decile = np.minimum((p * 10).astype(int), 9)
    rows: list[list[object]] = []
    for number in np.unique(decile).tolist():
        own = decile == number
        name = f"{number / 10:.1f} to {(number + 1) / 10:.1f}"
        rows.append([name, float(p[own].mean()), share(int(right[own].sum()), int(own.sum()))])
    print_table(f"P(best) of {len(p)} versions", ["stated P(best)", "mean", "truly best"], rows)


def print_decisions(trials: Sequence[Trial], title: str) -> None:
    """What is decided from 0, 30, 100 and all ratings."""
    rows: list[list[object]] = []
    for rated in (*RATED, ALL):
        own = [trial for trial in trials if trial.rated == rated]
        winners = [trial for trial in own if trial.chosen is not None]
        equivalent = [trial for trial in own if trial.decision.verdict == "equivalent"]
        rows.append(
            [
                name_of(rated),
                len(own),
                share_of(own, lambda trial: trial.decision.verdict != "unsettled"),
                share_of(own, lambda trial: trial.chosen is not None),
                share_of(winners, lambda trial: trial.is_wrong),
                share_of(winners, lambda trial: trial.chosen != trial.drawn.truth.argmax()),
                share_of(equivalent, lambda trial: trial.is_false_equivalence),
            ]
        )
    header = ["rated", "n", "decided", "a winner", "wrong, of the winners", "not the best", "falsely equivalent"]
    print_table(title, header, rows)


def differences_held(trial: Trial) -> bool:
    """Whether all intervals of differences hold the truth; what has none, holds."""
    places = {version.name: place for place, version in enumerate(trial.decision.versions)}
    for pair in trial.decision.differences:
        low, high = pair.low, pair.high
        difference = trial.drawn.truth[places[pair.second]] - trial.drawn.truth[places[pair.first]]
        if low is not None and high is not None and not low - 1e-9 <= difference <= high + 1e-9:
            return False
    return True


def means_held(trial: Trial) -> bool:
    """Whether the intervals of all means hold the truth together; what has no interval, holds."""
    return all(
        version.low is None or version.high is None or version.low - 1e-9 <= truth <= version.high + 1e-9
        for version, truth in zip(trial.decision.versions, trial.drawn.truth.tolist(), strict=True)
    )


def print_intervals(trials: Sequence[Trial]) -> None:
    """How often the intervals hold the truth, and how wide they are."""
    rows: list[list[object]] = []
    for rated in (*RATED, ALL):
        own = [trial for trial in trials if trial.rated == rated]
        pairs = [pair for trial in own for pair in trial.decision.differences]
        widths = [pair.high - pair.low for pair in pairs if pair.low is not None and pair.high is not None]
        none = share(sum(pair.low is None for pair in pairs), len(pairs))
        held = [share_of(own, is_held) for is_held in (differences_held, means_held)]
        rows.append([name_of(rated), *held, none, float(np.mean(widths or [np.nan]))])
    header = ["rated", "differences", "means", "no interval", "width"]
    print_table("intervals that hold the truth, all of one decision together", header, rows)


def print_t_test(trials: Sequence[Trial], seed: int) -> None:
    """The decision from 100 ratings and from all beside a paired t-test of 100 rated pairs, on the same versions."""
    rows: list[list[object]] = []
    own = [trial for trial in trials if trial.rated == 100 and len(trial.drawn.truth) == 2]
    same = {id(trial.drawn) for trial in own}
    whole = [trial for trial in trials if trial.rated == ALL and id(trial.drawn) in same]
    for name, chosen in (
        ("decision, 100 rated", [(trial, trial.chosen) for trial in own]),
        ("decision, all rated", [(trial, trial.chosen) for trial in whole]),
        ("t-test, 100 rated", [(trial, t_test(trial.drawn, seed)) for trial in own]),
    ):
        decided = [(trial, winner) for trial, winner in chosen if winner is not None]
        wrong = sum(is_wrong_winner(trial.drawn, winner) for trial, winner in decided)
        equal = [winner is not None for trial, winner in chosen if trial.drawn.winner is None]
        rows.append([name, share(len(decided), len(chosen)), share(wrong, len(decided)), share(sum(equal), len(equal))])
    header = ["pairs", "a winner", "wrong, of the winners", "a winner of equal versions"]
    print_table("beside a t-test", header, rows)


def t_test(drawn: DrawnVersions, seed: int) -> int | None:
    """The winner by a paired t-test at 5% on 100 of the questions whose answers differ, as if they were independent."""
    rated = choose_rated(np.random.default_rng(seed), drawn, 100)
    if rated is None:
        return None
    first, second = drawn.population.ratings[drawn.rows[:, rated]]
    differences = second - first
    if len(differences) < 2 or np.ptp(differences) == 0 or ttest_1samp(differences, 0).pvalue > 0.05:
        return None
    return int(differences.mean() > 0)


def print_needs(trials: Sequence[Trial]) -> None:
    """Whether what `needs` asks for settles it."""
    own = [trial for trial in trials if trial.rated != ALL and trial.decision.verdict == "unsettled"]
    rows = []
    for place, name in enumerate(("ratings", "answers")):
        asked = [trial.settled[place] for trial in own if trial.settled[place] is not None]
        rows.append([name, share(len(asked), len(own)), share(sum(filter(None, asked)), len(asked))])
    print_table("what `needs` asks for", ["more", "asked for, of the unsettled", "settled by it"], rows)


@dataclass(frozen=True, slots=True)
class Month:
    """The first decision of a month of nightly looks; `night` counts from 1 and is None where nothing was decided."""

    verdict: str
    night: int | None
    is_wrong: bool


def look_nightly(random: np.random.Generator, drawn: DrawnVersions) -> Month:
    """Looks every night at some more ratings, until something is decided."""
    order, past = random.permutation(drawn.differing), list[Look]()
    for night in range(NIGHTS):
        rated = order[: FIRST_RATED + PER_NIGHT * night]
        decision = decide(drawn, rated if len(rated) else None, past)
        if decision.look is not None:
            past = [one for one in past if one.number < decision.look.number] + [decision.look]
        if decision.verdict != "unsettled":
            return Month(decision.verdict, night + 1, is_wrong_winner(drawn, winner_of(decision)))
        if night and len(order) <= FIRST_RATED + PER_NIGHT * night:
            break  # all are rated: further nights are the same
    return Month("unsettled", None, is_wrong=False)


def print_months(seed: int, sets: Sequence[Population], months: int) -> None:
    """Months of nightly looks: versions as they are drawn, and versions that are equal, by the number of groups."""
    kinds = [("as drawn", None, None)]
    names = {population.name: population for population in sets}
    kinds += [(f"equal, {name}, {n} groups", names[name], n) for name in names for n in MONTHS.get(name, ())]
    rows: list[list[object]] = []
    for number, (name, population, groups) in enumerate(kinds):
        outcomes = []
        for month in range(months if population else 3 * months):
            random = np.random.default_rng([seed, 30, number, month])
            if population is None or groups is None:
                drawn = draw_world(random, sets, 2)
            else:
                changes = (Change(), Change(other=1.0, within_group=bool(month % 2)))
                drawn = draw_versions(random, population.split(random), changes, groups)
            outcomes.append(look_nightly(random, drawn))
        winners = [month for month in outcomes if month.verdict in ("ship", "keep")]
        wrong = sum(month.is_wrong for month in winners)
        nights = [month.night for month in outcomes if month.night is not None]
        rows.append(
            [
                name,
                share(len(nights), len(outcomes)),
                share(wrong, len(winners)),
                share(wrong, len(outcomes)),
                float(np.median(nights)) if nights else None,
            ]
        )
    print_table(
        f"first decisions of {NIGHTS} nightly looks, from {FIRST_RATED} ratings on, {PER_NIGHT} more each night",
        ["versions", "decided", "wrong, of the winners", "wrong, of all months", "median night"],
        rows,
    )


def main() -> None:
    """Simulates, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the rated sets")
    parser.add_argument("--sets", nargs="+", default=list(GROUPS))
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--triples", type=int, default=1000)
    parser.add_argument("--months", type=int, default=100, help="of equal versions, for each number of groups")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    sets = [read_population(options.data, name) for name in options.sets]
    started = time.perf_counter()
    pairs = simulate(options.seed, sets, options.pairs, 2)
    triples = simulate(options.seed, sets, options.triples, 3)
    trials = [*pairs, *triples]
    print(
        f"{options.pairs} pairs, {options.triples} triples, seed {options.seed}: {time.perf_counter() - started:.0f} s"
    )
    print_p_best([trial for trial in trials if trial.rated != ALL], options.seed)
    print_decisions(pairs, "pairs")
    print_decisions(triples, "triples")
    print_t_test(pairs, options.seed)
    print_intervals(trials)
    print_needs(trials)
    print_months(options.seed, sets, options.months)


if __name__ == "__main__":
    main()
