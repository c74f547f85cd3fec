"""The tables and sentences of a decision between versions."""

from ...meta_eval.decision import (
    Decision,
    OtherDifference,
    VersionDifference,
    VersionEstimate,
    give_decision_verdict,
)
from ...metrics.specification import UNDIRECTED
from ...presentation.figure import Figure
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, TableCell, tabulate
from ...text.wording import count_of

IN_USE = "in use today"
_OF_RATERS = ("ratings and scores", "ratings", "preferences")
_VERSIONS = "The first is in use today. The likely ranges hold for all versions together"
_RANKS = "Ranks: those that the version may have, 1 is the best"
_BEST = "P(best): how probable it is that no other version has a higher mean"
_DIFFERENCES = "A difference is the second version less the first{}. The intervals hold for all pairs together"
_BOTH = ", on the questions that both answered"
_LEFT_OUT = "Left out: questions that only one of the two answered"
_COUNTS = "Changed: with another text. Rated: in both"
_OTHERS = "Above 0 is better{undirected}. Each row by itself"


def decision_block(decision: Decision) -> ReportBlock:
    """The verdict, on which look it rests, the versions, their differences, other metrics, and the notes."""
    look = look_sentence(decision)
    return ReportBlock(
        (
            *give_decision_verdict(decision).paragraphs(),
            Paragraph(""),
            *([Paragraph(look)] if look else []),
            version_table(decision),
            difference_table(decision, is_full=False),
            *([other_table(decision)] if decision.others else []),
            *(Paragraph(note, label="Note:") for note in list_notes(decision)),
        )
    )


def version_table(decision: Decision) -> ResultTable:
    """What is known of each version."""
    winner, in_use = better_version(decision), decision.versions[0].name
    is_ranked = len(decision.versions) > 2  # of two, their difference says it all
    has_best = is_ranked and any(one.p_best is not None for one in decision.versions)
    fields = (
        Field("version", "name", lambda one: TableCell(one.name, note=IN_USE if one.name == in_use else "")),
        Field(f"mean {rating_unit(decision)} [likely range]", "mean", _mean, is_left=True),
        *([Field("P(best)", "share", lambda one: one.p_best)] if has_best else []),
        *([Field("ranks", "text", lambda one: _ranks(one.ranks))] if is_ranked else []),
        Field("answers", "count", lambda one: one.n),
        Field("rated", "count", lambda one: one.rated),
    )
    return tabulate(
        "Versions",
        decision.versions,
        fields,
        tone=lambda one: "chosen" if one.name == winner else "",
        note=". ".join([_VERSIONS, *([_RANKS] if is_ranked else []), *([_BEST] if has_best else [])]),
    )


def difference_table(decision: Decision, *, is_full: bool = True) -> ResultTable:
    """How versions differ.

    Args:
        decision: The decision.
        is_full: Whether all pairs stand in it, and what their counts are; else those with the version in use.
    """
    rows = [one for one in decision.differences if is_full or one.first == decision.in_use]
    has_left_out = any(one.left_out for one in rows)
    fields = (
        Field("versions", "name", lambda one: _pair_cell(one, decision)),
        Field("difference", "change", lambda one: _change(one, one.low, one.high), is_left=True),
        Field("p", "p", lambda one: one.p),
        Field("questions", "count", lambda one: one.questions),
        *([Field("left out", "count", lambda one: one.left_out)] if has_left_out else []),
        Field("changed", "count", lambda one: one.changed, "wide"),
        Field("rated", "count", lambda one: one.rated),
    )
    left_out = len(decision.differences) - len(rows)
    others = [f"{count_of(left_out, 'other pair')}: --report or --json"] if left_out else []
    notes = [
        _DIFFERENCES.format(_BOTH if decision.is_paired else ""),
        *([_LEFT_OUT] if has_left_out else []),
        *([_COUNTS] if is_full else others),
    ]
    return tabulate("Differences", rows, fields, note=". ".join(notes))


def other_table(decision: Decision) -> ResultTable:
    """What other metrics say of the versions."""
    fields = (
        Field("metric", "name", lambda one: one.metric),
        Field("versions", "name", pair_name),
        Field("difference", "change", lambda one: _change(one, one.low, one.high), is_left=True),
        Field("p", "p", lambda one: one.p),
    )
    undirected = [name for name in dict.fromkeys(one.metric for one in decision.others) if name in UNDIRECTED]
    but = f" (of {' and '.join(undirected)} neither more nor less)" if undirected else ""
    return tabulate("Other metrics, which do not decide", decision.others, fields, note=_OTHERS.format(undirected=but))


def pair_name(difference: VersionDifference | OtherDifference) -> str:
    """Returns the two versions of a difference, as what is less what."""
    return f"{difference.second} − {difference.first}"


def better_version(decision: Decision) -> str | None:
    """Returns the version that the decision says is better; None where it says of none."""
    return decision.best if decision.verdict in ("ship", "keep") else None


def list_notes(decision: Decision) -> tuple[str, ...]:
    """What a reader should know beside the verdict."""
    return tuple(filter(None, (decision.warning, *decision.notes)))


def look_sentence(decision: Decision) -> str:
    """On which look it rests: on the first one of the runs, when everything is rated, nothing is to be said."""
    look = decision.look
    if look is None:
        return "It holds at any number of looks." if decision.basis in _OF_RATERS else ""
    if look.number == 1 and look.share == 1:
        return ""
    which = "the first look at these versions" if look.number == 1 else f"look {look.number} at these versions"
    known = f"{Figure('share', look.share)} of what all ratings would say"
    return f"This is {which}, with {known}: it errs in {100 * look.error:.2g}% of cases, all looks in 5%."


def rating_unit(decision: Decision) -> str:
    """Returns what the means are of: ratings, scores where no rating counts, net shares of wins, or agreement."""
    units = {"scores": "score", "preferences": "share of wins", "agreement": "agreement"}
    return units.get(decision.basis, "rating")


def _mean(version: VersionEstimate) -> Figure:
    problem = "" if version.low is not None else "no interval"
    return Figure("mean", version.mean, version.low, version.high, problem)


def _pair_cell(difference: VersionDifference, decision: Decision) -> TableCell:
    by_score = difference.by_score and decision.basis != "scores"
    return TableCell(pair_name(difference), note="by the score alone" if by_score else "")


def _change(difference: VersionDifference | OtherDifference, low: float | None, high: float | None) -> Figure:
    return Figure("change", difference.difference, low, high, "" if low is not None else "no interval")


def _ranks(ranks: tuple[int, int]) -> str:
    best, worst = ranks
    return f"{best}" if best == worst else f"{best} to {worst}"
