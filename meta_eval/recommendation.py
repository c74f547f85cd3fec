"""One sentence that a support lead can act on, and the figures under it in three short lines."""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from ..presentation.figure import Figure, format_agreement, format_chance
from ..text.wording import count_of, verb_of
from .agreement import MetricAgreement, baselines_among
from .chance import BEYOND_CHANCE
from .combiners import SUBSET
from .comparison import Comparison, describe_more_ratings, find_standing
from .estimate import Estimate
from .groups import FEWEST_GROUPS, FEWEST_TO_CHOOSE, LEVEL, t_quantile
from .raters import Raters
from .selection import ChosenCombination, Combination, Selection
from .sending import Policy, fewest_to_send
from .table import QUESTION_ONLY

STRENGTHS = ((0.7, "closely"), (0.5, "well"), (0.3, "moderately"))
"""From which rho on a measure is said to follow the team how: Schober, Boer and Schwarte (2018) call 0.4 to 0.69
moderate and 0.7 to 0.89 strong; the names here are a step plainer. Below the last, `weakly`."""
_CHANCE = 0.05  # of finding bad answers by chance
_SOME = 0.05  # an agreement below it is none that a word could name
_TARGET = 0.4  # the agreement that a set of ratings should be able to show
_ENOUGH_POWER = 0.9
_VARIANCE = 1.06  # of Fisher's z of Spearman's rho, times n - 3 (Fieller, Hartley and Pearson, 1957)
_LARGEST_RHO = 0.999  # Fisher's z of 1 is infinite
_LARGEST_BOUND = 0.5  # to say that nothing follows by more than this is of use
_WORDS_OF_KIND = {
    "ridge": "{} weighed by ridge regression",
    "logistic": "{} weighed by logistic regression",
    "mean-rank": "the mean rank of {}",
    "normalised-sum": "the normalised sum of {}",
}


@dataclass(frozen=True, slots=True)
class AgreementPower:
    """The power of showing that the best of several measures agrees with the ratings.

    Fisher's z of Spearman's rho is taken as normal with the variance 1.06 / (n - 3) (Fieller, Hartley and Pearson,
    1957), n being the number of independent ratings that are worth as much as the rated answers. A measure is shown
    where the one-sided test at `error` divided by the number of measures (Bonferroni) rejects:
    power = Phi(atanh(rho) sqrt((n - 3) / 1.06) - z(1 - error / measures)).
    """

    rated: int
    effective: float
    measures: int
    error: float  # how often it may happen that any of them is shown that agrees with nothing

    @classmethod
    def from_intervals(
        cls, rated: int, agreements: Iterable[Estimate], *, measures: int, error: float
    ) -> "AgreementPower":
        """Reads from the intervals of the measures' agreement how many independent answers they are worth.

        The half width of an interval on the scale of Fisher's z is t of its level times sqrt(1.06 / (n - 3)); the
        median over the measures counts, and never more than the answers that are rated.
        """
        sizes = []
        for one in agreements:
            if one.low is None or one.high is None or one.groups is None or one.high <= one.low:
                continue
            width = _fisher(one.high) - _fisher(one.low)
            sizes.append(3 + _VARIANCE / (width / 2 / t_quantile((1 + LEVEL) / 2, one.groups - 1)) ** 2)
        return cls(rated, min(statistics.median(sizes), rated) if sizes else rated, measures, error)

    def smallest_shown(self) -> float:
        """The agreement that these ratings would have shown with a power of 80%, in [0, 1]."""
        return math.tanh((self._threshold + _normal_quantile(0.8)) * self._standard_error)

    def power_of(self, agreement: float) -> float:
        """The power with which these ratings would have shown an agreement."""
        return statistics.NormalDist().cdf(_fisher(agreement) / self._standard_error - self._threshold)

    def more_ratings(self, agreement: float, power: float = 0.8) -> int:
        """How many more ratings show an agreement with this power, if their groups are as those so far; at least 0."""
        needed = 3 + _VARIANCE * ((self._threshold + _normal_quantile(power)) / _fisher(agreement)) ** 2
        return max(0, math.ceil(self.rated * needed / self.effective) - self.rated)

    @property
    def _threshold(self) -> float:
        return _normal_quantile(1 - self.error / self.measures)

    @property
    def _standard_error(self) -> float:
        return math.sqrt(_VARIANCE / max(self.effective - 3, 1))


def _normal_quantile(probability: float) -> float:
    return statistics.NormalDist().inv_cdf(probability)


def _fisher(rho: float) -> float:
    return math.atanh(max(-_LARGEST_RHO, min(_LARGEST_RHO, rho)))


