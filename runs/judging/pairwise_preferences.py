"""Which version's answer a judge prefers, for each question and each two versions, and how far the order decides."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from ...errors import JudgeError
from ...eval_sets import Sample
from ...eval_sets.conversation import earlier_messages, opening_question
from ...eval_sets.preference import Choice, Preference
from ...judges import JudgeLike
from ...judges.usage import Usage
from ...meta_eval.estimate import Estimate, estimate, estimate_mean
from ...metrics import Pairwise, Score
from ...metrics.pairwise import pairwise_request
from ...metrics.sample_state import Thread, fit_results, write_thread
from ...text.wording import count_of, list_first, verb_of
from ..score.execute import Keep, execute

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats

CONCURRENCY = 4


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How far a judge's choices between two answers depend on which of them it reads first."""

    comparisons: int  # how many pairs of answers it was asked about, each in both orders
    # of its choices, the share that fell on the answer that it read first; 0.5 without a bias. No value where it never
    # chose.
    first_shown: Estimate
    # the share of the comparisons in which it preferred one answer in one order and the other answer in the other
    # order; these are ties
    contradictions: Estimate

    @property
    def sentence(self) -> str:
        """What a reader should know, in a sentence."""
        if not self.comparisons:
            return "No answers differed, and the judge was asked about none."
        asked = count_of(self.comparisons, "comparison")
        turned = f"of {asked}, {self.contradictions.value or 0:.0%} turned around with the order and are ties"
        if self.first_shown.value is None:
            return f"The judge preferred neither answer in all of {asked}."
        first = self.first_shown
        interval = "" if first.low is None else f" (likely {first.low:.0%} to {first.high:.0%})"
        share = f"{first.value:.0%}{interval}"
        return f"The judge chose the answer that it read first in {share} of its choices, 50% being fair; {turned}."


@dataclass(frozen=True, slots=True)
class PairwisePreferences:
    """What a judge prefers between versions."""

    preferences: tuple[Preference, ...]  # one per question and two versions; the rater is the judge
    # of each that the judge was asked about, the score of `pairwise`, whose evidence has both orders
    scores: tuple[Score, ...]
    position: PositionBias  # how far the order decides
    usage: Usage
    failures: tuple[str, ...]  # why a comparison failed, of each that did
    notes: tuple[str, ...]  # what a reader should know: what was not compared


def measure_position_bias(scores: Sequence[Score], groups: Sequence[str]) -> PositionBias:
    """Measures how far the order of two answers decides which one a judge prefers."""
    import numpy as np

    first, chosen, turned, sources = [], [], [], []
    for score, group in zip(scores, groups, strict=True):
        orders = score.evidence.get("orders") or ()
        if score.value is None or not orders:
            continue
        choices = [order for order in orders if order["choice"] != "tie"]
        first.append(float(sum(order["choice"] == order["shown_first"] for order in choices)))
        chosen.append(float(len(choices)))
        turned.append(float(score.evidence["contradiction"]))
        sources.append(group)
    firsts, counts = np.array(first), np.array(chosen)

    def share(weights: "Floats") -> "Floats":
        with np.errstate(invalid="ignore", divide="ignore"):
            values: Floats = (firsts @ weights) / (counts @ weights)
        return values

    if not counts.sum():
        first_shown = Estimate(None, n=0, problem="the judge chose neither answer in every comparison")
    else:
        first_shown = estimate(share, sources, scale="logit")
    return PositionBias(len(turned), first_shown, estimate_mean(turned, sources, bounds=(0, 1)))


def net_preferences(preferences: Iterable[Preference]) -> dict[str, dict[str, float]]:
    """Returns how much each version's answer to each question is preferred to those of the other versions.

    The mean over its comparisons (with each other version, by each rater): 1 where it is preferred, -1 where the other
    is, 0 for a tie.

    Returns:
        question -> version -> the mean, in [-1, 1].

    Example:
        >>> made = [Preference("1", "a", "b", "second"), Preference("1", "a", "c", "tie")]
        >>> net_preferences(made)
        {'1': {'a': -0.5, 'b': 1.0, 'c': 0.0}}
    """
    values: dict[str, dict[str, list[int]]] = {}
    for preference in preferences:
        of_question = values.setdefault(preference.question, {})
        of_question.setdefault(preference.first, []).append(-preference.value)
        of_question.setdefault(preference.second, []).append(preference.value)
    return {
        question: {version: sum(numbers) / len(numbers) for version, numbers in of_question.items()}
        for question, of_question in values.items()
    }


