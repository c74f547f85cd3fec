"""Measures the alarms and the intervals of a watch: false alarms per month, days until a fall is found, coverage.

    python benchmarks/watch_alarms.py [--only alarms spells late falls coverage]

Simulates chatbots in production whose true quality is known. Ratings follow a latent quality of which sessions of three
answers share a quarter; a judge's score and a cheap score follow it more or less. Of each day's answers some are judged
and some of these rated, at random. In the months without a change the quality lies exactly at the bound, where a false
alarm is most likely; a fall begins on day 31. Beside the watch stands what is usual: a fixed threshold on the judge's
mean of a day, below that of the first 30 days by 0.1 on the raters' scale, and one that was set with hindsight so that
5% of the months have a false alarm while the judge is as it was.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist

import checkout  # noqa: F401
import numpy as np
from benchmark_output import format_share, print_machine, print_table
from numpy.typing import NDArray
from scipy.special import ndtr

from assay.meta_eval.monitoring import (
    Bound,
    ProductionAnswers,
    follow_bounds,
    look_at_production,
)

Floats = NDArray[np.float64]

MONTH, FALLS, LEVEL = 30, (0.1, 0.3), 0.05
KINDS = ("mean", "bad_share", "fall", "judge_fall")
BUILT_IN = (0.02, 0.05, 0.13, 0.35, 0.45)  # of ratings 1 to 5: mean 4.16, 7% bad
SESSION, SHARED = 3, 0.25
NAIVE = 0.1


@dataclass(frozen=True)
class Setting:
    """How many answers a day there are, are judged and are rated, and what the judge is worth."""

    name: str
    answers: int = 500
    judged: int = 100
    rated: int = 10
    judge: float = 0.8  # the correlation of the judge's score with the latent quality
    # by how much of its standard deviation the judge's scores fall in 30 days though nothing changed
    drift: float = 0.0
    is_blind: bool = False  # whether the judge sees nothing of a fall
    day_effect: float = 0.0  # by how much of its standard deviation the quality of whole days varies
    spells: float = 0.0  # the correlation of the day effects of neighbouring days
    bad_days: float = 0.0  # the share of days that are bad, in place of days of all kinds


GOOD, POOR = Setting("500 / 100 / 10, good judge"), Setting("500 / 100 / 10, poor judge", judge=0.3)
SMALL = Setting("50 / 20 / 3, good judge", 50, 20, 3)
MANY = Setting("500 / 150 / 50, good judge", judged=150, rated=50)
DRIFTING = Setting("500 / 100 / 10, judge gets stricter", drift=0.5)
BLIND = Setting("500 / 100 / 10, judge blind to the fall", is_blind=True)
UNEVEN = Setting("500 / 100 / 10, days differ", day_effect=0.1)
MIDDLE = Setting("200 / 60 / 10", 200, 60)
SPELLS = [
    replace(MIDDLE, name=f"{MIDDLE.name}, {name}", day_effect=effect, spells=0.6, bad_days=bad_days)
    for name, effect, bad_days in (
        ("days .04 of the variance, correlation .6", 0.2, 0.0),
        ("days .2 of the variance, correlation .6", np.sqrt(0.2), 0.0),
        ("a fifth of days worse by .5, correlation .6", 0.5, 0.2),
        ("a fifth of days worse by 1, correlation .6", 1.0, 0.2),
    )
]


class Population:
    """Ratings of any distribution, that follow a latent quality."""

    def __init__(self, ratings: Sequence[float], shares: Sequence[float]) -> None:
        self._ratings = np.asarray(ratings, float)
        self._cuts = np.array([NormalDist().inv_cdf(min(share, 1 - 1e-12)) for share in np.cumsum(shares)[:-1]])
        self.mean, self.bad_share = self._means(0.0)
        self.shifts = {fall: self._shift(fall) for fall in (0.0, *FALLS)}
        grid = np.linspace(-4, 4, 2001)
        weights = np.exp(-(grid**2) / 2)
        self.slope = float((weights * grid * self.rate(grid)).sum() / weights.sum())  # of ratings on the quality

    def rate(self, quality: Floats) -> Floats:
        """The rating of answers of some quality."""
        return np.asarray(self._ratings[np.searchsorted(self._cuts, quality)])

    def _means(self, shift: float) -> tuple[float, float]:
        shares = np.diff(np.concatenate([[0.0], ndtr(self._cuts + shift), [1.0]]))
        return float(shares @ self._ratings), float(shares[self._ratings < 3].sum())

    def _shift(self, fall: float) -> float:
        low, high = 0.0, 5.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.mean - self._means(middle)[0] < fall else (low, middle)
        return high if fall else 0.0

    def draw(
        self,
        generator: np.random.Generator,
        setting: Setting,
        days: int,
        *,
        fall: float = 0.0,
        segments: int = 0,
    ) -> tuple[ProductionAnswers, Floats]:
        """Returns (answers, the rating of each); the fall begins on day 30, counted from 0."""
        n = days * setting.answers
        day = np.repeat(np.arange(days), setting.answers)
        group = np.arange(n) // SESSION
        quality = np.sqrt(1 - SHARED) * generator.normal(size=n)
        quality += np.sqrt(SHARED) * generator.normal(size=group[-1] + 1)[group]
        if not setting.bad_days:  # the quality of all answers has variance 1
            quality *= np.sqrt(1 - setting.day_effect**2)
        quality += draw_days(generator, setting, days)[day]
        fallen = quality - self.shifts[fall] * (day >= MONTH)
        ratings = self.rate(fallen)
        seen = quality if setting.is_blind else fallen
        judge = setting.judge * seen + np.sqrt(1 - setting.judge**2) * generator.normal(size=n)
        judge -= setting.drift * day / MONTH
        is_judged = generator.random(n) < setting.judged / setting.answers
        is_rated = is_judged & (generator.random(n) < setting.rated / setting.judged)
        names = {"segment": [f"s{value}" for value in generator.integers(0, segments, n)]} if segments else {}
        answers = ProductionAnswers(
            day,
            group,
            0.4 * quality + generator.normal(size=n),
            np.full(n, setting.judged / setting.answers),
            np.where(is_judged, 0.5 + 0.1 * judge, np.nan),
            np.where(is_judged, setting.rated / setting.judged, np.nan),
            np.where(is_rated, ratings, np.nan),
            names,
        )
        return answers, ratings

    def bounds(self, setting: Setting = GOOD) -> dict[str, Bound]:
        """The bounds that this population just keeps."""
        bad, depth = setting.bad_days, setting.day_effect
        mean, bad_share = bad * np.array(self._means(depth * (1 - bad))) + (1 - bad) * np.array(
            self._means(-bad * depth)
        )
        if not bad:
            mean, bad_share = self.mean, self.bad_share
        limits = {"mean": float(mean), "bad_share": float(bad_share), "fall": 0.0, "judge_fall": 0.0}
        return {kind: Bound(kind, limits[kind]) for kind in KINDS}  # type: ignore[arg-type]

    def judge_days(self, answers: ProductionAnswers, setting: Setting) -> Floats:
        """How far the judge's mean of each day lies below that of the first 30, on the raters' scale."""
        is_judged = ~np.isnan(answers.judged)
        counts = np.bincount(answers.days[is_judged], minlength=int(answers.days[-1]) + 1)
        sums = np.bincount(answers.days[is_judged], weights=answers.judged[is_judged], minlength=len(counts))
        means = sums / np.maximum(counts, 1)
        return np.asarray((means[:MONTH].mean() - means) * 10 * setting.judge * self.slope)


def draw_days(generator: np.random.Generator, setting: Setting, days: int) -> Floats:
    """What each day adds to the quality, 0 on average: a normal variable, or bad days among good ones."""
    if not setting.spells:
        return setting.day_effect * generator.normal(size=days)
    steps, values = (
        (generator.random(days), np.empty(days)) if setting.bad_days else (generator.normal(size=days), np.empty(days))
    )
    share, own = setting.bad_days, np.sqrt(1 - setting.spells**2)
    for day in range(days):
        before = values[day - 1] if day else None
        if share:
            chance = share if before is None else share + setting.spells * (before - share)
            values[day] = float(steps[day] < chance)
        else:
            values[day] = steps[day] if before is None else setting.spells * before + own * steps[day]
    return setting.day_effect * (share - values if share else values)


def raised_days(answers: ProductionAnswers, bounds: Sequence[Bound], *, alone: bool = True) -> list[list[int]]:
    """Per bound, the days on which its alarm was raised, where it is the only one or shares the false alarms."""
    histories = follow_bounds(answers, bounds, false_alarms=LEVEL * len(bounds) if alone else LEVEL)
    return [
        [day for day, state in enumerate(states) if state.is_raised and state.raised_at == day] for states in histories
    ]


def tuned_threshold(population: Population, setting: Setting, watches: int) -> float:
    """Returns how far the judge's mean of a day falls in 5% of months in which neither quality nor judge changes."""
    generator, steady = np.random.default_rng(99), replace(setting, drift=0.0)
    lowest = [
        population.judge_days(population.draw(generator, steady, 2 * MONTH)[0], steady)[MONTH:].max()
        for _ in range(watches)
    ]
    return float(np.quantile(lowest, 1 - LEVEL))


