"""How many turns a conversation has: a baseline."""

from ..eval_sets.message import find_turns
from ..eval_sets.sample import Sample
from ..text.wording import count_of
from .metric import ComputedMetric
from .score import Score, scored


class ConversationTurns(ComputedMetric):
    """The number of turns of a conversation: answers of the assistant to a message of the customer.

    Range: 0 and up. A baseline: a metric of a conversation should agree with ratings better than this count.

    Example:
        >>> messages = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
        >>> ConversationTurns().score(messages=messages).value
        1.0
    """

    name = "conversation_turns"
    range = (0.0, None)
    needs = ("messages",)
    measures = "conversation"

    def compute(self, sample: Sample) -> Score:
        """Scored for every conversation."""
        turns = len(find_turns(sample.messages))
        return scored(float(turns), count_of(turns, "turn"))
