"""One question put to a bot while one fold is loaded, and what its answer measures (003, 4.3 and 4.7)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import InputError, JudgeError
from ...eval_sets import Sample
from ...judges.embedders import Embedder
from ...metrics import Declined, Metric, Score
from ..judge_calls import ask_all
from .bots import Bot, BotQuestion
from .pages import Page, PageStore

REFERENCE_METRICS = ("bleu", "rouge_1", "rouge_2", "rouge_l", "bertscore", "bleurt")


@dataclass(frozen=True)
class Exchange:
    """A question, the bot's answer in its `sample.response`, and what was measured; `failed` says why there is none.

    `answerable`: the question is of the loaded fold. `declined` None where there is no answer. Reference metrics and
    Assay's own are of answers to answerable questions; `factoid` too, where declining is failing.
    """

    bot: str
    split: str
    loaded: int
    fold: int
    sample: Sample
    declined: bool | None
    scores: Mapping[str, Score]
    failed: str = ""

    @property
    def answerable(self) -> bool:
        """Whether the loaded fold holds the answer."""
        return self.loaded == self.fold

    def as_sample(self) -> Sample:
        """The exchange as a sample of a set: `assay run` can judge it further."""
        told = {
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
                "metadata": {**self.sample.metadata, "crosseval": told},
            }
        )


@dataclass(frozen=True)
class Setup:
    """How a cross-evaluation is done: what is measured, and how many pages are retrieved, none below `least_cosine`."""

    declined: Declined
    metrics: Sequence[Metric]
    embedder: Embedder
    retrieve: int = 3
    least_cosine: float = -1.0
    qdrant_url: str = ""
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
    """Asks a bot the questions of all folds once for each fold loaded. `pages` has those of each fold.

    Raises `InputError` for a question without a fold, `BudgetReached` at a bound.
    """
    exchanges: list[Exchange] = []
    with PageStore(setup.embedder, setup.qdrant_url) as store:
        for loaded, here in sorted(pages.items()):
            if not here:
                raise InputError(f"fold {loaded} has no pages in the {split} split; is this the set's folds file?")
            await store.load(here)

            async def put(sample: Sample, loaded: int = loaded) -> Exchange:
                found = await store.nearest(sample.user_input, setup.retrieve, setup.least_cosine)
                question = BotQuestion(sample.user_input, found, loaded, sample.language or "en", sample.id)
                said = await bot.answer(question)
                contexts = tuple(page.text for page in found) if said.contexts is None else said.contexts
                answered = sample.model_copy(update={"response": said.text, "retrieved_contexts": contexts})
                declined, scores = await _measured(answered, setup, answerable=question_fold(sample) == loaded)
                why_not = scores[setup.declined.name].reason if declined is None else ""
                return Exchange(bot.name, split, loaded, question_fold(sample), answered, declined, scores, why_not)

            done = await ask_all(samples, put, concurrency=setup.concurrency, on_reply=on_reply)
            exchanges += [
                Exchange(bot.name, split, loaded, question_fold(sample), sample, None, {}, str(found))
                if isinstance(found, JudgeError)
                else found
                for sample, found in zip(samples, done, strict=True)
            ]
    return exchanges


async def _measured(sample: Sample, setup: Setup, *, answerable: bool) -> tuple[bool | None, dict[str, Score]]:
    decline = await setup.declined.assess(sample)
    declined = None if decline.value is None else bool(decline.value)
    scores = {setup.declined.name: decline}
    for metric in setup.metrics if answerable else ():
        factoid = metric.name == "factoid"
        if factoid and sample.metadata.get("kind") != "factoid":
            continue
        if factoid and declined:  # a refusal states no fact, whatever else it says
            scores[metric.name] = Score(0.0, "scored", "the bot declined to answer")
        elif declined is False:
            scores[metric.name] = await metric.assess(sample)
    return declined, scores


def question_fold(sample: Sample) -> int:
    """The fold of a question. Raises `InputError` where the set does not say."""
    fold = sample.metadata.get("fold")
    if not isinstance(fold, int):
        raise InputError(
            f"sample {sample.id}, field metadata.fold: the set does not say which fold the question is of; make it "
            "with `assay generate`, with folds"
        )
    return fold