def false_alarms(population: Population, settings: Sequence[tuple[Setting, int]], seed: int) -> None:
    """Prints the share of months with a false alarm."""
    rows = list[list[object]]()
    bounds = population.bounds()
    for setting, watches in settings:
        generator = np.random.default_rng(seed)
        alarms = {name: [list[bool](), list[bool]()] for name in (*KINDS, "all four together")}
        lowest = list[float]()
        for _ in range(watches):
            answers, _ratings = population.draw(generator, setting, 2 * MONTH)
            days = raised_days(answers, list(bounds.values()))
            together = [day for own in raised_days(answers, list(bounds.values()), alone=False) for day in own]
            for name, own in zip(alarms, [*days, together], strict=True):
                alarms[name][0].append(any(day < MONTH for day in own))
                alarms[name][1].append(any(day >= MONTH for day in own))
            lowest.append(float(population.judge_days(answers, setting)[MONTH:].max()))
        tuned = tuned_threshold(population, setting, watches)
        for name, (first, second) in alarms.items():
            rows.append([setting.name, watches, name, format_share(first), format_share(second)])
        for name, threshold in (("judge's day < -0.1", NAIVE), ("judge's day, tuned", tuned)):
            rows.append([setting.name, watches, name, "", format_share([value > threshold for value in lowest])])
    header = ["answers / judged / rated a day", "months", "bound", "first month", "second month"]
    print_table("False alarms: share of months in which one is raised", header, rows)