def describe_strength(rho: float) -> str:
    """The word for how a measure of this rho follows the team."""
    return next((word for least, word in STRENGTHS if rho >= least), "weakly")


def recommend(
    rated: int,
    metrics: tuple[MetricAgreement, ...],
    raters: Raters | None,
    selection: Selection | None,
    *,
    comparisons: tuple[Comparison, ...],
    policy: Policy | None,
) -> str:
    """Says in one sentence for a support lead which measure follows the team, and what it may be used for.

    Returns the sentence. What it says of a difference comes from `find_standing`; how closely the choice follows, from
    the lower end of its agreement's interval; what could have been shown, from `AgreementPower`.
    """
    if raters is not None and not raters.validates:
        return "Your raters hardly agree with each other, so no measure can be checked against them."
    if selection is None:
        return f"{_problem(rated, metrics)}."
    if not selection.is_beyond_chance:
        return _not_shown(rated, metrics, selection)
    chosen, baselines = selection.chosen, baselines_among(metrics)
    verb, pronoun = ("follows", "it") if _is_one(chosen) else ("together follow", "them")
    parts = [f"{name_of(chosen)} {verb} your team{_strength(selection)}"]
    others = [choice for choice in selection.choices if not choice.combination.is_same(chosen)]
    parts += [clause for choice in others if (clause := _alternative(choice, selection))]
    if {*chosen.metrics} <= baselines:
        parts.append(f"use {pronoun} only to pick answers to read: an added polite sentence changes {pronoun}")
    else:
        parts.append(_use(policy, pronoun))
    named = [choice.combination.metrics for choice in selection.choices]
    for one in comparisons:
        if one.second not in baselines or one.problem or one.standing.kind == "better" or (one.second,) in named:
            continue
        if one.second == QUESTION_ONLY:
            clause = one.standing.describe(f"but {_subject(chosen)}", "the question alone", equal="does no better than")
            effect = "so it may tell hard questions from easy ones rather than good answers from bad ones"
            parts.append(f"{clause}, {effect}")
        else:
            other = f"{one.second}, which costs nothing"
            parts.append(one.standing.describe(_subject(chosen), other, equal="does no better than"))
    return "; ".join(parts) + "."


def _strength(selection: Selection) -> str:
    """How closely the choice follows at least, by the lower end of the interval."""
    low = selection.agreement.low
    if low is None:
        return ", how closely nobody can tell with so few groups of answers"
    if low < _SOME:
        return ", how closely your ratings cannot tell"
    word = describe_strength(low)
    return f" {word}" if word == STRENGTHS[0][1] else f" at least {word}"


def _alternative(choice: ChosenCombination, selection: Selection) -> str:
    """What is known of the choice beside that of another rule; empty where that one looks no better or simpler."""
    best, name = selection.choices[0].combination, name_of(choice.combination)
    if choice.rule == "best":
        own = next((one.difference for one in selection.choices if one.combination.is_same(selection.chosen)), None)
        if own is None or own.value is None or own.value >= 0:
            return ""
        return find_standing(own).describe(_subject(selection.chosen), name)
    chosen = selection.chosen
    if choice.difference is None or not len(choice.combination.metrics) < len(chosen.metrics):
        return ""
    return find_standing(choice.difference).describe(f"{name} is simpler and", name_of(best))


def _is_one(combination: Combination) -> bool:
    """Whether a sentence speaks of one thing: a metric, or what a combiner makes of several."""
    return len(combination.metrics) == 1 or combination.kind != SUBSET


def _subject(combination: Combination) -> str:
    return "it" if _is_one(combination) else "the combination"


def _use(policy: Policy | None, pronoun: str) -> str:
    """What the choice is good enough for: the aim, and what the check on answers of other folds came to."""
    if policy is None or policy.send_at is None:
        use = f"use {pronoun} to compare versions and to pick answers to read"
        if policy is not None and policy.n - policy.bad < fewest_to_send(policy.bound, policy.confidence):
            return f"too few good answers are rated to tell whether any could be sent unseen, so {use}"
        return f"not good enough to send answers unseen, so {use}"
    share, bound = Figure("share", policy.sent / policy.n), Figure("share", policy.bound)
    if policy.bad <= policy.bound * policy.n:
        kept = "no better than that" if not finds_bad_ones(policy) else "better than that"
        return (
            f"sending all answers unseen gives {policy.bad} bad of {policy.n}, within the aim of at most {bound}; by "
            f"{pronoun} {share} of them are sent, {policy.sent_bad} bad of {policy.sent} in the check, {kept}"
        )
    return (
        f"good enough to send {share} of the answers unseen (the aim: at most {bound} bad ones among them; in the "
        f"check {policy.sent_bad} of {policy.sent} were bad)"
    )


