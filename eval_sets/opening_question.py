"""What a sample is about in short: its question, and of a conversation the first."""

from ..text.wording import count_of
from .message import find_turns
from .sample import Sample
from .turns import is_turn


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