def spells_of_days(population: Population, settings: Sequence[Setting], watches: int, seed: int) -> None:
    """Prints the share of months with a false alarm where good and bad days come in spells."""
    rows = list[list[object]]()
    kinds = ("mean", "bad_share")
    for setting in settings:
        generator, bounds = np.random.default_rng(seed), population.bounds(setting)
        months = []
        for _ in range(watches):
            answers = population.draw(generator, setting, 2 * MONTH)[0]
            months.append(
                [
                    (any(day < MONTH for day in days), any(day >= MONTH for day in days))
                    for days in raised_days(answers, [bounds[kind] for kind in kinds])
                ]
            )
        for kind, of_kind in zip(kinds, zip(*months, strict=True), strict=True):
            rows.append([setting.name, kind, *(format_share(column) for column in zip(*of_kind, strict=True))])
    header = ["answers / judged / rated a day", "bound", "first month", "second month"]
    print_table(f"False alarms where days come in spells, {watches:,} watches per row", header, rows)


def late_ratings(population: Population, watches: int, seed: int) -> None:
    """Prints the share of months with a false alarm of the mean where each look has the ratings that came by then.

    Ratings come on any of the 8 days from that of the answer, or those of bad answers at once and the others in a week.
    What still is to come is known, as in a queue of raters, or it is not, as for annotations. Beside it how often, and
    after how many days, a fall of 0.3 is found.
    """
    rows = list[list[object]]()
    for name, is_bad_first, is_known in (
        ("at once", None, True),
        ("any of 8 days", False, True),
        ("any of 8 days, nobody knows", False, False),
        ("bad ones at once, others within 8 days", True, True),
        ("bad ones at once, nobody knows", True, False),
    ):
        results = list[list[object]]()
        for fall in (0.0, 0.3):
            generator, firsts, seconds = np.random.default_rng(seed), list[bool](), list[float]()
            for _ in range(watches):
                answers = population.draw(generator, MIDDLE, 2 * MONTH, fall=fall)[0]
                lateness = generator.integers(0, 8, len(answers.days)) * (is_bad_first is not None)
                if is_bad_first:
                    lateness = np.where(answers.ratings < population.mean, 0, lateness)
                raised = late_alarms(answers, answers.days + lateness, population.bounds()["mean"], is_known=is_known)
                firsts.append(any(day < MONTH for day in raised))
                seconds.append(next((day - MONTH + 1.0 for day in raised if day >= MONTH), np.inf))
            found = format_share([value <= MONTH for value in seconds])
            results.append([format_share(firsts), found, _days(np.quantile(seconds, 0.5, method="higher"))])
        rows.append([name, *results[0][:2], *results[1][1:]])
    header = ["ratings come", "first month", "second month", "fall of .3: in 30 days", "median days"]
    title = f"False alarms of the mean where ratings come late ({MIDDLE.name}), {watches:,} watches per row"
    print_table(title, header, rows)


