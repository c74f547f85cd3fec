"""A split of a cross-evaluation in numbers: rates and means over questions, with intervals (Twente paper, 4.7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ...meta_eval.estimate import Estimate, estimate_mean
from ...metrics import Declined
from ...presentation.figure import Figure
from ...presentation.verdict import Verdict
from ...text.wording import Phrase, phrase
from .exchange import Exchange

ANSWER_RATE = "answer rate"
HALLUCINATION_RATE = "hallucination rate"
FACTS = "facts correct"
RATES = (ANSWER_RATE, HALLUCINATION_RATE, FACTS)


@dataclass(frozen=True)
class SplitSummary:
    """One split of one bot in numbers."""

    bot: str
    split: str  # `validation` or `test`
    folds: tuple[int, ...]
    exchanges: int
    failed: int  # the number of exchanges without an answer, which count in no other figure
    unjudged: int  # the number of answers of which the judge could not say whether they decline
    # the number of answers that both decline and answer, and count as answered; None where a judge decides
    undecided: int | None
    # `answered[loaded][fold]` is the share of the questions of `fold` that were answered while the fold `loaded` was
    # loaded (Table 3). Of a share without a value, because answers are not judged, low and high are its bounds.
    answered: dict[int, dict[int, Estimate]]
    by_fold: dict[str, dict[int, Estimate]]  # `by_fold[name][fold]` is a rate or metric over the questions of one fold
    average: dict[str, Estimate]  # the rate or metric over the questions of all folds, by name
    skipped: dict[str, str] = field(default_factory=dict)  # why a metric has no value at all, by its name
    # how many questions it answered, and of how many: of those that the loaded documents answer, and of the others;
    # and how many more it may have answered, since they are not judged
    answered_known: tuple[int, int] = (0, 0)
    answered_unknown: tuple[int, int] = (0, 0)
    unjudged_known: int = 0
    unjudged_unknown: int = 0

    def give_verdict(self) -> Verdict:
        """Says whether the bot answers what it can know, and whether it makes things up."""
        known = _count(self.answered_known, self.unjudged_known, self.average[ANSWER_RATE])
        unknown = _count(self.answered_unknown, self.unjudged_unknown, self.average[HALLUCINATION_RATE])
        made_up = "crosseval_made_up" if self.undecided is None else "crosseval_made_up_by_patterns"
        statements = [
            ("chatbot", phrase("crosseval_answered", **known)),
            ("made_up", phrase(made_up, **unknown)),
        ]
        if self.unjudged:
            statements.append(("judge", phrase("crosseval_unjudged", count=self.unjudged)))
        if self.undecided is not None:
            text = "crosseval_undecided" if self.undecided else "crosseval_patterns"
            statements.append(("decided_by", phrase(text, count=self.undecided)))
        if self.failed:
            statements.append(("missing", phrase("crosseval_missing", count=self.failed)))
        return Verdict(tuple(statements))

    @property
    def balance(self) -> float | None:
        """The mean of the answer rate and the share of unanswerable questions declined; validation chooses by it.

        Of a rate that is not known because answers are not judged, the middle of its bounds counts.
        """
        answered, hallucinated = _middle(self.average[ANSWER_RATE]), _middle(self.average[HALLUCINATION_RATE])
        return None if answered is None or hallucinated is None else (answered + 1 - hallucinated) / 2


def _count(answered: tuple[int, int], unjudged: int, rate: Estimate) -> dict[str, int | Phrase | str]:
    """How many questions were answered, and of how many; the interval of their share where all answers are judged."""
    count, of_count = answered
    likely: Phrase | str = ""
    if not unjudged and rate.low is not None:
        likely = phrase("likely", low=Figure("share", rate.low), high=Figure("share", rate.high))
    more = phrase("count_to_count", low=count, high=count + unjudged) if unjudged else count
    return {"answered": more, "count": of_count, "likely": likely}


def _middle(rate: Estimate) -> float | None:
    if rate.value is None and rate.low is not None and rate.high is not None:
        return (rate.low + rate.high) / 2
    return rate.value


_Value = Callable[[Exchange], tuple[float, float] | None]
"""The least and the greatest that an exchange may count for, which differ where it is not judged; None where it does
not count."""


def summarise_split(
    exchanges: Sequence[Exchange], metrics: Sequence[str], *, by_patterns: bool = False
) -> SplitSummary:
    """Summarises the exchanges of one bot on one split; `by_patterns` is whether no judge decides what declines.

    Returns:
        The figures. A rate is the share of the questions (Twente paper, 4.7): of each fold apart (Table 3), and of all
        folds together, as the verdict counts them. It is not the mean of the folds' rates, in which a question of a
        small fold would weigh more.
    """
    answered = [exchange for exchange in exchanges if exchange.declined is not None or exchange.unjudged]
    known = [exchange for exchange in answered if exchange.answerable]
    unknown = [exchange for exchange in answered if not exchange.answerable]
    refusals = [exchange.scores[Declined.name] for exchange in answered if Declined.name in exchange.scores]
    folds = tuple(sorted({exchange.loaded for exchange in exchanges}))
    values: dict[str, _Value] = {
        ANSWER_RATE: lambda exchange: _answers(exchange) if exchange.answerable else None,
        HALLUCINATION_RATE: lambda exchange: None if exchange.answerable else _answers(exchange),
        FACTS: _fact,
    }
    for metric in metrics:
        if metric != "factoid":
            values[metric] = lambda exchange, metric=metric: _score(exchange, metric)  # type: ignore[misc]
    return SplitSummary(
        bot=exchanges[0].bot,
        split=exchanges[0].split,
        folds=folds,
        exchanges=len(exchanges),
        failed=len(exchanges) - len(answered),
        unjudged=sum(exchange.unjudged for exchange in answered),
        undecided=sum("undecided" in score.evidence for score in refusals) if by_patterns else None,
        answered={loaded: {fold: _answer_rate(answered, loaded, fold) for fold in folds} for loaded in folds},
        by_fold={
            name: {
                fold: average_over_questions(
                    [exchange for exchange in answered if exchange.fold == fold], value, is_rate=name in RATES
                )
                for fold in folds
            }
            for name, value in values.items()
        },
        average={
            name: average_over_questions(answered, value, is_rate=name in RATES) for name, value in values.items()
        },
        skipped={metric: reason for metric in metrics if (reason := _reason_for_no_value(answered, metric))},
        answered_known=_count_answered(known),
        answered_unknown=_count_answered(unknown),
        unjudged_known=sum(exchange.unjudged for exchange in known),
        unjudged_unknown=sum(exchange.unjudged for exchange in unknown),
    )


def _count_answered(exchanges: Sequence[Exchange]) -> tuple[int, int]:
    return sum(exchange.declined is False for exchange in exchanges), len(exchanges)


def average_over_questions(exchanges: Sequence[Exchange], value: _Value, *, is_rate: bool) -> Estimate:
    """Computes the mean of the values that there are, with an interval over documents (`estimate_mean`).

    The questions of one document are not independent; with fewer than five documents there is no interval. Where
    answers are not judged there is no value: low and high are those if all of these, or none, count.
    """
    pairs = [(ends, exchange.sample.source) for exchange in exchanges if (ends := value(exchange)) is not None]
    lowest, highest = [low for (low, _), _ in pairs], [high for (_, high), _ in pairs]
    documents = [document for _, document in pairs]
    if lowest != highest:
        problem = "answers are not judged"
        return Estimate(None, fmean(lowest), fmean(highest), len(pairs), len(set(documents)), problem=problem)
    return estimate_mean(lowest, documents, bounds=(0.0, 1.0) if is_rate else None)


def _answer_rate(exchanges: Sequence[Exchange], loaded: int, fold: int) -> Estimate:
    chosen = [exchange for exchange in exchanges if exchange.loaded == loaded and exchange.fold == fold]
    return average_over_questions(chosen, _answers, is_rate=True)


def _answers(exchange: Exchange) -> tuple[float, float]:
    """Whether an exchange counts as answered."""
    return (0.0, 1.0) if exchange.declined is None else (float(not exchange.declined),) * 2


def _fact(exchange: Exchange) -> tuple[float, float] | None:
    """Whether the fact is right; 0 to 1 of an answer that is not judged, since a refusal states no fact."""
    is_unknown = exchange.unjudged and exchange.answerable and exchange.sample.metadata.get("kind") == "factoid"
    return (0.0, 1.0) if is_unknown else _score(exchange, "factoid")


def _score(exchange: Exchange, metric: str) -> tuple[float, float] | None:
    score = exchange.scores.get(metric)
    return None if score is None or score.value is None else (score.value, score.value)


def _reason_for_no_value(exchanges: Sequence[Exchange], metric: str) -> str:
    """Returns why a metric has no value at all, by its first score; "" where it has one."""
    scores = [exchange.scores[metric] for exchange in exchanges if metric in exchange.scores]
    if not scores or any(score.value is not None for score in scores):
        return ""
    return scores[0].reason