def finds_bad_ones(policy: Policy) -> bool:
    """Whether what the check did not send holds more bad answers than as many drawn at random (Fisher, 1935)."""
    from scipy.stats import hypergeom

    kept, kept_bad = policy.n - policy.sent, policy.bad - policy.sent_bad
    return kept > 0 and float(hypergeom.sf(kept_bad - 1, policy.n, policy.bad, kept)) <= _CHANCE


def ratings_to_show(power: AgreementPower) -> int:
    """How many more ratings would show an agreement that a set should be able to show; 0 where these would have."""
    if power.power_of(_TARGET) >= _ENOUGH_POWER:
        return 0
    return power.more_ratings(_TARGET) or power.more_ratings(_TARGET, _ENOUGH_POWER)


def _not_shown(rated: int, metrics: tuple[MetricAgreement, ...], selection: Selection) -> str:
    """What can be said where nothing is beyond chance: how much was looked for, and what more ratings would show."""
    chosen, is_one = selection.chosen, selection.chosen.candidates == 1
    power = find_power(rated, metrics, selection)
    advice = f"do not use {'it' if is_one else 'any of them'} in place of a person{_reversal(metrics, selection)}."
    subject = f"that {name_of(chosen)} follows" if is_one else "that any measure follows"
    more = ratings_to_show(power)
    if not more:
        rivals = [] if is_one else [one.out_of_fold for one in selection.combinations]
        alone = [] if is_one else [one.spearman for one in _tried(metrics, selection)]
        highs = [one.high for one in (selection.agreement, *rivals, *alone) if one.high is not None]
        most = max(highs, default=1.0)
        if not is_one and selection.p_of_best <= BEYOND_CHANCE:
            return (
                f"Not shown yet {subject} your team: a combination of measures may, and chance alone would do as well "
                f"as the best of them in {format_chance(selection.p_of_best)}, but that is not sure enough with all "
                f"counted that was tried; rate more answers, and until then {advice}"
            )
        if most > _LARGEST_BOUND:
            return (
                f"Not shown yet {subject} your team: {count_of(rated, 'answer does', 'answers do')} not rule out an "
                f"agreement of up to {most:.2f} "
                f"of 1; rate more answers, and until then {advice}"
            )
        nothing = (
            f"{name_of(chosen)} does not follow" if is_one else "No measure and no combination of measures follows"
        )
        return f"{nothing} your team's ratings by more than {most:.2f} of 1: {advice}"
    return (
        f"Not shown yet {subject} your team: on {count_of(rated, 'answer')} only an agreement above about "
        f"{power.smallest_shown():.2f} of 1 would have been seen, and {describe_more_ratings(more)} ratings would show "
        f"one of {_TARGET:g}; until then {advice}"
    )


def reversed_metric(metrics: tuple[MetricAgreement, ...], selection: Selection) -> MetricAgreement | None:
    """The metric that runs against the ratings most surely, though higher should be better; None where none does."""
    against = [
        metric
        for metric in _tried(metrics, selection)
        if metric.higher_is_better and not metric.baseline and metric.spearman.high is not None
        if metric.spearman.high < 0
    ]
    return min(against, key=lambda metric: metric.spearman.value or 0.0, default=None)


def _reversal(metrics: tuple[MetricAgreement, ...], selection: Selection) -> str:
    against = reversed_metric(metrics, selection)
    if against is None:
        return ""
    return f"; {against.name} goes against the ratings: if lower is better, add --lower-is-better {against.name}"


def _tried(metrics: tuple[MetricAgreement, ...], selection: Selection) -> list[MetricAgreement]:
    """The metrics that were candidates."""
    left_out = {name for name, _ in selection.left_out}
    return [metric for metric in metrics if metric.name not in left_out and metric.spearman.value is not None]


def find_power(rated: int, metrics: tuple[MetricAgreement, ...], selection: Selection) -> AgreementPower:
    """The power with which the candidates' agreement would have been shown."""
    tried = _tried(metrics, selection)
    combined = 2 if len(tried) > 1 else 0  # their mean rank and normalised sum are tested beside them
    return AgreementPower.from_intervals(
        rated,
        [metric.spearman for metric in tried],
        measures=1 if selection.chosen.candidates == 1 else max(1, len(tried) + combined),
        error=BEYOND_CHANCE,
    )