def late_alarms(answers: ProductionAnswers, there: Floats, bound: Bound, *, is_known: bool) -> list[int]:
    """The days at whose end an alarm stands that did not stand the day before."""
    stood = [False]
    for day in range(int(answers.days.max()) + 1):
        rows = slice(0, int(np.searchsorted(answers.days, day, side="right")))
        is_late = there[rows] > day
        seen = select(answers, rows)
        awaited = is_late & ~np.isnan(seen.ratings) if is_known else None
        seen = replace(seen, ratings=np.where(is_late, np.nan, seen.ratings), is_awaited=awaited)
        [states] = follow_bounds(seen, [bound])
        stood.append(bool(states) and states[-1].is_raised)
    return [day for day, (before, now) in enumerate(pairwise(stood)) if now and not before]


def detections(population: Population, settings: Sequence[Setting], watches: int, seed: int) -> None:
    """Prints the days until a fall is found."""
    rows, bounds = list[list[object]](), population.bounds()
    for setting in settings:
        tuned = tuned_threshold(population, setting, 2 * watches)
        for fall in FALLS:
            generator = np.random.default_rng(seed)
            firsts = {name: list[float]() for name in (*KINDS, "judge's day < -0.1", "judge's day, tuned")}
            for _ in range(watches):
                answers, _ratings = population.draw(generator, setting, 3 * MONTH, fall=fall)
                days = raised_days(answers, list(bounds.values()))
                below = population.judge_days(answers, setting)
                days += [np.flatnonzero(below > limit).tolist() for limit in (NAIVE, tuned)]
                for name, own in zip(firsts, days, strict=True):
                    firsts[name].append(next((day - MONTH + 1.0 for day in own if day >= MONTH), np.inf))
            for name, values in firsts.items():
                middle, slow = (_days(np.quantile(values, share, method="higher")) for share in (0.5, 0.9))
                within = [format_share([value <= limit for value in values]) for limit in (MONTH, 2 * MONTH)]
                rows.append([setting.name, f"{fall:g}", name, middle, slow, *within])
    header = ["answers / judged / rated a day", "fall", "found by", "median days", "90%", "in 30 days", "in 60 days"]
    print_table(f"Days until a fall is found, {watches:,} watches per row", header, rows)


def _days(value: float) -> str:
    return f"{value:.0f}" if np.isfinite(value) else "over 60"


