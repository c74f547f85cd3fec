"""A split of a cross-evaluation in numbers: rates and means over questions, with intervals (Twente paper, 4.7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...meta_eval.estimate import Estimate, estimate_mean
from ...presentation.verdict import Verdict
from ...text.wording import phrase
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
    # `answered[loaded][fold]` is the share of the questions of `fold` that were answered while the fold `loaded` was
    # loaded (Table 3)
    answered: dict[int, dict[int, Estimate]]
    by_fold: dict[str, dict[int, Estimate]]  # `by_fold[name][fold]` is a rate or metric over the questions of one fold
    average: dict[str, Estimate]  # the rate or metric over the questions of all folds, by name
    skipped: dict[str, str] = field(default_factory=dict)  # why a metric has no value at all, by its name
    # how many questions it answered, and of how many: of those that the loaded documents answer, and of the others
    answered_known: tuple[int, int] = (0, 0)
    answered_unknown: tuple[int, int] = (0, 0)

    def give_verdict(self) -> Verdict:
        """Says whether the bot answers what it can know, and whether it makes things up."""
        (known, of_known), (unknown, of_unknown) = self.answered_known, self.answered_unknown
        missing = [("missing", phrase("crosseval_missing", count=self.failed))] if self.failed else []
        return Verdict(
            (
                ("chatbot", phrase("crosseval_answered", answered=known, count=of_known)),
                ("made_up", phrase("crosseval_made_up", made_up=unknown, count=of_unknown)),
                *missing,
            )
        )

    @property
    def balance(self) -> float | None:
        """The mean of the answer rate and the share of unanswerable questions declined; validation chooses by it."""
        answered, hallucinated = self.average[ANSWER_RATE].value, self.average[HALLUCINATION_RATE].value
        return None if answered is None or hallucinated is None else (answered + 1 - hallucinated) / 2


_Value = Callable[[Exchange], float | None]


def summarise_split(exchanges: Sequence[Exchange], metrics: Sequence[str]) -> SplitSummary:
    """Summarises the exchanges of one bot on one split.

    Returns:
        The figures. A rate is the share of the questions (Twente paper, 4.7): of each fold apart (Table 3), and of all
        folds together, as the verdict counts them. It is not the mean of the folds' rates, in which a question of a
        small fold would weigh more.
    """
    answered = [exchange for exchange in exchanges if exchange.declined is not None]
    folds = tuple(sorted({exchange.loaded for exchange in exchanges}))
    values: dict[str, _Value] = {
        ANSWER_RATE: lambda exchange: float(not exchange.declined) if exchange.answerable else None,
        HALLUCINATION_RATE: lambda exchange: None if exchange.answerable else float(not exchange.declined),
        FACTS: lambda exchange: _score(exchange, "factoid"),
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
        answered_known=_count_answered([exchange for exchange in answered if exchange.answerable]),
        answered_unknown=_count_answered([exchange for exchange in answered if not exchange.answerable]),
    )


def _count_answered(exchanges: Sequence[Exchange]) -> tuple[int, int]:
    return sum(not exchange.declined for exchange in exchanges), len(exchanges)


def average_over_questions(exchanges: Sequence[Exchange], value: _Value, *, is_rate: bool) -> Estimate:
    """Computes the mean of the values that there are, with an interval over documents (`estimate_mean`).

    The questions of one document are not independent; with fewer than five documents there is no interval.
    """
    pairs = [(number, exchange.sample.source) for exchange in exchanges if (number := value(exchange)) is not None]
    numbers, documents = [number for number, _ in pairs], [document for _, document in pairs]
    return estimate_mean(numbers, documents, bounds=(0.0, 1.0) if is_rate else None)


def _answer_rate(exchanges: Sequence[Exchange], loaded: int, fold: int) -> Estimate:
    chosen = [exchange for exchange in exchanges if exchange.loaded == loaded and exchange.fold == fold]
    return average_over_questions(chosen, lambda exchange: float(not exchange.declined), is_rate=True)


def _score(exchange: Exchange, metric: str) -> float | None:
    score = exchange.scores.get(metric)
    return None if score is None else score.value


def _reason_for_no_value(exchanges: Sequence[Exchange], metric: str) -> str:
    """Returns why a metric has no value at all, by its first score; "" where it has one."""
    scores = [exchange.scores[metric] for exchange in exchanges if metric in exchange.scores]
    if not scores or any(score.value is not None for score in scores):
        return ""
    return scores[0].reason
