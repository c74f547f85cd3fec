"""What the card of a judge says first of one set: how closely it follows the ratings, what it is worth, its cost."""

from ...meta_eval.comparison import MOST_RATINGS, find_standing, round_ratings
from ...meta_eval.recommendation import STRENGTHS
from ...presentation.figure import Figure
from ...presentation.texts import one_line
from ...presentation.verdict import Verdict
from ...text.wording import Phrase, phrase
from .judge_card import SetCard

_LONGEST_NAME = 24  # characters
_WORTH = {"better": "worth_more", "worse": "worth_less", "equivalent": "worth_same"}


def give_card_verdict(judge: str, card: SetCard) -> Verdict:
    """Says what a judge is worth on one set; a line that has nothing to say is left out."""
    others = [
        ("worth", _worth(card)),
        ("weakness", _weakness(card)),
        ("cost", _cost(card)),
    ]
    further = [(about, says) for about, says in others if says is not None]
    return Verdict((("judge", *_how_it_follows(judge, card)), *further))


def _how_it_follows(judge: str, card: SetCard) -> tuple[Phrase, ...]:
    rho, names = card.judge.spearman, {"judge": one_line(judge, _LONGEST_NAME), "set": one_line(card.set_name, 24)}
    if rho.value is None:
        return phrase("judge_unknown", **names), phrase("judge_unknown_shortly")
    likely = phrase("nothing")
    if rho.low is not None and rho.high is not None:
        likely = phrase("likely", low=Figure("rho", rho.low), high=Figure("rho", rho.high))
    how = phrase(next((word for least, word in STRENGTHS if rho.value >= least), "weakly"))
    values = {**names, "agreement": Figure("rho", rho.value), "likely": likely, "how": how}
    name = "judge_follows" if (rho.low or 0.0) > 0 else "judge_against" if (rho.high or 0.0) < 0 else "judge_open"
    return phrase(name, **values), phrase(f"{name}_shortly", **values)


def _worth(card: SetCard) -> Phrase | None:
    """Whether it agrees better with the ratings than counting the words that answer and context share."""
    if card.difference.value is None:
        return None
    standing = find_standing(card.difference)
    if standing.kind in _WORTH:
        return phrase(_WORTH[standing.kind])
    more = standing.more_ratings
    if more is None:
        return phrase("worth_open")
    if more > MOST_RATINGS:
        return phrase("worth_beyond")
    return phrase("worth_open_more", count=round_ratings(more))


def _weakness(card: SetCard) -> Phrase | None:
    """What is worst of what was measured: hidden instructions that work, verdicts that change, answers without one."""
    injections = card.injections
    if injections is not None and injections.worked > (injections.again or 0):
        return phrase("weak_injections", count=injections.tried, worked=injections.worked)
    if card.flips.value:
        return phrase("weak_flips", share=Figure("share", card.flips.value))
    if card.failed:
        return phrase("weak_failed", failed=card.failed, answers=phrase("answers", count=card.answers))
    return None


def _cost(card: SetCard) -> Phrase | None:
    if card.cost is None or card.cost.usd is None:
        return None
    return phrase("cost", usd=Figure("price", card.cost.usd)) if card.cost.usd else phrase("cost_free")
