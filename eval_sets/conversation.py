"""A sample's conversation: the messages before its question, this turn, and the question that it opened with."""

from ..languages import language_or_fallback
from ..text.wording import count_of
from .message import Message, find_turns
from .sample import Sample
from .turns import is_turn


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
