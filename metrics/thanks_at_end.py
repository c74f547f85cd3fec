"""The baseline of a conversation that its end gives away: whether the customer thanks in the last message."""

from functools import cache
from re import Pattern

from ..eval_sets.sample import Sample
from ..languages import Language, language_or_fallback
from ..text.phrases import any_pattern
from .metric import ComputedMetric
from .score import Score, scored, skipped


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
        match = _thanks(language_or_fallback(sample.language, "thanks")).search(sample.messages[last].text)
        evidence = {"turn": last, "words": match[0] if match else ""}
        if match is None:
            return scored(0.0, f"no word of thanks in the customer's last message (turn {last})", evidence)
        return scored(1.0, f'the customer\'s last message (turn {last}) says "{match[0]}"', evidence)


@cache
def _thanks(language: Language) -> Pattern[str]:
    return any_pattern(language.thanks.thanks)
