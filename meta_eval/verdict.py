"""What a meta-evaluation says first: how good the answers are, which metric to trust, for what, what tells more."""

import numpy as np

from ..presentation.figure import Figure
from ..presentation.texts import one_line
from ..presentation.verdict import LONGEST_LINE, Verdict
from ..text.wording import count_of
from .agreement import MetricAgreement
from .answer_quality import describe_answers
from .comparison import Comparison
from .difference import MOST_RATINGS, describe_more_ratings
from .groups import FEWEST_TO_CHOOSE
from .prediction_powered import share_of_rated
from .raters import Raters
from .recommendation import STRENGTHS, find_power, finds_bad_ones, name_shortly, ratings_to_show, reversed_metric
from .selection import Selection
from .sending import Policy
from .table import ScoreTable

_WIDE = 0.15  # an agreement that is known less closely than this, to either side, is worth more ratings
_LONGEST_NAME = 36  # characters, so that the figure after it has room
_WITH_A_JUDGE = "score them with a judge: assay run SET --judge MODEL"


def give_verdict(
    table: ScoreTable,
    metrics: tuple[MetricAgreement, ...],
    raters: Raters | None,
    selection: Selection | None,
    *,
    comparisons: tuple[Comparison, ...],
    policy: Policy | None,
    level: float,
) -> Verdict:
    """Says what a support lead asks first; a line that has nothing to say is left out."""
    rated = len(table.rated().items)
    answers = ("Your chatbot", _describe_table(table, level))
    if raters is not None and not raters.validates:
        return Verdict(
            (
                answers,
                ("Trust", "no metric can be checked: your raters hardly agree with each other"),
                ("To be surer", "agree on a guideline, then rate again: assay rate SET --guideline FILE"),
            )
        )
    if selection is None:
        reason, advice = _nothing_chosen(rated, metrics)
        return Verdict((answers, ("Trust", reason), *([("To be surer", advice)] if advice else [])))
    if selection.is_beyond_chance:
        trust = ("Trust", _trust(selection, metrics, comparisons))
        more = _to_be_surer(_more(rated, selection, comparisons))
        return Verdict((answers, trust, ("Good for", _use(policy)), *more))
    return Verdict((answers, *_nothing_shown(rated, metrics, selection, level)))


def _nothing_shown(
    rated: int, metrics: tuple[MetricAgreement, ...], selection: Selection, level: float
) -> tuple[tuple[str, str], ...]:
    """What is said where no metric is shown to follow the team."""
    if all(metric.baseline for metric in metrics):
        trust = "nothing yet: only word overlap was tried, and it does not do"
        return ("Trust", trust), ("To be surer", _WITH_A_JUDGE)
    if against := reversed_metric(metrics, selection):
        trust = _fit(f"{against.name} goes against the ratings", "a metric goes against the ratings")
        advice = _fit(f"if lower is better: --lower-is-better {against.name}", "--lower-is-better")
        return ("Trust", trust), ("To be surer", advice)
    power = find_power(rated, metrics, selection, level)
    more = ratings_to_show(power)
    least = f"{power.smallest_shown():.2f} of 1"
    seen = f"none yet: {count_of(rated, 'rated answer')} would show only an agreement above {least}"
    trust = seen if more else "none: what was tried hardly follows your team"
    return ("Trust", trust), ("Good for", "nothing yet in place of a person"), *_to_be_surer(more)


def _describe_table(table: ScoreTable, level: float) -> str:
    rated = table.rated()
    ratings = rated.mean_rating
    # as `estimate` has it
    bad_share = share_of_rated(ratings < table.middle, rated.group_numbers, level) if len(ratings) else None
    return describe_answers(
        ratings.tolist(),
        lowest=table.rating_min,
        highest=table.rating_max,
        people=int((~np.isnan(rated.ratings)).any(axis=0).sum()),
        bad_share=bad_share,
    )


def _fit(text: str, shorter: str) -> str:
    return text if len(text) <= LONGEST_LINE else shorter


def _nothing_chosen(rated: int, metrics: tuple[MetricAgreement, ...]) -> tuple[str, str]:
    """Why there is no metric to trust, and what to do."""
    if not rated:
        return "nobody can tell: no answer is rated", "rate some: assay rate SET --raters NAME,NAME"
    if rated < FEWEST_TO_CHOOSE:
        return (
            f"nobody can tell from {count_of(rated, 'rated answer')}",
            f"rate at least {FEWEST_TO_CHOOSE}: assay rate",
        )
    if all(metric.baseline for metric in metrics):
        return "only word overlap was tried", _WITH_A_JUDGE
    if all(metric.problem for metric in metrics if not metric.baseline):
        return "no metric can be compared with the ratings (--all says why)", ""
    return "nobody can tell: the ratings, the groups or the scores do not differ", ""


def _trust(selection: Selection, metrics: tuple[MetricAgreement, ...], comparisons: tuple[Comparison, ...]) -> str:
    """Which metric, how closely it follows, and whether counting shared words would do as well."""
    agreement, names = selection.agreement, one_line(name_shortly(selection.chosen), _LONGEST_NAME)
    word = next((word for least, word in STRENGTHS if (agreement.value or 0.0) >= least), "weakly")
    likely = "" if agreement.low is None else f" ({agreement.low:.2f} to {agreement.high:.2f})"
    text = f"{names}, {word}: {agreement.value:.2f} of 1 on answers it had not seen{likely}"
    baselines = {metric.name for metric in metrics if metric.baseline}
    if all(name in baselines for name in selection.chosen.metrics):
        return _fit(f"{text}; only word overlap was tried", text)
    for one in comparisons:
        if one.second in baselines and not one.problem and one.standing.kind in {"worse", "equivalent"}:
            return _fit(
                f"{text}; {one.second} does as well", f"{names}, {word}; {one.second}, which is free, does as well"
            )
    return _fit(text, f"{names}, {word}: {agreement.value:.2f} of 1{likely}")


def _use(policy: Policy | None) -> str:
    """What the choice is good enough for; of sending answers unread first what sending all would give."""
    if policy is None or policy.send_at is None or not policy.sent:
        return "comparing versions, picking answers to read; not for sending answers unread"
    share = Figure("share", policy.sent / policy.n)
    all_bad, sent_bad = Figure("share", policy.bad / policy.n), Figure("share", policy.sent_bad / policy.sent)
    if policy.bad <= policy.bound * policy.n:
        better = "" if finds_bad_ones(policy) else ", no better"
        return f"sending all unread gives {all_bad} bad; sending the best {share} gave {sent_bad}{better}"
    return f"sending the best {share} unread ({sent_bad} of them bad; of all {all_bad} are), picking what to read"


def _more(rated: int, selection: Selection, comparisons: tuple[Comparison, ...]) -> int:
    """How many more ratings would settle the nearest open question; 0 where none is open."""
    unsettled = [one.standing.more_ratings for one in comparisons if one.standing.kind == "unsettled"]
    settled = [more for more in unsettled if more]
    half = selection.agreement.half_width
    if half is not None and half > _WIDE:
        settled.append(round(rated * ((half / _WIDE) ** 2 - 1)))
    return min(settled, default=0)


def _to_be_surer(more: int) -> tuple[tuple[str, str], ...]:
    if not more:
        return ()
    if more > MOST_RATINGS:
        return (("To be surer", "it would take more ratings than you can give; try another metric or judge"),)
    return (("To be surer", f"rate {describe_more_ratings(more)}: assay rate"),)
