"""What a meta-evaluation says first: how good the answers are, which metric to trust, for what, what tells more."""

from dataclasses import dataclass

import numpy as np

from ..presentation.figure import Figure, round_ratings
from ..presentation.texts import one_line
from ..presentation.verdict import Verdict, describe_answers
from ..text.wording import Phrase, phrase
from .agreement import MetricAgreement, baselines_among
from .agreement_power import describe_strength, find_power, ratings_to_measure, ratings_to_show, reversed_metric
from .comparison import MOST_RATINGS, Comparison
from .groups import FEWEST_TO_CHOOSE
from .prediction_powered import share_of_rated
from .raters import Raters
from .selection import Combination, Selection
from .sending import Policy
from .table import SENTINELS, ScoreTable

_WIDE = 0.15  # an agreement that is known less closely than this, to either side, is worth more ratings
_LONGEST_NAME = 30  # characters, so that the figure after it has room
_LONGEST_OF_TWO = 18
_LONGEST_OF_MORE = 15
_FEW_UNSCORED = 0.05  # of the answers: a verdict says so only of more; tables show it always


_OpenQuestion = tuple[int, str, dict[str, object]]
"""How many more ratings would settle a question, and the text that asks it with its values."""


@dataclass(frozen=True, slots=True)
class NextCommands:
    """The commands that a verdict tells to type next: of the run or the file of the answers, where it is known."""

    rate: str = "assay rate SET"  # rates more of the answers
    score: str = "assay run FILE"  # scores the answers again, with a judge
    resume: str = ""  # scores again what failed; "" where nothing did, or where the run is not known


def give_verdict(
    table: ScoreTable,
    metrics: tuple[MetricAgreement, ...],
    raters: Raters | None,
    selection: Selection | None,
    *,
    comparisons: tuple[Comparison, ...],
    policy: Policy | None,
    commands: NextCommands,
) -> Verdict:
    """Says what a support lead asks first; a line that has nothing to say is left out.

    A metric without any score of a rated answer was not tried, and is named with what scores it.
    """
    rated = len(table.rated().items)
    answers = ("chatbot", _describe_table(table))
    if raters is not None and not raters.validates:
        return Verdict((answers, ("trust", phrase("raters_disagree")), _to_rate("agree_first", commands)))
    tried = tuple(metric for metric in metrics if metric.n or metric.baseline) if rated else metrics
    unscored = [metric.name for metric in metrics if metric not in tried]
    about = _say_of_metrics(table, tried, selection, comparisons=comparisons, policy=policy, commands=commands)
    lines = (answers, *about)
    if unscored and (commands.resume or all(metric.baseline for metric in tried)):
        lines = (*(line for line in lines if line[0] != "surer"), _to_score(unscored, commands))
    return Verdict(lines)


def problem_of_sending(metrics: tuple[MetricAgreement, ...], raters: Raters | None, selection: Selection) -> str:
    """Why the verdict lets no answer be sent unread, whatever a threshold would give; empty where it may."""
    if raters is not None and not raters.validates:
        return "the raters hardly agree"
    if not selection.is_beyond_chance:
        return "no metric is shown to follow the team"
    if {*selection.chosen.metrics} <= baselines_among(metrics):
        return "not by word overlap or length, which an added polite sentence changes"
    return ""


def _to_score(metrics: list[str], commands: NextCommands) -> tuple[str, Phrase]:
    """To score what has no score at all: again where it failed, else with a judge."""
    command = commands.resume or phrase("with_a_judge_shortly", score=NextCommands().score)
    names = one_line(", ".join(metrics), _LONGEST_NAME)
    return "surer", phrase("no_score", count=len(metrics), metrics=names, command=command)


def _say_of_metrics(
    table: ScoreTable,
    metrics: tuple[MetricAgreement, ...],
    selection: Selection | None,
    *,
    comparisons: tuple[Comparison, ...],
    policy: Policy | None,
    commands: NextCommands,
) -> tuple[tuple[str, *tuple[Phrase, ...]], ...]:
    """Which metric to trust, for what, and what tells more."""
    rated = len(table.rated().items)
    unrated = len(table.items) - rated
    if selection is None:
        return _nothing_chosen(rated, unrated, metrics, commands)
    if selection.is_beyond_chance:
        baselines, has_others = baselines_among(metrics), not all(metric.baseline for metric in metrics)
        said = _trust(table, selection, baselines, comparisons, has_others=has_others)
        trust: tuple[str, *tuple[Phrase, ...]] = ("trust", *said)
        if not has_others:  # more ratings would only tell free metrics apart
            return trust, ("good_for", phrase("use_reading")), _with_a_judge(commands)
        is_baseline = {*selection.chosen.metrics} <= baselines
        compared = () if is_baseline else comparisons
        more = _to_be_surer(_open_questions(rated, metrics, selection, compared), unrated, commands)
        if is_baseline and _asked_nobody(table, metrics):
            more = (_with_a_judge(commands),)
        use = phrase("use_reading") if is_baseline else _use(policy)
        return trust, ("good_for", use), *more
    return _nothing_shown(rated, unrated, metrics, selection, commands)