async def prefer_versions(
    questions: Mapping[str, Mapping[str, Sample]],
    judge: JudgeLike,
    *,
    concurrency: int = CONCURRENCY,
    keep: Keep | None = None,
) -> PairwisePreferences:
    """Asks a judge which version's answer it prefers, for each question and each two versions, in both orders.

    The same answer twice is a tie, and an empty answer loses; nobody is asked about these. Where versions read other
    contexts, the judge reads those of both. Conversations that differ before the last answer are compared as a whole,
    by the policy that they have.
    """
    metric = Pairwise(judge)
    preferences: dict[str, Preference] = {}
    comparisons: dict[str, Sample] = {}
    failures: list[str] = []
    for question, answers in questions.items():
        for (first, one), (second, other) in combinations(answers.items(), 2):
            key = f"{question}: {first}, {second}"
            pair = Preference(question, first, second, "tie", metric.judge.name, one.source)
            preferences[key] = pair
            if choice := _choose_unasked(one, other):
                preferences[key] = replace(pair, choice=choice[0], reason=choice[1])
                continue
            try:
                comparisons[key] = _compare(key, one, other, metric)
            except JudgeError as error:
                failures.append(str(error))
                del preferences[key]
    scores: dict[str, Score] = {}

    def keep_score(sample: Sample, of_sample: dict[str, Score]) -> None:
        if metric.name in of_sample:
            scores[sample.id] = of_sample[metric.name]
        if keep is not None:
            keep(sample, of_sample)

    await execute(comparisons.values(), [metric], keep_score, concurrency=concurrency)
    for key in comparisons:
        score = scores[key]
        if score.value is None:
            failures.append(score.reason)
            del preferences[key]
        else:
            preferences[key] = replace(preferences[key], choice=score.evidence["choice"], reason=score.reason)
    asked = tuple(scores[key] for key in comparisons)
    groups = [comparisons[key].source for key in comparisons]
    usage = Usage.total([score.usage for score in asked])
    position = measure_position_bias(asked, groups)
    return PairwisePreferences(
        tuple(preferences.values()), asked, position, usage, tuple(failures), _describe_failures(failures)
    )


def _describe_failures(failures: Sequence[str]) -> tuple[str, ...]:
    if not failures:
        return ()
    count = len(failures)
    failed = f"{count_of(count, 'comparison')} failed and {verb_of(count, 'does', 'do')} not count"
    return (f"{failed}: {list_first(list(dict.fromkeys(failures)))}",)


def _choose_unasked(one: Sample, other: Sample) -> tuple[Choice, str] | None:
    """The choice between two answers of which one is empty, or which are the same; None where a judge is asked."""
    if one.has_same_texts(other):
        return "tie", "the two answers are the same"
    empty = [not sample.response.strip() and not sample.messages for sample in (one, other)]
    if all(empty):
        return "tie", "both answers are empty"
    if any(empty):
        return ("second", "the first answer is empty") if empty[0] else ("first", "the second answer is empty")
    return None


def _compare(key: str, one: Sample, other: Sample, metric: Pairwise) -> Sample:
    """The sample in which the metric compares the two answers."""
    changes = {"id": key, "group": one.source}
    if _start(one) == _start(other):
        contexts = tuple(dict.fromkeys((*one.retrieved_contexts, *other.retrieved_contexts)))
        return one.model_copy(update=changes | {"other_response": other.response, "retrieved_contexts": contexts})

    def write(most: int | None) -> tuple[Sample, Thread, Thread]:
        threads = write_thread(one, most), write_thread(other, most)
        policies = tuple(filter(None, dict.fromkeys((one.policy, other.policy))))
        texts = {"response": threads[0].text, "other_response": threads[1].text, "retrieved_contexts": policies}
        whole = one.model_copy(update=changes | texts | {"user_input": opening_question(one), "messages": ()})
        return whole, *threads

    return fit_results(write, metric.judge, lambda written: pairwise_request(written[0], metric.prompts))[0]


def _start(sample: Sample) -> tuple[object, ...]:
    """What an answer follows: messages, calls of tools and results, or none."""
    before = [(message.role, message.text, message.tool_calls) for message in sample.messages[: sample.turn]]
    return sample.user_input, before, earlier_messages(sample)
