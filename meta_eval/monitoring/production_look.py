"""A look at a chatbot in production: its quality in the raters' scale, by segment, and what changed."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from ...errors import UsageError
from ...text.wording import count_of
from ..arrays import Bools
from ..estimate import Estimate
from ..groups import FEWEST_GROUPS, FEWEST_RATED
from .bound_evidence import FALSE_ALARMS, AlarmState, WeighedBound
from .day_sums import DaySums
from .incident_days import IncidentDays
from .look import Bound, BoundState, Look, SegmentLook
from .outcome_terms import corrected_terms, judge_terms
from .production_answers import ProductionAnswers, SamplingDesign
from .window_estimate import LOOKS_ERROR, NO_RATINGS, estimate_window

_MOST_SEGMENTS = 20  # per field
_LATEST = 7  # days after which a rating that did not come is no longer waited for
_LAST_DAYS = 7  # of which the figure of a fall is while the first days still go on
_SUGGESTS = 0.5  # the share of months without a change that show as much: below it, a run of days suggests one
_LARGEST_SCORE = 1e50  # of a judge: the cubes of larger ones are no numbers


def look_at_production(
    answers: ProductionAnswers,
    bounds: Sequence[Bound],
    *,
    window: int = 30,
    day_name: Callable[[int], str] = "day {}".format,
) -> Look:
    """Estimates the quality of production in the raters' scale, and says which bounds are broken, and since when.

    The mean rating and the share of bad answers are those of all answers of the last `window` days that were in a draw:
    what the raters would say of them (`estimate_window`). Quality may drift: the figure is the average of the answers,
    so that a day counts by how many it has. The judge may be worth anything: the drawn ratings correct it. In 95% of
    cases all intervals of `mean` hold at all looks of two months, and so do those of `bad_share` and of all segments.

    A bound is broken where the last 1 to 30 whole days say so by more than they would in 5% of months in which the
    figure keeps the bound on all days, all bounds together: each of them has an equal share (`monthly_p_value`). The
    newest day counts for the bounds when it is over, so that several looks a day are one, and a day whose ratings are
    still to come counts when they have come, or after 7 days: what is rated first may be the worst. What an alarm is
    and when it is cleared: `AlarmState`. Falls are measured against the first `window` days, or those before the change
    where it began within them.

    Raises:
        UsageError: There are no answers, or `window` is below 1.
    """
    level = FALSE_ALARMS / max(1, len(bounds))
    production = _Production(answers, window=window, day_name=day_name)
    segments, notes = production.segments()
    return Look(
        day=int(answers.days.max()),
        answers=len(answers.days),
        judged=int((~np.isnan(answers.judged)).sum()),
        rated=int((~np.isnan(answers.ratings)).sum()),
        mean=_of_enough(estimate_window(production.mean_terms, production.is_in)),
        bad_share=_of_enough(estimate_window(production.bad_terms, production.is_in)),
        segments=tuple(segments),
        bounds=tuple(production.state(bound, level, len(bounds)) for bound in bounds),
        notes=(*production.notes(bounds), *notes),
    )


def _of_enough(estimate: Estimate) -> Estimate:
    """The estimate, without its value where hardly anything is rated, as everywhere a mean rating is told of others."""
    if estimate.value is None or (estimate.n or 0) >= FEWEST_RATED:
        return estimate
    problem = f"only {count_of(estimate.n or 0, 'rating')} of answers that were drawn, and {FEWEST_RATED} are needed"
    return Estimate(None, n=estimate.n, groups=estimate.groups, problem=problem)


def follow_bounds(
    answers: ProductionAnswers, bounds: Sequence[Bound], *, false_alarms: float = FALSE_ALARMS
) -> list[list[AlarmState]]:
    """Says of each bound whether its alarm stood after each day, as a look at the end of every day would have.

    Every day counts as whole, the newest too, up to one whose ratings are still to come. `false_alarms` is the share
    of months in which any bound may be called broken that is kept. Returns per bound one state per such day that has
    answers; no states of a bound of which nothing can be said.
    """
    production = _Production(answers)
    weighings = [production.weigh(bound, false_alarms / max(1, len(bounds))) for bound in bounds]
    return [
        [] if isinstance(weighed, str) else weighed.history(production.settled(bound))
        for bound, weighed in zip(bounds, weighings, strict=True)
    ]


class _Production:
    """The answers with what is made of them."""

    def __init__(self, answers: ProductionAnswers, *, window: int = 30, day_name: Callable[[int], str] = str) -> None:
        if not len(answers.days):
            raise UsageError("there are no answers to look at")
        if window < 1:
            raise UsageError(f"window must be 1 day or more, not {window}")
        self._answers, self._window, self._day_name = answers, window, day_name
        self._design = SamplingDesign.of_answers(answers)
        self._scale = (answers.rating_min, answers.rating_max)
        is_bad = np.where(np.isnan(answers.ratings), np.nan, answers.ratings < answers.bad_below)
        self.mean_terms = corrected_terms(answers, self._design, answers.ratings, extent=self._scale, rises=True)
        self.bad_terms = corrected_terms(answers, self._design, is_bad, extent=(0.0, 1.0), rises=False)
        self.is_in = np.asarray(answers.days > answers.days.max() - window)
        self._day_numbers = self.mean_terms.day_numbers
        self._reference = (0, int(np.searchsorted(self._day_numbers, window - 1, side="right")))

    @cached_property
    def incidents(self) -> IncidentDays:
        """The days on which something happened that was over the next day, as any of the figures shows them."""
        judge = judge_terms(self._answers, self._design)
        rated = (self.mean_terms, self.bad_terms) if self.mean_terms.is_rated.any() else ()
        usable = [
            terms for terms in (*rated, judge) if terms.width > 0 and max(map(abs, terms.extent)) <= _LARGEST_SCORE
        ]
        return IncidentDays([DaySums(terms, tail=1) for terms in usable])

    def settled(self, bound: Bound) -> int:
        """How many days are there, up to one whose ratings are still to come; the judge's scores wait for none."""
        numbers, awaited = self._day_numbers, self._answers.is_awaited
        if awaited is None or bound.kind == "judge_fall":
            return len(numbers)
        days = numbers[np.unique(self.mean_terms.day[awaited])]
        return int(np.searchsorted(numbers, days[days > numbers[-1] - _LATEST].min(initial=numbers[-1] + 1)))

    def _whole(self, bound: Bound) -> int:
        """How many days count for a bound: those that are settled and over."""
        return min(self.settled(bound), len(self._day_numbers) - 1)

    def segments(self) -> tuple[list[SegmentLook], list[str]]:
        """The segments of the window, those with most answers first, and what was left out.

        All that have ratings share the error.
        """
        members, notes = list[tuple[str, str, Bools]](), list[str]()
        for name, column in self._answers.segments.items():
            numbers = {value: number for number, value in enumerate(sorted(set(filter(None, column))))}
            place = np.array([numbers.get(value or "", -1) for value in column], dtype=int)
            counts = np.bincount(place[self.is_in & (place >= 0)], minlength=len(numbers))
            values = list(numbers)
            order = [number for number in np.argsort(-counts, kind="stable").tolist() if counts[number]]
            members += [
                (name, str(values[number]), self.is_in & (place == number)) for number in order[:_MOST_SEGMENTS]
            ]
            if len(order) > _MOST_SEGMENTS:
                notes.append(
                    f"{name} has {count_of(len(order), 'value')}: those {_MOST_SEGMENTS} with most answers are shown."
                )
        share = LOOKS_ERROR / max(1, sum(bool((rows & self.mean_terms.is_rated).any()) for _, _, rows in members))
        both, segments = (self.mean_terms, self.bad_terms), list[SegmentLook]()
        for name, value, rows in sorted(members, key=lambda member: -int(member[2].sum())):
            mean, bad_share = (estimate_window(terms, rows, error=share) for terms in both)
            segments.append(SegmentLook(name, value, int(rows.sum()), mean, bad_share))
        return segments, notes

    def weigh(self, bound: Bound, level: float) -> WeighedBound | str:
        """The bound as its evidence is weighed, or why it cannot be."""
        terms, needed = self.bad_terms if bound.kind == "bad_share" else self.mean_terms, "ratings"
        if bound.kind == "judge_fall":
            terms, needed = judge_terms(self._answers, self._design), "judged answers"
        elif not terms.is_rated.any():
            return NO_RATINGS
        if len(np.unique(terms.group[terms.is_rated])) < FEWEST_GROUPS:
            return f"{needed} in {count_of(FEWEST_GROUPS, 'group')} are needed"
        if not terms.width > 0:
            return "all scores of the judge are equal so far"
        if max(map(abs, terms.extent)) > _LARGEST_SCORE:
            return f"the judge's scores go beyond {_LARGEST_SCORE:g}"
        sign = -1 if bound.kind == "bad_share" else 1
        reference = self._reference if bound.kind in {"fall", "judge_fall"} else None
        return WeighedBound(terms, DaySums(terms, tail=-sign), bound.limit, sign, reference, level, self.incidents)

    def state(self, bound: Bound, level: float, bounds: int) -> BoundState:
        """The state of a bound at this look."""
        weighed = self.weigh(bound, level)
        if isinstance(weighed, str):
            sentence = f"Whether {_NAMES[bound.kind]} keeps its bound cannot be said: {weighed}."
            return BoundState(bound, False, Estimate(None, n=0, groups=0, problem=weighed), 1.0, None, sentence)
        whole = self._whole(bound)
        state = (weighed.history(whole) or [AlarmState()])[-1]
        estimate, first = self._figure(weighed, whole, state)
        since = None if state.since is None else int(self._day_numbers[state.since])
        p = min(1.0, state.p * bounds)
        # after an alarm the window holds the days of it too
        is_beyond = not state.is_raised and not state.restart and _is_beyond(bound, estimate)
        sentence = self._sentence(bound, state, estimate, whole, first, is_beyond=is_beyond)
        return BoundState(bound, state.is_raised, estimate, p, since, sentence, is_beyond)

    def _figure(self, weighed: WeighedBound, whole: int, state: AlarmState) -> tuple[Estimate, int]:
        """(the figure, the place of its first day): since the change, or of the window.

        Of a fall without an alarm it is that of the days which suggest one, where some do: days before the change among
        those after it would hide it, and the fall would pass for how days differ.
        """
        last = max(0, whole - 1)
        if state.since is not None:
            return weighed.figure(state.since, last, state), state.since
        if weighed.reference is None:
            return estimate_window(weighed.terms, self.is_in), 0
        evidence = weighed.evidence(last, state)
        if evidence.start is not None and evidence.p < _SUGGESTS:
            return weighed.figure(evidence.start, last, state), evidence.start
        window = int(np.searchsorted(self._day_numbers, self._day_numbers[last] - self._window + 1))
        end = weighed.reference[1]
        if end > last:  # the days of the reference are not over: the last week is compared with those before it
            end = int(np.searchsorted(self._day_numbers, self._day_numbers[last] - _LAST_DAYS + 1))
        first = max(window, end, min(1, last))
        return weighed.figure(first, last, state), first

    def _sentence(
        self, bound: Bound, state: AlarmState, estimate: Estimate, whole: int, first: int, *, is_beyond: bool
    ) -> str:
        """What changed, since when, or whether the bound is kept; the days counted are those that the figure is of."""
        figure = _NAMES[bound.kind]
        number = _format(bound, estimate)
        limit = f"{bound.limit:.0%}" if bound.kind == "bad_share" else f"{bound.limit:g}"
        side, beyond = ("at least", "below") if bound.kind == "mean" else ("at most", "above")
        began = int(self._day_numbers[first])
        if state.is_raised:
            since = f"{self._day_name(began)} ({count_of(int(self._day_numbers[whole - 1]) - began + 1, 'day')})"
            text = f"{figure} is {beyond} {limit} since {since}: {_format(bound, estimate, of_alarm=True)}."
        elif state.restart:
            since = self._day_name(int(self._day_numbers[state.restart]))
            text = f"{figure} is back to {side} {limit} since {since}: {number}."
        elif is_beyond:
            text = f"{figure} is {beyond} {limit}; not yet sure by days, so that no alarm stands: {number}."
        else:
            if bound.kind in {"fall", "judge_fall"}:
                number = _format_fall(estimate, self._day_name(began))
            end, sign = (estimate.low, -1) if bound.kind == "mean" else (estimate.high, 1)
            kept = "bound kept" if end is not None and sign * end <= sign * bound.limit else "not sure yet"
            text = f"{_SHORT_NAMES[bound.kind]} of {side} {limit}: {number}: {kept}."
        return text[0].upper() + text[1:]

    def notes(self, bounds: Sequence[Bound]) -> Iterator[str]:
        """What the figures rest on and what was left out."""
        answers, design = self._answers, self._design
        counted = self.is_in & design.is_counted
        rated = int((self.is_in & self.mean_terms.is_rated).sum())
        if not self.mean_terms.is_rated.any():
            yield _without_ratings(answers)
        else:
            judged = int((self.is_in & (design.judge_weight > 0)).sum())
            yield (
                f"The figures of the last {count_of(self._window, 'day')} rest on {count_of(rated, 'rating')}, "
                f"{count_of(judged, 'judged answer')} and {count_of(int(counted.sum()), 'answer')} that could be drawn."
            )
        left_out = int((self.is_in & ~design.is_counted).sum())
        if left_out and self.mean_terms.is_rated.any():
            yield f"{count_of(left_out, 'answer')} of these days could not be drawn: the figures are not about them."
        if design.unused_ratings:
            yield (
                f"{count_of(design.unused_ratings, 'rating')} of answers that were not picked at random, or "
                "that have no judge's score, are not used: they say nothing of the others."
            )
        whole = len(self._day_numbers) - 1
        if bounds and whole and len(places := self.incidents.up_to(whole - 1)):
            names = ", ".join(self._day_name(int(self._day_numbers[place])) for place in places)
            yield f"Bounds are weighed without {names}: unlike the days before and after."
        waiting = whole - min((self._whole(bound) for bound in bounds), default=whole)
        if bounds and not whole:
            first = self._day_name(int(self._day_numbers[0]))
            yield f"Bounds are decided on whole days: the first day ({first}) counts when there is a later one."
        elif waiting:
            yield f"Bounds are decided without the last {count_of(waiting, 'whole day')}: ratings are still to come."


