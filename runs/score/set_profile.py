"""What the samples of a run have, so that a metric that can score none of them is noticed before anything is paid."""

from collections.abc import Iterable, Iterator, Sequence

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.levels import Level, Turns
from ...eval_sets.turns import is_single_answer, is_turn, measured_levels
from ...installation import install_command, missing_packages
from ...metrics import Metric
from ...metrics.catalogue import measures_conversation
from ...metrics.metric import FURTHER_NEEDS, has_field
from ...metrics.specification import ALL_BASELINES, BASELINES, CONVERSATION_BASELINES, DEFAULT_METRICS
from ...text.wording import count_of
from ..answers.rating_direction import describe_ratings, is_of_first_answer, rates_pair
from ..store.plan import CONVERSATION_DEFAULTS, EFFORT_BY_TURNS, EFFORT_BY_WORDS


class SetProfile:
    """Counts the samples of a run and remembers which fields they have.

    Attributes:
        conversations: How many of them are conversations; their turns do not count.
    """

    def __init__(self, turns: Turns = "last") -> None:
        self.count = 0
        self.conversations = 0
        self._pair_ratings = self._first_ratings = 0
        self._single = 0  # of them those of one answer
        self._unused_ratings = 0  # of answers in conversations that are neither samples of their own nor under test
        self._turns = turns
        self._fields: set[tuple[frozenset[Level], frozenset[str]]] = set()

    def observe(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """Yields the samples, and counts them."""
        for sample in samples:
            self.count += 1
            self.conversations += bool(sample.messages) and not (self._turns == "each" and is_turn(sample))
            self._pair_ratings += rates_pair(sample)
            self._first_ratings += is_of_first_answer(sample)
            self._single += is_single_answer(sample)
            if self._turns != "each" and sample.human_rating is None and not is_turn(sample):
                replies = [(turn, one) for turn, one in enumerate(sample.messages) if one.is_reply]
                rated = [turn for turn, one in replies if one.human_rating is not None]
                self._unused_ratings += len(rated) - (sample.turn in rated)
            fields = frozenset(name for name in (*type(sample).model_fields, *FURTHER_NEEDS) if has_field(sample, name))
            self._fields.add((measured_levels(sample, self._turns), fields))
            yield sample

    def check(self, metrics: Sequence[Metric]) -> None:
        """Checks that the metrics that were chosen can score a sample; of the default ones, that any can."""
        chosen = [metric for metric in metrics if metric.name not in BASELINES]
        asked = [metric for metric in chosen if metric.name not in ALL_BASELINES]
        unscorable = [
            metric for metric in chosen if self.count and not self._can_score(metric) and not self._leaves_out(metric)
        ]
        names = {metric.name for metric in asked} - {*CONVERSATION_DEFAULTS}
        is_default = names == {*DEFAULT_METRICS} - {*BASELINES}
        if not unscorable or (is_default and len(unscorable) < len(asked)):
            return
        metric = unscorable[0]
        own = [fields for levels, fields in self._fields if metric.measures in levels]
        if not own:
            raise UsageError(
                f"{metric.name} can score none of the {count_of(self.count, 'sample')}: it is a metric of a "
                "conversation, and all of them are turns of one; say --turns last, or choose other metrics"
            )
        if "response" in metric.needs and not any("response" in fields for fields in own):
            raise UsageError(
                f"{metric.name} can score none of the {count_of(self.count, 'sample')}: all answers are empty. Find "
                "out why the chatbot said nothing, or choose other metrics"
            )
        missing = [name for name in metric.needs if not any(name in fields for fields in own)]
        cure = _cure(missing[0]) if missing else "Give one sample all of them"
        raise UsageError(
            f"{metric.name} can score none of the {count_of(self.count, 'sample')}: it needs "
            f"{' and '.join(missing or metric.needs)}, "
            f"which none of them has. {cure}, or choose other metrics"
        )

    def _can_score(self, metric: Metric) -> bool:
        return any(
            metric.measures in levels and not metric.missing_fields(fields.__contains__)
            for levels, fields in self._fields
        )

    def _leaves_out(self, metric: Metric) -> bool:
        """Whether the choice of turns (`none`) leaves a metric out."""
        return self._turns == "none" and self.conversations > 0 and metric.measures == "answer"

    def metrics_of_conversations(self, *, has_defaults: bool) -> tuple[str, ...]:
        """The metrics that are scored too of conversations: their baselines, and those of a default run."""
        own = [EFFORT_BY_TURNS if missing_packages("numeric") else EFFORT_BY_WORDS]
        if any("metadata.expected_actions" in fields for _, fields in self._fields):
            own.append("tool_calls")
        has_own = has_defaults and self.conversations > self._single
        return (*(own if has_own else ()), *CONVERSATION_BASELINES) if self.conversations else ()

    @property
    def rating_notes(self) -> list[str]:
        """What the ratings of samples with two answers are taken for."""
        return describe_ratings(self._pair_ratings, self._first_ratings)

    def notes(self, metrics: Sequence[str], added: Sequence[str] = ()) -> tuple[str, ...]:
        """Which ratings no metric meets, and what is not measured; `added` are scored though nobody asked for them."""
        notes = self.rating_notes
        notes += filter(None, [self._describe_unmeasured(metrics, added)])
        if self._unused_ratings:
            one, several = "earlier answer in a conversation is", "earlier answers in conversations are"
            rated = count_of(self._unused_ratings, one, several)
            notes.append(
                f"{rated} rated, and only the last one of each counts here; --turns each counts those of each answer"
            )
        return tuple(notes)

    def _describe_unmeasured(self, metrics: Sequence[str], added: Sequence[str]) -> str:
        """Says at which turns metrics of answers look, and where nobody asked for a metric of conversations."""
        several = self.conversations - self._single
        counted = count_of(several, "conversation")
        if own := [name for name in added if name in CONVERSATION_DEFAULTS and name not in metrics]:
            of_whole = (
                f"the set holds {counted}: {' and '.join(own)} and the baselines of conversations look at the whole"
            )
            of_turns = {"last": "at the last turn only (--turns each looks at every turn)", "each": "at every turn"}
            where = of_turns.get(self._turns, "at none of their turns (--turns none)")
            cure = f"; {install_command('numeric')} counts repeated questions too" if EFFORT_BY_TURNS in own else ""
            return f"{of_whole}, metrics of answers {where}{cure}"
        if not several or any(map(measures_conversation, metrics)):
            return ""
        return f"the set holds {counted}, and no metric of a conversation is asked for; `assay metrics` lists them"


def _cure(field: str) -> str:
    """Where a field can come from."""
    if field == "policy":
        return "The policy is the first system message: give the conversations one"
    ours = field.rpartition(".")[2]
    return f"Give them a column `{ours}`, or say which one holds it: --map THEIRS={ours} (in Python mapping=)"