def explain(
    metrics: tuple[MetricAgreement, ...],
    raters: Raters | None,
    selection: Selection | None,
    *,
    comparisons: tuple[Comparison, ...],
    rated: int,
) -> str:
    """Gives the figures under the recommendation in up to three short lines: the choice, the others, the raters."""
    if raters is not None and not raters.validates:
        return f"{_capitalise(raters.problem)}."
    if selection is None:
        return f"{count_of(rated, 'rated answer')}. {_rater_line(metrics, raters)}"
    chance = f"chance alone would do this in {format_chance(selection.p_of_selection)}"
    reached = f"on answers it had not seen, {format_agreement(selection.agreement)}"
    tried = _tried(metrics, selection)
    if selection.is_beyond_chance:
        second = _difference_line(metrics, selection, comparisons)
    elif selection.chosen.candidates > 1 and tried:
        best = max(tried, key=lambda metric: metric.spearman.value or 0.0)
        second = f"The best single measure on these very answers, {best.name}: {format_agreement(best.spearman)}."
    else:
        second = ""
    name = name_of(selection.chosen)
    if not selection.is_beyond_chance and selection.chosen.candidates > 1:
        name = f"The choice, made anew in each fold (on all answers {name})"
    first = f"{name}: {reached}; {chance}."
    against = None if selection.is_beyond_chance else reversed_metric(metrics, selection)
    if against is not None:  # a fit that turns it round would agree; no measure as it stands does
        first, second = f"{against.name} on these very answers: {format_agreement(against.spearman)}.", ""
    return "\n".join(line for line in (first, second, _rater_line(metrics, raters)) if line)


def _difference_line(
    metrics: tuple[MetricAgreement, ...], selection: Selection, comparisons: tuple[Comparison, ...]
) -> str:
    """How much more the choice agrees than the best baseline, its best single metric and the best of all."""
    others = [one for one in comparisons if not one.problem and one.second != QUESTION_ONLY]
    baselines = baselines_among(metrics)
    differences = [
        (f"the baseline {one.second}" if one.second in baselines else one.second, one.difference) for one in others
    ]
    own = next((one for one in selection.choices if one.combination.is_same(selection.chosen)), None)
    if own is not None and own.difference is not None:
        differences.append((name_of(selection.choices[0].combination), own.difference))
    written = [
        f"against {name} {Figure.from_estimate('correlation', difference).describe()}"
        for name, difference in differences
    ]
    return f"On the same answers: {'; '.join(written)}." if written else ""


def name_of(combination: Combination) -> str:
    """Names a combination: its metrics, and the combiner where there is one."""
    metrics = combination.metrics
    joined = (
        " + ".join(metrics)
        if len(metrics) <= 4
        else f"{count_of(len(metrics), 'metric')} ({', '.join(metrics[:2])}, ...)"
    )
    if combination.kind != SUBSET and len(metrics) > 4:
        joined = f"all {count_of(len(metrics), 'metric')}"
    return joined if combination.kind == SUBSET else _WORDS_OF_KIND[combination.kind].format(joined)


def _rater_line(metrics: tuple[MetricAgreement, ...], raters: Raters | None) -> str:
    groups = max((metric.groups for metric in metrics), default=0)
    rough = (
        f" All of this is rough: there {verb_of(groups, 'is', 'are')} only {count_of(groups, 'group')} of answers."
        if 0 < groups < FEWEST_GROUPS
        else ""
    )
    if raters is not None and raters.problem:
        return f"{_capitalise(raters.problem)}.{rough}"
    if raters is None or raters.ceiling.value is None:
        return f"With one rating per answer nobody knows how far your raters agree.{rough}"
    best = Figure.from_estimate("rho", raters.ceiling).describe(" of 1")
    return f"The best that any measure could reach with these ratings: about {best}.{rough}"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


def _problem(rated: int, metrics: tuple[MetricAgreement, ...]) -> str:
    """Why nothing could be chosen, and what to do."""
    if rated < FEWEST_TO_CHOOSE:
        few = f"Only {count_of(rated, 'rated answer')}: too few to say which measure to trust"
        return f"{few}; rate at least {FEWEST_TO_CHOOSE}"
    tested = [metric for metric in metrics if not metric.baseline]
    if not tested:
        return "There are only baselines to compare: add a metric"
    if all(metric.problem for metric in tested):
        return f"No measure can be compared with the ratings: {tested[0].name}: {tested[0].problem}"
    return (
        "No measure can be chosen: all ratings are equal, all answers are one group, or no metric scored half of them"
    )
