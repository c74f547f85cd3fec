"""One question to a bot while one fold is loaded, and the measures of its answer (Twente paper, 4.3 and 4.7)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import InputError, JudgeError
from ...eval_sets import Sample
from ...judges.embedders import Embedder
from ...languages import FALLBACK
from ...metrics import Declined, Metric, Score
from ..judge_calls import ask_all
from .bots import Bot, BotQuestion
from .pages import Page, PageStore

REFERENCE_METRICS = ("bleu", "rouge_1", "rouge_2", "rouge_l", "bertscore")


@dataclass(frozen=True)
class Exchange:
    """A question to a bot, with its answer and its scores."""

    bot: str
    split: str
    loaded: int
    fold: int
    sample: Sample  # the question, with the bot's answer as `response`
    # whether the bot declined to answer; None without an answer, and where the judge could not say
    declined: bool | None
    # the scores by metric. Reference metrics and Assay's own are of answers to answerable questions; `factoid` is too,
    # and scores 0 where the bot declined.
    scores: Mapping[str, Score]
    failed: str = ""  # why there is no answer, or why it could not be judged; else ""

    @property
    def answerable(self) -> bool:
        """Whether the loaded fold has the answer."""
        return self.loaded == self.fold

    @property
    def unjudged(self) -> bool:
        """Whether there is an answer, of which the judge could not say whether it declines."""
        return self.declined is None and Declined.name in self.scores

    def as_sample(self) -> Sample:
        """Returns the exchange as a sample, so that `assay run` can judge it further."""
        outcome = {
            "bot": self.bot,
            "split": self.split,
            "loaded": self.loaded,
            "answerable": self.answerable,
            "declined": self.declined,
            "scores": {name: score.value for name, score in self.scores.items()},
        } | ({"failed": self.failed} if self.failed else {})
        return self.sample.model_copy(
            update={
                "id": f"{self.sample.id} with fold {self.loaded}",
                "metadata": {**self.sample.metadata, "crosseval": outcome},
            }
        )


@dataclass(frozen=True)
class Setup:
    """How a cross-evaluation is done."""

    declined: Declined
    metrics: Sequence[Metric]
    embedder: Embedder  # finds the pages for a question
    retrieve: int = 3  # the most pages for a question
    least_cosine: float = -1.0  # the lowest cosine of a page with the question, in [-1, 1]
    concurrency: int = 4


async def cross_evaluate(
    samples: Sequence[Sample],
    pages: Mapping[int, Sequence[Page]],
    bot: Bot,
    setup: Setup,
    *,
    split: str,
    on_reply: Callable[[bool], None] = lambda _: None,
) -> list[Exchange]:
    """Asks a bot the questions of all folds, once for each fold loaded."""
    exchanges: list[Exchange] = []
    store = PageStore(setup.embedder)
    for loaded, fold_pages in sorted(pages.items()):
        if not fold_pages:
            raise InputError(f"fold {loaded} has no pages in the {split} split; is this the set's folds file?")
        await store.load(fold_pages)

        async def ask(sample: Sample, loaded: int = loaded) -> Exchange:
            nearest = await store.nearest(sample.user_input, setup.retrieve, setup.least_cosine)
            question = BotQuestion(sample.user_input, nearest, loaded, sample.language or FALLBACK, sample.id)
            answer = await bot.answer(question)
            contexts = tuple(page.text for page in nearest) if answer.contexts is None else answer.contexts
            answered = sample.model_copy(update={"response": answer.text, "retrieved_contexts": contexts})
            declined, scores = await _measure(answered, setup, answerable=question_fold(sample) == loaded)
            problem = scores[setup.declined.name].reason if declined is None else ""
            return Exchange(bot.name, split, loaded, question_fold(sample), answered, declined, scores, problem)

        results = await ask_all(samples, ask, concurrency=setup.concurrency, on_reply=on_reply)
        exchanges += [
            Exchange(bot.name, split, loaded, question_fold(sample), sample, None, {}, str(result))
            if isinstance(result, JudgeError)
            else result
            for sample, result in zip(samples, results, strict=True)
        ]
    return exchanges


def question_fold(sample: Sample) -> int:
    """Returns the fold of a question.

    Returns:
        The fold's number, from `metadata.fold`.
    """
    fold = sample.metadata.get("fold")
    if not isinstance(fold, int):
        raise InputError(
            f"sample {sample.id}, field metadata.fold: the set does not say which fold the question is of; make it "
            "with `assay sets generate`, with folds"
        )
    return fold


async def _measure(sample: Sample, setup: Setup, *, answerable: bool) -> tuple[bool | None, dict[str, Score]]:
    """Returns whether the answer declines, None where that is unknown, and all scores."""
    refusal = await setup.declined.assess(sample)
    declined = None if refusal.value is None else bool(refusal.value)
    scores = {setup.declined.name: refusal}
    for metric in setup.metrics if answerable else ():
        is_factoid = metric.name == "factoid"
        if is_factoid and sample.metadata.get("kind") != "factoid":
            continue
        if is_factoid and declined:  # a refusal states no fact, whatever else it says
            scores[metric.name] = Score(0.0, "scored", "the bot declined to answer")
        elif declined is False:
            scores[metric.name] = await metric.assess(sample)
    return declined, scores
