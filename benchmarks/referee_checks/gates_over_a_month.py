"""A gate fails in at most 5% of the months (30 nightly runs) in which nothing has changed, and finds a real fall.

The populations: answers of which each has its own mean value, and a judge whose values vary around it from run to run,
partly together within a group. `weigh_falls` and `weigh_bound` decide every nightly run of a month at once, as
`decide_gates` does one by one; the rows with four gates call `decide_gates` itself.
"""

from collections.abc import Iterator, Sequence

import checkout  # noqa: F401
import numpy as np
from scipy.special import expit, logit

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import (
    AnswerTable,
    CoverageGate,
    Evidence,
    Gate,
    History,
    JudgedRun,
    MeanGate,
    Night,
    RegressionGate,
    ShareGate,
    decide_gates,
    weigh_bound,
    weigh_falls,
)
from referee_checks.measurement import Measurement, share
from referee_checks.populations import GROUP_SIZES, Floats, number_groups

MONTH, LEVEL = 30, 0.05
EQUAL, UNEQUAL = "30 groups of 4", "12 unequal groups"


def draw_runs(
    generator: np.random.Generator, sizes: str, runs: int, *, noise: float = 0.3, shared: float = 0.0
) -> tuple[Floats, list[str]]:
    """(values (samples, runs) that only the judge's noise changes, the groups)."""
    groups = number_groups(GROUP_SIZES[sizes])
    own = generator.normal(0.7, 0.25, len(groups))
    of_group = generator.normal(size=(groups.max() + 1, runs))[groups]
    of_sample = generator.normal(size=(len(groups), runs))
    values = own[:, None] + noise * (np.sqrt(shared) * of_group + np.sqrt(1 - shared) * of_sample)
    return values, [str(group) for group in groups]


def draw_verdicts(generator: np.random.Generator, sizes: str, runs: int) -> tuple[Floats, list[str], Floats]:
    """(values 0 or 1, the groups, each sample's probability of 1): most near 1, some not."""
    groups = number_groups(GROUP_SIZES[sizes])
    likely = generator.beta(4, 1, len(groups))
    values = (generator.random((len(groups), runs)) < likely[:, None]).astype(float)
    return values, [str(group) for group in groups], likely


def draw_graded(generator: np.random.Generator, runs: int, own: float, shift: float) -> Floats:
    """Sixty answers between 0 and 1 which vary by so much in log odds, each by itself and all of a night alike."""
    quality = logit(generator.beta(5, 2, 60))[:, None]
    return np.asarray(expit(quality + generator.normal(0, own, (60, runs)) + generator.normal(0, shift, runs)))


def failed_nights(weighed: Sequence[Evidence]) -> list[int]:
    """The nightly runs that fail, counted from 0."""
    return [night for night, evidence in enumerate(weighed) if evidence.failed]


def find_falls(values: Floats, groups: Sequence[str], accepted: int = 1) -> list[int]:
    """The nightly runs after the accepted ones that fail a gate on a regression."""
    return failed_nights(weigh_falls(values, groups, accepted=accepted, allowed=0, level=LEVEL))


def find_breaks(values: Floats, groups: Sequence[str], bound: float, *, is_share: bool = False) -> list[int]:
    """The nightly runs that fail a gate on a mean or a share."""
    return failed_nights(weigh_bound(values, groups, skipped=0, bound=bound, level=LEVEL, is_share=is_share))