_NAMES = {
    "mean": "the mean rating",
    "bad_share": "the share of bad answers",
    "fall": "the fall of the mean rating since the first days",
    "judge_fall": "the fall of the judge's mean score since the first days",
}


_SHORT_NAMES = {
    "mean": "mean rating",
    "bad_share": "share of bad answers",
    "fall": "fall",
    "judge_fall": "fall of the judge's score",
}


def _format_fall(estimate: Estimate, began: str) -> str:
    """How much lower, or higher, the mean is since a day than before: "0.93 lower since ... (0.25 to 1.61 lower)"."""
    if estimate.value is None:
        return estimate.problem
    lowered = [
        f"{abs(x):.2f} {'higher' if x < 0 else 'lower'}"
        for x in (estimate.value, estimate.low, estimate.high)
        if x is not None
    ]
    value, *likely = lowered
    return f"{value} since {began} ({f'likely {likely[0]} to {likely[1]}' if likely else estimate.problem})"


def _format(bound: Bound, estimate: Estimate, *, of_alarm: bool = False) -> str:
    """The figure with its interval; of an alarm without one that contradicts it, since it rests on other days too."""
    if estimate.value is None:
        return estimate.problem
    form = "{:.1%}" if bound.kind == "bad_share" else "{:.2f}"
    text = form.format(estimate.value)
    if estimate.low is None or estimate.high is None:
        return f"{text} ({estimate.problem})"
    if of_alarm and not _is_beyond(bound, estimate):
        return text
    return f"{text} (likely {form.format(estimate.low)} to {form.format(estimate.high)})"


def _is_beyond(bound: Bound, estimate: Estimate) -> bool:
    """Whether the whole interval is on the wrong side of the bound."""
    if bound.kind == "mean":
        return estimate.high is not None and estimate.high < bound.limit
    return estimate.low is not None and estimate.low > bound.limit


def _without_ratings(answers: ProductionAnswers) -> str:
    """What rests on the judge alone."""
    judged = answers.judged[~np.isnan(answers.judged)]
    start = "None of the answers that were picked at random is rated yet, so that nothing is said on the raters' scale"
    if not len(judged):
        return f"{start}."
    return f"{start}. The judge's own mean is {judged.mean():.3g} over {count_of(len(judged), 'answer')}, uncorrected."