def coverage(population: Population, settings: Sequence[Setting], watches: int, seed: int, *, days: int) -> None:
    """Prints the share of watches whose intervals hold what raters would have said at every look."""
    rows = list[list[object]]()
    step = 1 if days <= 2 * MONTH else 3
    for setting in settings:
        for fall in (0.0, 0.3):
            generator = np.random.default_rng(seed)
            held, single = {name: list[bool]() for name in _FIGURES}, {name: list[bool]() for name in _FIGURES}
            widths = {name: list[float]() for name in _FIGURES}
            for _ in range(watches):
                answers, ratings = population.draw(generator, setting, days, fall=fall, segments=4)
                looks = {name: list[bool]() for name in _FIGURES}
                for day in range(1, days, step):
                    for name, is_held, width in _held(answers, ratings, day):
                        looks[name].append(is_held)
                        widths[name].append(width)
                for name in _FIGURES:
                    held[name].append(all(looks[name]))
                    single[name] += looks[name]
            rows += [
                [
                    f"{setting.name}{', fall of 0.3' if fall else ''}",
                    name,
                    format_share(held[name]),
                    f"{np.mean(single[name]):.4f}",
                    float(np.median(widths[name])),
                ]
                for name in _FIGURES
            ]
    header = ["answers / judged / rated a day", "figure", "holds at every look", "at one look", "median width"]
    print_table(f"Coverage over {days} days of looks, {watches:,} watches per row", header, rows)


_FIGURES = ("mean", "bad share", "mean of 4 segments", "bad share of 4 segments")


def _held(answers: ProductionAnswers, ratings: Floats, day: int) -> Iterator[tuple[str, bool, float]]:
    """(figure, whether its interval holds the truth, its width), at the end of a day."""
    first = max(0, day - MONTH + 1)
    rows = slice(*np.searchsorted(answers.days, [max(0, first - MONTH), day + 1]))
    seen = select(answers, rows)
    look = look_at_production(seen, [])
    is_in, is_bad = seen.days >= first, ratings[rows] < 3
    names = np.array(seen.segments["segment"])
    parts = [("mean", look.mean, ratings[rows], is_in), ("bad share", look.bad_share, is_bad, is_in)]
    for segment in look.segments:
        own = is_in & (names == segment.value)
        parts.append(("mean of 4 segments", segment.mean, ratings[rows], own))
        parts.append(("bad share of 4 segments", segment.bad_share, is_bad, own))
    for name, estimate, values, own in parts:
        if estimate.low is not None and estimate.high is not None:
            truth = float(values[own].mean())
            yield name, estimate.low - 1e-9 <= truth <= estimate.high + 1e-9, estimate.high - estimate.low


def select(answers: ProductionAnswers, rows: slice) -> ProductionAnswers:
    """Returns some of the answers."""
    names = ("days", "groups", "cheap", "judge_chance", "judged", "rating_chance", "ratings")
    segments = {name: values[rows] for name, values in answers.segments.items()}
    return replace(answers, **{name: getattr(answers, name)[rows] for name in names}, segments=segments)


def main() -> None:
    """Prints the tables; the same seed gives the same watches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watches", type=int, default=1000, help="simulated watches of the first rows")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    population = Population([1, 2, 3, 4, 5], BUILT_IN)
    print_machine()
    print(f"ratings: mean {population.mean:.3f}, bad share {population.bad_share:.3f}")
    few, seed = max(1, options.watches // 5), options.seed
    if "alarms" in options.only:
        many = [(setting, options.watches) for setting in (GOOD, SMALL)]
        some = [(setting, few) for setting in (POOR, MANY, UNEVEN, DRIFTING)]
        false_alarms(population, [*many, *some], seed)
    if "spells" in options.only:
        spells_of_days(population, SPELLS, options.watches, seed + 3)
    if "late" in options.only:
        late_ratings(population, few, seed + 4)
    if "falls" in options.only:
        detections(population, [GOOD, POOR, SMALL, MANY, BLIND], few, seed + 1)
    if "coverage" in options.only:
        coverage(population, [GOOD, SMALL, DRIFTING], few, seed + 2, days=2 * MONTH)


PARTS = ("alarms", "spells", "late", "falls", "coverage")


if __name__ == "__main__":
    main()