def false_regressions(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """Months without a change, of the gate on a regression."""
    alarm = "regression: months with a false alarm"
    cases = [
        (EQUAL, 1, 0.3, 0.0),
        (EQUAL, 3, 0.1, 0.0),
        (EQUAL, 5, 0.3, 0.3),
        ("60 groups of 1", 1, 0.2, 0.0),
        ("10 groups of 4", 1, 0.3, 0.5),
        (UNEQUAL, 1, 0.3, 0.5),
        ("7 geometric groups", 3, 0.3, 0.5),
    ]
    for sizes, accepted, noise, shared in cases:
        months = [
            bool(find_falls(*draw_runs(generator, sizes, accepted + MONTH, noise=noise, shared=shared), accepted))
            for _ in range(repeats)
        ]
        yield share(f"{sizes}, {accepted} accepted, noise {noise:g}, {shared:g} shared", alarm, months, high=LEVEL)
    months = [bool(find_falls(*draw_verdicts(generator, EQUAL, 1 + MONTH)[:2])) for _ in range(repeats)]
    yield share("verdicts 0 or 1, 1 accepted", alarm, months, high=LEVEL)
    nights = []
    for _ in range(repeats):
        candidates, groups = draw_runs(generator, EQUAL, 40 + MONTH)
        luckiest = np.argsort(candidates[:, :40].mean(axis=0))[-2:]  # the top 5% of 40 runs
        values = np.column_stack([candidates[:, generator.choice(luckiest)], candidates[:, 40:]])
        weighed = weigh_falls(values, groups, accepted=1, allowed=0, level=LEVEL)
        nights += [evidence.failed for evidence in weighed]
    yield share("the accepted run is of the luckiest 5%", "regression: nightly runs that fail", nights, high=LEVEL)
    months = [bool(find_falls(*draw_runs(generator, EQUAL, 1 + 3 * MONTH))) for _ in range(repeats // 4)]
    yield share("1 accepted, three months", "regression: with a false alarm", months, high=1 - (1 - LEVEL) ** 3)


def shared_nights(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """Nights without a change that move all answers alike, by so much in log odds; also with half of them cached."""
    for cached in (0.0, 0.5):
        for shift in (0.1, 0.15, 0.3):
            falls, breaks = [], []
            groups = number_groups([4] * 30)
            names = [str(group) for group in groups]
            for _ in range(repeats):
                own = generator.normal(1.2, 1, len(groups))[:, None] + generator.normal(0, 0.5, 30)[groups][:, None]
                likely = 1 / (1 + np.exp(-own - shift * generator.normal(size=1 + 30 * MONTH)))
                values = (generator.random(likely.shape) < likely).astype(float)
                for night in range(1, 1 + MONTH):
                    is_kept = generator.random(len(groups)) < cached
                    values[is_kept, night] = values[is_kept, night - 1]
                falls.append(bool(find_falls(values[:, : 1 + MONTH], names)))
                breaks.append(bool(find_breaks(values[:, 1 : 1 + MONTH], names, float(values.mean()), is_share=True)))
            case = f"120 verdicts, nights differ by {shift:g} log odds" + (", half cached" if cached else "")
            yield share(case, "regression: months with a false alarm", falls, high=LEVEL)
            yield share(case, "share: months with a false alarm", breaks, high=LEVEL)
    for own, shift, accepted in ((0.4, 0.15, 1), (0.4, 0.15, 5), (0.8, 0.15, 1), (0.4, 0.3, 1), (0.8, 0.3, 5)):
        falls, breaks, names = [], [], [*map(str, range(60))]
        for _ in range(repeats):
            values = draw_graded(generator, accepted + 30 * MONTH, own, shift)
            falls.append(bool(find_falls(values[:, : accepted + MONTH], names, accepted)))
            breaks.append(bool(find_breaks(values[:, :MONTH], names, float(values.mean()))))
        case = f"60 graded answers, own noise {own:g} log odds, nights differ by {shift:g}, {accepted} accepted"
        yield share(case, "regression: months with a false alarm", falls, high=LEVEL)
        yield share(case, "mean: months with a false alarm", breaks, high=LEVEL)


def nights_that_failed(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """A night of refusals between good ones, then a bot that is worse by 0.08: the bad nights teach nothing."""
    found = []
    for _ in range(repeats // 4):
        values, groups = draw_runs(generator, "60 groups of 1", 6, noise=0.02)
        values[:, 1] *= generator.random(len(values)) > 0.2
        values[:, 3:] -= 0.08
        failed = find_falls(values, groups)
        found.append(0 in failed and len(failed) > 1)
    yield share("refusals, good, worse three times", "regression: refusals and the rest fail", found, low=0.85)
    found = []
    for _ in range(repeats):
        likely = 1 / (1 + np.exp(-generator.normal(2, 1, (80, 1))))
        kept = 1 - np.array([0, 0.16, 0.28]) / likely.mean()
        values = (generator.random((80, 3)) < likely * kept).astype(float)
        found.append(bool(find_falls(values, [str(number) for number in range(80)])))
    yield share("80 verdicts, worse by .16, then by .28", "regression: found in two runs", found, low=0.45)


def neutral_releases(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """A judge that repeats itself, and a release a week that changes answers, and on average nothing."""
    months = []
    for _ in range(repeats):
        values, groups = draw_runs(generator, EQUAL, 1 + MONTH, noise=0)
        for release in range(5, MONTH, 7):
            changed = generator.random(len(values)) < 0.3
            values[:, 1 + release :] += (changed * generator.normal(0, 0.3, len(values)))[:, None]
        months.append(bool(find_falls(values, groups)))
    yield share("no noise, 4 neutral releases", "regression: months with a false alarm", months, high=LEVEL)


def false_bounds(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """Months in which the true mean or share is at its bound or 0.01 above it."""
    for sizes, shared in ((EQUAL, 0.0), ("10 groups of 4", 0.3), (UNEQUAL, 0.3)):
        for above in (0.0, 0.01):
            months = []
            for _ in range(repeats):
                values, groups = draw_runs(generator, sizes, 200 + MONTH, shared=shared)
                months.append(bool(find_breaks(values[:, 200:], groups, float(values.mean()) - above)))
            case = f"{sizes}, {shared:g} shared, true mean {above:g} above the bound"
            yield share(case, "mean: months with a false alarm", months, high=LEVEL)
    for above in (0.0, 0.01):
        months = []
        for _ in range(repeats):
            values, groups, likely = draw_verdicts(generator, EQUAL, MONTH)
            months.append(bool(find_breaks(values, groups, float(likely.mean()) - above, is_share=True)))
        yield share(f"true share {above:g} above the bound", "share: months with a false alarm", months, high=LEVEL)
    groups = [str(number) for number in range(60)]
    for failing in (0.02, 0.1):
        months = []
        for _ in range(repeats):
            values = (generator.random((60, MONTH)) >= failing).astype(float)
            months.append(bool(find_breaks(values, groups, 1 - failing, is_share=True)))
        case = f"{failing:.0%} of 60 samples without a value, the bound"
        yield share(case, "coverage: months with a false alarm", months, high=LEVEL)


def repeating_judge(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """A judge that mostly repeats itself: few answers change from run to run, the true share exactly at the bound."""
    groups = number_groups([2] * 30)
    names = [str(group) for group in groups]
    for varying in (1, 4):
        shares, means = [], []
        for _ in range(repeats):
            likely = np.where(generator.random(60) < 0.85, 1.0, 0.0)
            likely[:varying] = generator.random(varying)
            values = (generator.random((60, MONTH)) < likely[:, None]).astype(float)
            shares.append(bool(find_breaks(values, names, float(likely.mean()), is_share=True)))
            means.append(bool(find_breaks(values, names, float(likely.mean()))))
        case = f"{varying} of 60 answers varies, the true share at the bound"
        yield share(case, "share: months with a false alarm", shares, high=LEVEL)
        yield share(case, "mean: months with a false alarm", means, high=LEVEL)
    for rate, whole in ((0.2, False), (1.0, False), (0.2, True), (0.5, True)):
        bounds, falls = [], []
        for _ in range(repeats):
            if whole:
                flips = (generator.random((30, 1 + MONTH)) < rate / 30)[groups]
                values, bound = 1.0 - flips, 1 - rate / 30
            else:
                own = np.where(generator.random(60) < 0.7, 1.0, generator.beta(2, 2, 60))
                drops = np.minimum(own, generator.exponential(0.4, 60))
                values = own[:, None] - (generator.random((60, 1 + MONTH)) < rate / 60) * drops[:, None]
                bound = float((own - rate / 60 * drops).mean())
            bounds.append(bool(find_breaks(values[:, 1:], names, bound)))
            falls.append(bool(find_falls(values, names)))
        case = f"{rate:g} of 30 groups drops to 0 a night" if whole else f"{rate:g} of 60 answers drops a night"
        yield share(f"{case}, the true mean at the bound", "mean: months with a false alarm", bounds, high=LEVEL)
        yield share(case, "regression: months with a false alarm", falls, high=LEVEL)


def detected_falls(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """Falls of all answers, and of a few, by when they are found."""
    # (accepted runs, nightly runs before the fall, the fall, within how many runs, found at least this often)
    cases = [
        # what is left where nights that move all answers alike are excused: see benchmarks/results/figures.md, Gates
        (1, 10, 0.03, 7, 0.05),
        (1, 10, 0.05, 7, 0.4),
        (1, 10, 0.1, 1, 0.08),
        (1, 10, 0.1, 2, 0.5),
        (1, 10, 0.1, 3, 0.8),
        (5, 0, 0.05, 7, 0.1),
        (5, 0, 0.1, 3, 0.1),
        (5, 0, 0.2, 3, 0.8),
        (1, 0, 0.1, MONTH, 0.4),
    ]
    for accepted, quiet, fall, within, often in cases:
        detected = []
        for _ in range(repeats // 2):
            values, groups = draw_runs(generator, EQUAL, accepted + quiet + within)
            values[:, accepted + quiet :] -= fall
            detected.append(any(night >= quiet for night in find_falls(values, groups, accepted)))
        case = f"{accepted} accepted, {quiet} runs, then a fall of {fall:g}"
        yield share(case, f"regression: found within {within} runs", detected, low=often)
    detected = []
    for _ in range(repeats // 2):
        values, groups = draw_runs(generator, EQUAL, 1 + 2 * MONTH)
        values -= np.minimum(np.arange(values.shape[1]), MONTH) / MONTH * 0.1
        detected.append(bool(find_falls(values, groups)))
    yield share(
        "1 accepted, 0.1 worse over 30 runs, little by little", "regression: found in 60 runs", detected, low=0.9
    )
    for broken, often in ((1, 0.9), (2, 0.95)):
        detected = []
        for _ in range(repeats // 2):
            values, groups = draw_runs(generator, "60 groups of 1", 16, noise=0)
            for night, answers in enumerate(generator.permutation(60)[: 10 * broken].reshape(10, broken)):
                values[answers, 1 + night :] = 0
            detected.append(bool(find_falls(values, groups)))
        case = f"no noise, {broken} more of 60 answers broken on each of ten nights"
        yield share(case, "regression: found within 15 runs", detected, low=often)
    detected = []
    for _ in range(repeats // 2):
        values, groups = draw_runs(generator, EQUAL, 2, noise=0)
        broken = generator.permutation(len(values))[:8]
        values[broken, 1] = 0
        detected.append(bool(find_falls(values, groups)))
    yield share("no noise, 8 of 120 answers broken", "regression: found in one run", detected, low=0.8)
    for below, within, often in ((0.05, 7, 0.8), (0.1, 3, 0.85), (0.2, 1, 0.9)):
        detected = []
        for _ in range(repeats // 2):
            values, groups = draw_runs(generator, EQUAL, 10 + within)
            bound = float(values.mean()) - 0.05
            values[:, 10:] -= 0.05 + below
            detected.append(any(night >= 10 for night in find_breaks(values, groups, bound)))
        yield share(f"true mean {below:g} below the bound", f"mean: found within {within} runs", detected, low=often)


def early_incidents(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """One of the first nights in which 9 of 42 verdicts become 0, or 10 of 42 answers refusals; nights differ too."""
    names, found = [str(number) for number in range(42)], "regression: found on night 2 to 4"

    def is_found(likely: Floats, shift: float, fallen: int, night: int) -> bool:
        nights = expit(likely[:, None] + shift * generator.normal(size=1 + night))
        values = (generator.random((42, 1 + night)) < nights).astype(float)
        values[generator.permutation(np.flatnonzero(values[:, -1]))[:fallen], -1] = 0
        return bool(night - 1 in find_falls(values, names))

    judges = {"repeats 85%": (0.85, 0.5, 1.0), "varies": (0.0, 2.0, 2.0), "varies much": (0.0, 1.2, 1.0)}
    for judge, (certain, centre, spread) in judges.items():
        for shift in (0.1, 0.15, 0.3):
            detected = []
            for repeat in range(repeats):
                sides = np.where(generator.random(42) < 0.9, 6.0, -6.0)
                likely = np.where(generator.random(42) < certain, sides, generator.normal(centre, spread, 42))
                detected.append(is_found(likely, shift, 9, 2 + repeat % 3))
            # no more can be had: the last two fail in 5 to 10% of months of 0.3
            case = f"a judge that {judge}, nights differ by {shift:g}, 9 of 42 verdicts become 0"
            yield share(case, found, detected, low=0.8 if certain else 0.0)
    for refused, often in ((0.0, 1.0), (0.02, 0.75), (0.05, 0.15)):
        likely = np.full(42, np.inf) if not refused else np.full(42, logit(1 - refused))
        detected = [is_found(likely, 0.0, 10, 2 + repeat % 3) for repeat in range(repeats)]
        yield share(f"{refused:.0%} refused before, now 10 of 42 more", found, detected, low=often)


def four_gates(repeats: int, generator: np.random.Generator) -> Iterator[Measurement]:
    """Months of a suite with a gate of every kind, through `decide_gates`."""
    months = []
    for _ in range(repeats // 4):
        values, groups = draw_runs(generator, "10 groups of 4", 1 + MONTH)
        missing = generator.random(values.shape) < 0.03
        gates = [
            MeanGate(gate="mean", metric="m", at_least=float(values.mean()) - 0.01),
            ShareGate(gate="share", metric="m", reach=0.5, at_least=float((values >= 0.5).mean())),
            RegressionGate(gate="regression", metric="m"),
            CoverageGate(gate="coverage", at_least=0.97),
        ]
        scores = [
            {
                str(sample): {"m": None if missing[sample, run] else float(value)}
                for sample, value in enumerate(values[:, run])
            }
            for run in range(values.shape[1])
        ]
        months.append(any(_fails(gates, scores[: run + 1], groups) for run in range(1, len(scores))))
    yield share("40 samples, a gate of every kind", "suite: months with a false alarm", months, high=LEVEL)


def _fails(gates: Sequence[Gate], scores: Sequence[dict[str, dict[str, float | None]]], groups: Sequence[str]) -> bool:
    texts = {"user_input": "Free?", "response": "Yes.", "language": "en"}
    samples = {name: Sample(id=name, group=group, **texts) for name, group in zip(scores[-1], groups, strict=True)}
    of_samples = {
        name: {"m": Score(value, "failed" if value is None else "scored", "")}
        for name, values in scores[-1].items()
        for value in values.values()
    }
    table = AnswerTable({"m": True}, samples, of_samples)
    history = History(tuple(scores[:1]), tuple(map(Night, scores[1:-1])))
    results = decide_gates(gates, [JudgedRun("judge", ("m",), table, history)], false_alarms=LEVEL)
    return any(result.state == "failed" for result in results)


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Yields the false alarms of every kind of gate, and what is found."""
    generator = np.random.default_rng(seed + 4000)
    months = (false_regressions, shared_nights, neutral_releases, false_bounds, repeating_judge, four_gates)
    for part in (*months, nights_that_failed, detected_falls, early_incidents):
        yield from part(repeats, generator)
