"""How much the assistant says in a conversation: a baseline."""

from ..eval_sets.sample import Sample
from ..text.text_matching import tokens
from ..text.wording import count_of
from .metric import ComputedMetric
from .score import Score, scored


class ConversationLength(ComputedMetric):
    """The number of words and numbers in all that the assistant says in a conversation.

    Range: 0 and up. A baseline, as `answer_length` is for an answer.

    Example:
        >>> messages = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "It costs EUR 12."}]
        >>> ConversationLength().score(messages=messages).value
        4.0
    """

    name = "conversation_length"
    range = (0.0, None)
    needs = ("messages",)
    measures = "conversation"

    def compute(self, sample: Sample) -> Score:
        """Scored for every conversation."""
        length = sum(len(tokens(message.text)) for message in sample.messages if message.role == "assistant")
        return scored(float(length), count_of(length, "token"))
