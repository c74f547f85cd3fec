"""The number of ratings that `assay decide` asks for settles it in about 8 of 10 cases."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval.decision import VersionTable, decide_versions

from .measurement import Measurement, share
from .populations import draw_versions, mean_rating, number_groups

_CASES = ((0.3, 40), (0.5, 14))  # how much better B is, and how many are rated: settled in about half of the tables
# questions of each version, how many are rated of A and of B, and how much better B is
_UNPAIRED = ((200, (40, 40), 0.4), (200, (40, 20), 0.5), (100, (100, 15), 0.5), (40, (40, 40), 0.4))
# the groups and their size, and how much better B is: of a half that is rated p is about .05 to .1
_HALVES = ((120, 1, 0.35), (12, 10, 0.5))
_NEAR = 0.15  # of the true difference: so near are the tables of which the number is read


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """The number that is asked for where the difference seen is the true one: it settles it, and a tenth does not."""
    for gain, rated in _CASES:
        truth, totals = mean_rating(gain) - mean_rating(0.0), []
        for repeat in range(repeats):
            decision = decide_versions(_draw([seed, repeat], rated, gain))
            is_near = abs(decision.differences[0].difference - truth) <= _NEAR * truth
            if is_near and decision.needs.answers is not None and not decision.needs.is_equal:
                totals.append(rated + decision.needs.answers)
        asked = int(np.median(totals))
        for times, low, high in ((1.0, 0.65, 0.9), (0.1, 0.0, 0.3)):
            count = max(8, round(asked * times))
            later = [decide_versions(_draw([seed, 1, repeat], count, gain)) for repeat in range(repeats)]
            case = f"B +{gain}, {times:g} of the {asked} that are asked for"
            yield share(case, "settles it", [one.verdict == "ship" for one in later], low=low, high=high)
    yield from _measure_halves(repeats, seed)
    yield from _measure_unpaired(repeats, seed)
    needs = [decide_versions(_draw([seed, 2, repeat], 40, 0.0)).needs for repeat in range(repeats)]
    named = [one.answers is not None and not one.is_equal for one in needs]
    yield share("equal versions", "a number is said that would settle it", named, high=0.25)


def _measure_halves(repeats: int, seed: int) -> Iterator[Measurement]:
    """The same where half of the answers are rated: the other half and the new answers, in new groups, settle it."""
    for groups, size, gain in _HALVES:
        truth, count, asked = mean_rating(gain) - mean_rating(0.0), groups * size, []
        for repeat in range(2 * repeats):
            decision = decide_versions(_draw_half([seed, 5, repeat], [size] * groups, gain))
            (row,), needs = decision.differences, decision.needs
            is_near = abs(row.difference - truth) <= _NEAR * truth and row.p is not None and 0.05 <= row.p <= 0.1
            if is_near and needs.answers is not None and needs.ratings is not None and not needs.is_equal:
                asked.append(needs.answers)
        more = int(np.median(asked))
        sizes = [size] * (groups + more // size) + ([more % size] if more % size else [])
        settled = []
        for repeat in range(repeats):
            later = draw_versions(np.random.default_rng([seed, 6, repeat]), number_groups(sizes), [0.0, gain])
            settled.append(decide_versions(later).verdict == "ship")
        case = f"{count // 2} of {count} rated in groups of {size}, B +{gain}, the rest and {more} new answers of each"
        yield share(case, "settles it", settled, low=0.7, high=0.9)


def _draw_half(seed: Sequence[int], sizes: list[int], gain: float) -> VersionTable:
    """Two versions without scores, of which a random half of the questions is rated."""
    generator, count = np.random.default_rng(seed), sum(sizes)
    rated = (generator.permutation(count) % 2).astype(float)
    table = draw_versions(generator, number_groups(sizes), [0.0, gain], rated=rated)
    return replace(table, scores=np.full(2 * count, np.nan))


def _measure_unpaired(repeats: int, seed: int) -> Iterator[Measurement]:
    """The same of versions without a question in common, of which a part is rated, or all is; looks are counted."""
    for count, rated, gain in _UNPAIRED:
        truth, asked = mean_rating(gain) - mean_rating(0.0), []
        for repeat in range(2 * repeats):
            decision = decide_versions(_draw_unpaired([seed, 3, repeat], count, rated, gain))
            needs, is_near = decision.needs, abs(decision.differences[0].difference - truth) <= _NEAR * truth
            if is_near and decision.verdict == "unsettled" and not needs.is_equal and not needs.is_beyond:
                asked.append((needs.version, needs.answers or 0, needs.ratings or 0))
        version, answers, ratings = sorted(asked)[len(asked) // 2]
        for times, low, high in ((1.0, 0.65, 0.92), (0.1, 0.0, 0.45)):
            more = round(times * (answers or ratings))
            later = tuple(
                one + (more if not version or version == name else 0) for one, name in zip(rated, "AB", strict=True)
            )
            settled = []
            for repeat in range(repeats):
                seeds = [seed, 4, repeat]
                if answers:
                    decision = decide_versions(_draw_unpaired(seeds, count + more, (count + more,) * 2, gain))
                else:
                    first = decide_versions(_draw_unpaired(seeds, count, rated, gain))
                    looks = [first.look] if first.look is not None else []
                    decision = decide_versions(_draw_unpaired(seeds, count, later, gain), looks=looks)
                settled.append(decision.verdict == "ship")
            what = f"{more} more {'answers' if answers else 'ratings'} of {version or 'each'}"
            case = f"unpaired, {rated[0]} and {rated[1]} of {count} rated, B +{gain}, {what}"
            yield share(case, "settles it", settled, low=low, high=high)


def _draw_unpaired(seed: Sequence[int], count: int, rated: tuple[int, ...], gain: float) -> VersionTable:
    """Two versions with questions of their own, the first so many of which are rated."""
    table = draw_versions(np.random.default_rng(seed), number_groups([1] * (2 * count)), [0.0, gain])
    kept = (table.version == 0) == (table.question < count)
    place = np.where(table.version == 0, table.question, table.question - count)[kept]
    is_rated = place < np.array(rated)[table.version[kept]]
    columns = {name: getattr(table, name)[kept] for name in ("version", "question", "group", "scores", "text")}
    return replace(table, **columns, ratings=np.where(is_rated, table.ratings[kept], np.nan))


def _draw(seed: Sequence[int], count: int, gain: float) -> VersionTable:
    return draw_versions(np.random.default_rng(seed), number_groups([1] * count), [0.0, gain])
