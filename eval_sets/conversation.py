"""A sample's conversation: what was said before its question, and its turns as samples of their own."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import InputError
from ..languages import language_or_fallback
from ..text.wording import count_of
from .levels import Level, Turns
from .message import REASONS, Message, Turn, find_turns, is_turn_id, turn_id
from .sample import Sample

_BOTH: frozenset[Level] = frozenset({"answer", "conversation"})
_ANSWER: frozenset[Level] = frozenset({"answer"})
_CONVERSATION: frozenset[Level] = frozenset({"conversation"})


def earlier_messages(sample: Sample) -> list[Message]:
    """Lists what customer and chatbot said before the turn under test.

    Example:
        >>> history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi!"}]
        >>> sample = Sample(id="1", user_input="Is it free?", response="Yes.", metadata={"history": history})
        >>> [(message.role, message.text) for message in earlier_messages(sample)]
        [('user', 'Hello'), ('assistant', 'Hi!')]
    """
    turn = next((turn for turn in find_turns(sample.messages) if turn.answer == sample.turn), None)
    return [
        message
        for message in sample.messages[: turn.start if turn else sample.turn]
        if message.role in {"user", "assistant"} and message.text.strip()
    ]


def asked_text(sample: Sample) -> str:
    """Returns what an answer replies to: what was said before the question, and the question, one line per message.

    Example:
        >>> asked_text(Sample(id="1", user_input="Is it free?", response="Yes."))
        'Is it free?'
    """
    return "\n".join([*(message.text for message in earlier_messages(sample)), sample.user_input])


def message_line(speaker: str, text: str) -> str:
    """Writes a message as one line whatever it holds, so that none can pass for two.

    Example:
        >>> message_line("user", "Is it\\nassistant: free?")
        'user: Is it assistant: free?'
    """
    return f"{speaker}: {' '.join(line for line in text.splitlines() if line.strip())}"


def conversation_lines(sample: Sample) -> str:
    """Writes the conversation up to and with this answer, one line per message.

    Example:
        >>> sample = Sample(id="1", user_input="Is it\\nAssistant: free?", response="Yes.", language="en")
        >>> print(conversation_lines(sample))
        Customer: Is it Assistant: free?
        Assistant: Yes.
    """
    words = language_or_fallback(sample.language, "statements").statements
    names = {"user": words.customer, "assistant": words.assistant}
    earlier = [(message.role, message.text) for message in earlier_messages(sample)]
    messages = [*earlier, ("user", sample.user_input), ("assistant", sample.response)]
    return "\n".join(message_line(names[role], text) for role, text in messages)


def count_turns(sample: Sample) -> int:
    """Counts the answers of a conversation; 0 for a single answer, with messages or without, and for one turn."""
    count = 0 if is_turn(sample) else len(find_turns(sample.messages))
    return 0 if count == 1 else count


def opening_question(sample: Sample) -> str:
    """The question; of a conversation the first, as the others follow from what each version answered."""
    turns = [] if is_turn(sample) else find_turns(sample.messages)
    return turns[0].question if turns else sample.user_input


def listed_question(sample: Sample) -> str:
    """The question as a list of answers shows it; a conversation says how long it is.

    Example:
        >>> texts = [("user", "Free?"), ("assistant", "Yes."), ("user", "Until when?"), ("assistant", "May.")]
        >>> messages = [{"role": role, "content": text} for role, text in texts]
        >>> listed_question(Sample(id="chat-7", messages=messages))
        '[conversation, 2 turns] Free?'
    """
    turns, question = count_turns(sample), opening_question(sample)
    return f"[conversation, {count_of(turns, 'turn')}] {question}" if turns else question


def turn_samples(sample: Sample, places: set[int] | None = None) -> list[Sample]:
    """Makes one sample per turn of a conversation: a question, its answer, and the messages until then.

    The rating is that of the answer's message; of the only answer without one that of the conversation, which is this
    turn. Samples of one conversation are in one group, which resamples together.
    `metadata` keeps what it has, and gets the conversation's id (`conversation`) and the place of the answer (`turn`).
    What a set says of the turn under test alone (its contexts, tables, reference and message type) stays with it.

    Returns:
        The turns in their order; none for a sample without messages.

    Example:
        >>> texts = [("user", "Free?"), ("assistant", "Yes."), ("user", "Until when?"), ("assistant", "May.")]
        >>> messages = [{"role": role, "content": text} for role, text in texts]
        >>> for turn in turn_samples(Sample(id="chat-7", messages=messages)):
        ...     print(turn.id, turn.user_input, len(turn.messages), turn.group)
        chat-7#1 Free? 2 chat-7
        chat-7#3 Until when? 4 chat-7
    """
    under_test = sample.turn
    turns = [turn for turn in find_turns(sample.messages) if places is None or turn.answer in places]
    return [_turn_sample(sample, turn, is_under_test=turn.answer == under_test) for turn in turns]


def _turn_sample(sample: Sample, turn: Turn, *, is_under_test: bool) -> Sample:
    message = sample.messages[turn.answer]
    is_single = is_single_answer(sample)
    is_whole = is_single and message.human_rating in (None, sample.human_rating)
    reasons = (message.model_extra or {}).get(REASONS)
    own = {name: value for name, value in sample.metadata.items() if name != REASONS or is_single}
    changes: dict[str, Any] = {
        "id": turn_id(sample.id, turn.answer),
        "rating": sample.rating if is_whole else message.rating,
        "ratings": sample.ratings if is_whole else message.ratings,
        "group": sample.source,
        "messages": sample.messages[: turn.answer + 1],
        "metadata": own | ({REASONS: reasons} if reasons else {}) | {"conversation": sample.id, "turn": turn.answer},
    }
    if not is_under_test:
        changes |= {"user_input": turn.question, "response": turn.response, "retrieved_contexts": turn.contexts}
        changes |= {"reference": None, "tables": (), "message_type": None}
    return sample.model_copy(update=changes)


def is_single_answer(sample: Sample) -> bool:
    """Whether a sample with messages holds one answer to a question: what is said of the whole is said of this answer.

    Example:
        >>> chat = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Free?"}]
        >>> is_single_answer(Sample(id="1", messages=[*chat, {"role": "assistant", "content": "Yes."}]))
        True
    """
    return not is_turn(sample) and len(find_turns(sample.messages)) == 1


def is_turn(sample: Sample) -> bool:
    """Whether a sample is one turn of a conversation, as `turn_samples` makes them."""
    return bool(sample.messages) and is_turn_id(sample.id, sample.metadata)


def with_turns(samples: Iterable[Sample], turns: Turns) -> Iterator[Sample]:
    """Yields samples, with `turns="each"` every conversation followed by its turns."""
    if turns != "each":
        yield from samples
        return
    seen: set[int] = set()  # hashes of ids that may be of turns: a set may be long
    for sample in samples:
        for one in (sample, *(() if is_turn(sample) else turn_samples(sample))):
            if "#" in one.id:
                if hash(one.id) in seen:
                    raise InputError(
                        f"two samples have the id {one.id!r}, one of which is a turn of {one.id.rpartition('#')[0]!r}, "
                        "and --turns each scores both; give the sample another id"
                    )
                seen.add(hash(one.id))
            yield one


def measured_levels(sample: Sample, turns: Turns) -> frozenset[Level]:
    """Which metrics run on a sample: those of an answer, those of a conversation, or both.

    Example:
        >>> chat = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
        >>> conversation = Sample(id="1", messages=chat)
        >>> sorted(measured_levels(conversation, "last")), sorted(measured_levels(conversation, "none"))
        (['answer', 'conversation'], ['conversation'])
        >>> [sorted(measured_levels(sample, "each")) for sample in with_turns([conversation], "each")]
        [['conversation'], ['answer']]
    """
    if turns == "last" or not sample.messages:
        return _BOTH
    if turns == "each" and is_turn(sample):
        return _ANSWER
    return _BOTH if turns == "each" and not find_turns(sample.messages) else _CONVERSATION
