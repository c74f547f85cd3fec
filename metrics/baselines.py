"""Baselines, which a metric should beat: overlap with the contexts, lengths, turns, and thanks at the end."""

from ..eval_sets.message import find_turns
from ..eval_sets.sample import Sample
from ..languages import language_or_fallback
from ..text.text_matching import tokens
from ..text.wording import count_of
from .metric import ComputedMetric
from .score import Score, scored, skipped

_MOST_SHOWN = 20  # tokens in the evidence


class TokenOverlap(ComputedMetric):
    """The share of the answer's tokens that occur anywhere in its contexts.

    Formula: |tokens of the answer that occur in a context| / |tokens of the answer|, repeats counted, case folded.
    Range: [0, 1]. An answer without words is skipped.

    Example:
        >>> score = TokenOverlap().score(response="The course is free.", retrieved_contexts=["A free course."])
        >>> score.value, score.evidence
        (0.5, {'not_in_context': ['the', 'is']})
    """

    name = "token_overlap"
    needs = ("response", "retrieved_contexts")

    def compute(self, sample: Sample) -> Score:
        """Skipped when the answer has no words; the evidence has the first 20 tokens that no context has."""
        answer = tokens(sample.response)
        if not answer:
            return skipped("the answer has no words")
        known = {token for context in sample.retrieved_contexts for token in tokens(context)}
        unknown = [token for token in answer if token not in known]
        value = 1 - len(unknown) / len(answer)
        reason = f"{len(answer) - len(unknown)} of {count_of(len(answer), 'token')} are in the context"
        return scored(value, reason, {"not_in_context": list(dict.fromkeys(unknown))[:_MOST_SHOWN]})


class AnswerLength(ComputedMetric):
    """The number of words and numbers in the answer.

    Range: 0 and up. An empty answer has length 0; no sample is skipped.

    Example:
        >>> AnswerLength().score(response="It costs EUR 12.").value
        4.0
    """

    name = "answer_length"
    range = (0.0, None)
    needs = ()

    def compute(self, sample: Sample) -> Score:
        """Always scored."""
        length = len(tokens(sample.response))
        return scored(float(length), f"{count_of(length, 'token')}")


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


class ThanksAtEnd(ComputedMetric):
    """1 when the customer's last message of a conversation has a word of thanks, else 0.

    The words are those of the language pack (`thanks.yaml`). A baseline: politeness is no proof that a request was met,
    and a metric of a conversation should agree with ratings better. Skipped where the customer says nothing. Evidence:
    `turn`, and `words` as they stand there.

    Example:
        >>> messages = [("user", "Free?"), ("assistant", "Yes."), ("user", "Thanks!")]
        >>> messages = [{"role": role, "content": text} for role, text in messages]
        >>> ThanksAtEnd().score(messages=messages, language="en").value
        1.0
    """

    name = "thanks_at_end"
    needs = ("messages",)
    measures = "conversation"

    def compute(self, sample: Sample) -> Score:
        """The score; skipped where no message is the customer's."""
        places = [place for place, message in enumerate(sample.messages) if message.role == "user"]
        last = next((place for place in reversed(places) if sample.messages[place].text.strip()), None)
        if last is None:
            return skipped("the customer says nothing in this conversation")
        match = language_or_fallback(sample.language, "thanks").thanks.thanks.search(sample.messages[last].text)
        evidence = {"turn": last, "words": match[0] if match else ""}
        if match is None:
            return scored(0.0, f"no word of thanks in the customer's last message (turn {last})", evidence)
        return scored(1.0, f'the customer\'s last message (turn {last}) says "{match[0]}"', evidence)