def _asked_nobody(table: ScoreTable, metrics: tuple[MetricAgreement, ...]) -> bool:
    """Whether only metrics were tried that ask no judge: what a judge would add is not known yet."""
    return all(metric.baseline or metric.name in table.judgeless for metric in metrics)


def _with_a_judge(commands: NextCommands) -> tuple[str, *tuple[Phrase, ...]]:
    """To have a judge score the answers; of a file whose command has no room, how such a command looks."""
    usual = phrase("with_a_judge", score=NextCommands().score)
    own, shortly = (phrase(name, score=commands.score) for name in ("with_a_judge", "with_a_judge_shortly"))
    return "surer", own, shortly, usual


def _to_rate(name: str, commands: NextCommands, **values: object) -> tuple[str, Phrase, Phrase]:
    """To rate answers; where the command has no room, how such a command looks."""
    own, usual = (phrase(name, rate=rate, **values) for rate in (commands.rate, NextCommands().rate))
    return "surer", own, usual


def _to_rate_more(
    name: str, count: int, unrated: int, commands: NextCommands, **values: object
) -> tuple[str, *tuple[Phrase, ...]]:
    """To rate so many answers more: by the command where as many of these have no rating yet, else other answers."""
    values = {**values, "count": count}
    shortly = phrase(f"{name}_shortly", **values)
    if count <= unrated:
        about, own, usual = _to_rate(name, commands, **values)
        return about, own, phrase(f"{name}_briefly", rate=commands.rate, **values), usual, shortly
    others = phrase("of_others", ask=shortly), phrase("rate_others", count=count)
    return "surer", *((phrase("rest_and_others", ask=shortly, unrated=unrated),) if unrated else ()), *others


def _nothing_shown(
    rated: int, unrated: int, metrics: tuple[MetricAgreement, ...], selection: Selection, commands: NextCommands
) -> tuple[tuple[str, *tuple[Phrase, ...]], ...]:
    """What is said where no metric is shown to follow the team."""
    if all(metric.baseline for metric in metrics):
        return ("trust", phrase("only_overlap")), _with_a_judge(commands)
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
    return (
        ("trust", seen if more else phrase("none")),
        ("good_for", phrase("use_nothing")),
        *_to_be_surer([(more, "rate_to_show", {})] if more else [], unrated, commands),
    )


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


def _nothing_chosen(
    rated: int, unrated: int, metrics: tuple[MetricAgreement, ...], commands: NextCommands
) -> tuple[tuple[str, *tuple[Phrase, ...]], ...]:
    """Why there is no metric to trust, and what to do."""
    if not rated:
        return ("trust", phrase("no_ratings")), _to_rate("rate_some", commands)
    if rated < FEWEST_TO_CHOOSE:
        few = phrase("too_few", rated=phrase("rated_answers", count=rated))
        return ("trust", few), _to_rate_more("rate_at_least", FEWEST_TO_CHOOSE - rated, unrated, commands)
    if all(metric.baseline for metric in metrics):
        has_overlap = any(metric.n for metric in metrics if metric.name.partition("@")[0] not in SENTINELS)
        tried = "only_overlap_tried" if has_overlap else "only_lengths_tried"
        return ("trust", phrase(tried)), _with_a_judge(commands)
    if all(metric.problem for metric in metrics if not metric.baseline):
        return (("trust", phrase("no_comparison")),)
    return (("trust", phrase("no_spread")),)


