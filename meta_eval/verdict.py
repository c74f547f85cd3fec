"""What a meta-evaluation says first: how good the answers are, which metric to trust, for what, what tells more."""

import numpy as np

from ..presentation.figure import Figure
from ..presentation.texts import one_line
from ..presentation.verdict import Verdict
from ..text.wording import Phrase, phrase
from .agreement import MetricAgreement
from .answer_quality import describe_answers
from .comparison import MOST_RATINGS, Comparison, round_ratings
from .groups import FEWEST_TO_CHOOSE
from .prediction_powered import share_of_rated
from .raters import Raters
from .recommendation import STRENGTHS, find_power, finds_bad_ones, ratings_to_show, reversed_metric
from .selection import Combination, Selection
from .sending import Policy
from .table import ScoreTable

_WIDE = 0.15  # an agreement that is known less closely than this, to either side, is worth more ratings
_LONGEST_NAME = 36  # characters, so that the figure after it has room
_LONGEST_OF_TWO = 18


def give_verdict(
    table: ScoreTable,
    metrics: tuple[MetricAgreement, ...],
    raters: Raters | None,
    selection: Selection | None,
    *,
    comparisons: tuple[Comparison, ...],
    policy: Policy | None,
) -> Verdict:
    """Says what a support lead asks first; a line that has nothing to say is left out."""
    rated = len(table.rated().items)
    answers = ("chatbot", _describe_table(table))
    if raters is not None and not raters.validates:
        return Verdict((answers, ("trust", phrase("raters_disagree")), ("surer", phrase("agree_first"))))
    if selection is None:
        return Verdict((answers, *_nothing_chosen(rated, metrics)))
    if selection.is_beyond_chance:
        trust: tuple[str, *tuple[Phrase, ...]] = ("trust", *_trust(selection, metrics, comparisons))
        more = _to_be_surer(_more(rated, selection, comparisons))
        return Verdict((answers, trust, ("good_for", _use(policy)), *more))
    return Verdict((answers, *_nothing_shown(rated, metrics, selection)))


def _nothing_shown(
    rated: int, metrics: tuple[MetricAgreement, ...], selection: Selection
) -> tuple[tuple[str, *tuple[Phrase, ...]], ...]:
    """What is said where no metric is shown to follow the team."""
    if all(metric.baseline for metric in metrics):
        return ("trust", phrase("only_overlap")), ("surer", phrase("with_a_judge"))
    if against := reversed_metric(metrics, selection):
        return (
            ("trust", phrase("reversed", metric=against.name), phrase("reversed_shortly")),
            ("surer", phrase("lower_is_better", metric=against.name), phrase("lower_is_better_shortly")),
        )
    power = find_power(rated, metrics, selection)
    more = ratings_to_show(power)
    seen = phrase(
        "none_yet", rated=phrase("rated_answers", count=rated), least=Figure("coefficient", power.smallest_shown())
    )
    return ("trust", seen if more else phrase("none")), ("good_for", phrase("use_nothing")), *_to_be_surer(more)


def _describe_table(table: ScoreTable) -> Phrase:
    rated = table.rated()
    ratings = rated.mean_rating
    # as `estimate` has it
    bad_share = share_of_rated(ratings < table.middle, rated.group_numbers) if len(ratings) else None
    return describe_answers(
        ratings.tolist(),
        lowest=table.rating_min,
        highest=table.rating_max,
        people=int((~np.isnan(rated.ratings)).any(axis=0).sum()),
        bad_share=bad_share,
    )


def _nothing_chosen(rated: int, metrics: tuple[MetricAgreement, ...]) -> tuple[tuple[str, Phrase], ...]:
    """Why there is no metric to trust, and what to do."""
    if not rated:
        return ("trust", phrase("no_ratings")), ("surer", phrase("rate_some"))
    if rated < FEWEST_TO_CHOOSE:
        few = phrase("too_few", rated=phrase("rated_answers", count=rated))
        return ("trust", few), ("surer", phrase("rate_at_least", count=FEWEST_TO_CHOOSE))
    if all(metric.baseline for metric in metrics):
        return ("trust", phrase("only_overlap_tried")), ("surer", phrase("with_a_judge"))
    if all(metric.problem for metric in metrics if not metric.baseline):
        return (("trust", phrase("no_comparison")),)
    return (("trust", phrase("no_spread")),)


def _trust(
    selection: Selection, metrics: tuple[MetricAgreement, ...], comparisons: tuple[Comparison, ...]
) -> tuple[Phrase, ...]:
    """Which metric, how closely it follows, and whether counting shared words would do as well; then shorter."""
    agreement = selection.agreement
    word = next((word for least, word in STRENGTHS if (agreement.value or 0.0) >= least), "weakly")
    likely = phrase("nothing")
    if agreement.low is not None:
        ends = (Figure("coefficient", end) for end in (agreement.low, agreement.high))
        likely = phrase("likely", low=next(ends), high=next(ends))
    values = {
        "metric": _name_shortly(selection.chosen),
        "how": phrase(word),
        "agreement": Figure("coefficient", agreement.value),
        "likely": likely,
    }
    trust, shortly = phrase("trust", **values), phrase("trust_shortly", **values)
    baselines = {metric.name for metric in metrics if metric.baseline}
    if all(name in baselines for name in selection.chosen.metrics):
        return phrase("trust_overlap", trust=trust), trust, shortly
    for one in comparisons:
        if one.second in baselines and not one.problem and one.standing.kind in {"worse", "equivalent"}:
            as_well = {"baseline": one.second, "trust": trust}
            return phrase("trust_baseline", **as_well), phrase("trust_baseline_shortly", **values, **as_well)
    return trust, shortly


def _name_shortly(combination: Combination) -> str | Phrase:
    """A combination in a few words, without how it is made."""
    first, *others = combination.metrics
    if not others:
        return one_line(first, _LONGEST_NAME)
    if len(others) > 1:
        return phrase("together_with_more", first=one_line(first, _LONGEST_OF_TWO), count=len(others))
    return phrase("together", first=one_line(first, _LONGEST_OF_TWO), second=one_line(others[0], _LONGEST_OF_TWO))


def _use(policy: Policy | None) -> Phrase:
    """What the choice is good enough for; of sending answers unread first what sending all would give."""
    if policy is None or policy.send_at is None or not policy.sent:
        return phrase("use_comparing")
    shares = {
        "share": Figure("share", policy.sent / policy.n),
        "all_bad": Figure("share", policy.bad / policy.n),
        "sent_bad": Figure("share", policy.sent_bad / policy.sent),
    }
    if policy.bad <= policy.bound * policy.n:
        return phrase("use_all" if finds_bad_ones(policy) else "use_all_no_better", **shares)
    return phrase("use_best", **shares)


def _more(rated: int, selection: Selection, comparisons: tuple[Comparison, ...]) -> int:
    """How many more ratings would settle the nearest open question; 0 where none is open."""
    unsettled = [one.standing.more_ratings for one in comparisons if one.standing.kind == "unsettled"]
    settled = [more for more in unsettled if more]
    half = selection.agreement.half_width
    if half is not None and half > _WIDE:
        settled.append(round(rated * ((half / _WIDE) ** 2 - 1)))
    return min(settled, default=0)


def _to_be_surer(more: int) -> tuple[tuple[str, Phrase], ...]:
    if not more:
        return ()
    if more > MOST_RATINGS:
        return (("surer", phrase("beyond_reach")),)
    return (("surer", phrase("rate_more", count=round_ratings(more))),)
