"""What a decision between versions says first: which one, by how much, on what it rests, and what would settle it."""

from typing import Any

from ...presentation.figure import Figure
from ...presentation.texts import one_line, shorten_names
from ...presentation.verdict import Verdict
from ...text.wording import Phrase, phrase
from ..comparison import round_ratings
from .version_decision import Decision

_LONGEST_NAME = 24  # characters
_DIFFERENCES = {"preferences": "wins", "scores": "scores"}  # else `rated`


def give_decision_verdict(decision: Decision) -> Verdict:
    """Says a decision by ratings, preferences or scores in four lines, or three where it is settled."""
    settle = [("settle", _what_settles(decision))] if decision.verdict == "unsettled" else []
    return Verdict(
        (
            ("decision", *_describe_decision(decision)),
            ("difference", *_describe_difference(decision)),
            ("rests_on", *_describe_basis(decision)),
            *settle,
        )
    )


def decision_as_json(decision: Decision) -> dict[str, Any]:
    """The sentence, the lines of the verdict and all values as JSON values; `verdict` is ship, keep or another word."""
    return decision.as_json() | {"verdict_lines": give_decision_verdict(decision).as_json()}


def _names(decision: Decision) -> dict[str, object]:
    """The two versions of the deciding difference: the one in use, and which of them looks better."""
    row = decision.deciding
    in_use, rival = shorten_names((row.first, row.second), _LONGEST_NAME)
    better, other = (rival, in_use) if row.difference >= 0 else (in_use, rival)
    return {"in_use": in_use, "better": better, "other": other}


def _describe_decision(decision: Decision) -> tuple[Phrase, ...]:
    names, is_pair = _names(decision), len(decision.versions) == 2
    if decision.verdict == "ship":
        return phrase("ship", **names), phrase("ship_shortly", **names)
    if decision.verdict == "keep":
        kept = names | {"better": names["in_use"], "margin": Figure("rating", decision.margin)}
        text = phrase("keep_best", **kept) if _is_near(decision) else phrase("keep", **names)
        return text, phrase("keep_shortly", **kept)
    if decision.verdict == "equivalent":
        return phrase("alike" if is_pair else "all_alike", **names), phrase("alike_shortly")
    return phrase("unsettled", **names), phrase("unsettled_shortly")


def _is_near(decision: Decision) -> bool:
    """Whether the decision says that the two differ by less than the margin, and not that one of them is better."""
    if decision.verdict == "keep":
        return (decision.deciding.high or 0.0) >= 0
    return decision.verdict == "equivalent"


def _describe_difference(decision: Decision) -> tuple[Phrase, ...]:
    row, is_share = decision.deciding, decision.basis == "preferences"

    def figure(number: float) -> Figure:
        return Figure("share" if is_share else "mean", number)

    ends = (row.low, row.high) if row.difference >= 0 else (row.high, row.low)
    low, high = (None if end is None else end if row.difference >= 0 else -end for end in ends)
    if _is_near(decision) and low != high:
        likely = phrase("likely_less", margin=figure(decision.margin))
    elif low is None or high is None:
        likely = phrase("unsure")
    elif low == high:
        likely = phrase("nothing")
    elif low < 0:
        likely = phrase("likely_between", lower=figure(-low), higher=figure(max(high, 0.0)))
    else:
        likely = phrase("likely_range", low=figure(low), high=figure(high))
    values = _names(decision) | {
        "amount": figure(abs(row.difference)),
        "lowest": Figure("rating", decision.scale[0]),
        "highest": Figure("rating", decision.scale[1]),
        "measure": one_line(decision.measure, _LONGEST_NAME) if decision.measure else phrase("a_score"),
        "likely": likely,
    }
    is_alike = str(values["amount"]) in {"0.00", "0%"}
    name = f"{_DIFFERENCES.get(decision.basis, 'rated')}_{'alike' if is_alike else 'higher'}"
    return phrase(name, **values), phrase(f"{name}_shortly", **values)


def _describe_basis(decision: Decision) -> tuple[Phrase, ...]:
    if decision.basis == "scores":
        return (phrase("on_scores" if any(one.rated for one in decision.versions) else "on_scores_alone"),)
    if decision.basis == "preferences":
        return (phrase("on_preferences", margin=Figure("share", decision.margin)),)
    values = {
        "rated": sum(one.rated for one in decision.versions),
        "answers": phrase("answers", count=sum(one.n for one in decision.versions)),
        "measure": one_line(decision.measure, _LONGEST_NAME),
        "margin": Figure("rating", decision.margin),
    }
    name = "on_ratings_and_scores" if decision.basis == "ratings and scores" and decision.measure else "on_ratings"
    basis = phrase(name, **values)
    if decision.warning:
        return phrase("not_at_random", basis=basis), phrase("not_at_random", basis=phrase("on_ratings", **values))
    if not decision.is_paired:
        return phrase("unpaired", basis=basis), phrase("unpaired", basis=phrase("on_ratings", **values))
    matters = decision.verdict == "unsettled" or _is_near(decision)
    return phrase("with_margin", basis=basis, **values) if matters else basis, basis


def _what_settles(decision: Decision) -> Phrase:
    needs = decision.needs
    if needs.is_beyond:
        return phrase("settle_beyond")
    more = needs.answers if needs.ratings is None else needs.ratings
    if more is None:
        return phrase("settle_unknown")
    if needs.low is None and needs.ratings is not None and not needs.is_equal:  # where hardly anything is rated
        name = "settle_rate_one" if decision.to_rate else "settle_rate"
        version = one_line(decision.to_rate, _LONGEST_NAME)
        return phrase(name, count=round_ratings(more, zeros=0), version=version)
    kind = "of_ratings" if needs.answers is None else "of_answers"
    amount = phrase("of_choices" if decision.basis == "preferences" else kind, count=round_ratings(more, zeros=0))
    if needs.is_equal:
        return phrase("settle_equal", amount=amount, margin=Figure("rating", decision.margin))
    likely = phrase("nothing")
    if needs.low is not None and needs.high and round_ratings(needs.low, zeros=0) < round_ratings(needs.high, zeros=0):
        likely = phrase("likely", low=round_ratings(needs.low, zeros=0), high=round_ratings(needs.high, zeros=0))
    elif needs.low is not None and not needs.high:
        likely = phrase("or_more", low=round_ratings(needs.low, zeros=0))
    return phrase("settle", amount=amount, likely=likely)