def _trust(
    table: ScoreTable,
    selection: Selection,
    baselines: set[str],
    comparisons: tuple[Comparison, ...],
    *,
    has_others: bool,
) -> tuple[Phrase, ...]:
    """Which metric, how closely it follows, how many answers have no score of it, and what is as good.

    An answer without a score counts as one in the middle. The first form is the longest.
    """
    agreement = selection.agreement
    likely = phrase("nothing")
    if agreement.low is not None:
        ends = (Figure("coefficient", end) for end in (agreement.low, agreement.high))
        likely = phrase("likely", low=next(ends), high=next(ends))
    first, second = (one_line(name, _LONGEST_OF_TWO) for name in _find_stand_in(table, selection.chosen) or ("", ""))
    unscored, total = _count_unscored(table, selection.chosen)
    is_whole = unscored <= _FEW_UNSCORED * total
    answers = phrase("answers", count=total)
    part = phrase("nothing") if is_whole else phrase("part_scored", unscored=unscored, answers=answers)
    values: dict[str, object] = {
        "metric": phrase("stands_in", first=first, second=second) if first else _name_shortly(selection.chosen),
        "shorter": _name_shortly(selection.chosen, "_shortly"),
        "how": phrase(describe_strength(agreement.value or 0.0)),
        "agreement": Figure("coefficient", agreement.value),
        "likely": likely,
        "part": part,
        "unscored": unscored,
        "total": total,
    }
    if not has_others:
        names = ("trust_overlap", "trust_overlap_shortly", *(() if is_whole else ("trust_overlap_part",)))
        return tuple(phrase(name, **values) for name in names)
    names = ("trust", "trust_shortly") if is_whole else ("trust_shortly", "trust_part", "trust_part_shortly")
    forms = tuple(phrase(name, **values) for name in names)
    for one in comparisons:
        is_no_better = one.standing.kind in {"worse", "equivalent"} or one.difference.value == 0
        if one.second in baselines and not one.problem and is_no_better:
            first, *others = selection.chosen.metrics
            on = phrase("nothing" if is_whole else "part_scored_shortly", unscored=unscored)
            fewest: str | Phrase = one_line(first, _LONGEST_OF_TWO)
            if others:
                shortest = one_line(first, _LONGEST_OF_MORE)
                fewest = phrase("together_with_more_shortly", first=shortest, count=len(others))
            values |= {"baseline": one.second, "trust": forms[0], "shortly": forms[1], "fewest": fewest, "on": on}
            names = ("trust_baseline", "trust_baseline_shortly", "trust_baseline_part")
            names = (*names, "trust_baseline_unnamed", "trust_baseline_unnamed_shortly")
            return tuple(phrase(name, **values) for name in names)
    return forms


def _count_unscored(table: ScoreTable, combination: Combination) -> tuple[int, int]:
    """How many of the rated answers have no score of any of its metrics, and how many are rated."""
    is_scored = table.rated().only(combination.metrics).is_scored
    return int((~is_scored).sum()), len(is_scored)


def _find_stand_in(table: ScoreTable, combination: Combination) -> tuple[str, str] | None:
    """Of two metrics the one that tells answers apart, and one that only stands in where it has no score."""
    if len(combination.metrics) != 2:
        return None
    rated = table.rated()
    for metric, other in (combination.metrics, combination.metrics[::-1]):
        values = np.array([rated.column(metric), rated.column(other)])
        known = ~np.isnan(values)
        both = values[:, known.all(axis=0)]
        if both.size and np.ptp(both[0]) > 0 and not np.ptp(both[1]) and (known[1] & ~known[0]).any():
            return metric, other
    return None


def _name_shortly(combination: Combination, form: str = "") -> str | Phrase:
    """A combination in a few words, without how it is made."""
    first, *others = combination.metrics
    if not others:
        return one_line(first, _LONGEST_NAME)
    first = one_line(first, _LONGEST_OF_TWO)
    if len(others) > 1:
        return phrase(f"together_with_more{form}", first=first, count=len(others))
    return phrase(f"together{form}", first=first, second=one_line(others[0], _LONGEST_OF_TWO))


def _use(policy: Policy | None) -> Phrase:
    """What the choice is good enough for; of sending answers unread first what sending all would give."""
    if policy is None or policy.send_at is None:
        return phrase("use_comparing")
    shares = {
        "share": Figure("share", policy.sent / policy.n),
        "all_bad": Figure("share", policy.bad / policy.n),
        "sent_bad": Figure("share", policy.checked_sent_bad / policy.checked_sent),
    }
    if policy.bad <= policy.bound * policy.n:
        return phrase("use_all" if policy.finds_bad_ones else "use_all_no_better", **shares)
    return phrase("use_best", **shares)


def _open_questions(
    rated: int, metrics: tuple[MetricAgreement, ...], selection: Selection, comparisons: tuple[Comparison, ...]
) -> list[_OpenQuestion]:
    """Whether the choice is better than what costs less, and how closely it follows, where the ratings do not tell.

    Whether it is better than the best baseline comes before all else: what is not shown to be is not worth its price.
    """
    unsettled = [one for one in comparisons if one.standing.kind == "unsettled" and one.standing.more_ratings]
    free = [one for one in unsettled if one.second in baselines_among(metrics)][:1]
    questions: list[_OpenQuestion] = [
        (one.standing.more_ratings or 0, "rate_to_compare", {"other": one_line(one.second, _LONGEST_NAME)})
        for one in free or unsettled
    ]
    half = selection.agreement.half_width
    if half is not None and half > _WIDE and not free:
        more = ratings_to_measure(rated, metrics, selection, _WIDE)
        questions.append((more, "rate_to_measure", {"within": Figure("coefficient", _WIDE)}))
    return questions


def _to_be_surer(
    questions: list[_OpenQuestion], unrated: int, commands: NextCommands
) -> tuple[tuple[str, *tuple[Phrase, ...]], ...]:
    """The open question that the fewest ratings settle, with their number; none where none is open."""
    if not questions:
        return ()
    more, name, values = min(questions, key=lambda question: question[0])
    if more > MOST_RATINGS:
        return (("surer", phrase("beyond_reach")),)
    return (_to_rate_more(name, round_ratings(more), unrated, commands, **values),)
