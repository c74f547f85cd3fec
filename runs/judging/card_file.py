"""Cards of judges as files: the JSON form, written and read."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from ...atomic_files import replace_file
from ...errors import InputError
from ...json_text import parse_json
from ...presentation.texts import escape_unsafe, one_line
from ...regular_files import read_text_file
from ...value_messages import describe_first_mistake
from .judge_card import FORMAT, JudgeCard

_CURE = "name a file that `assay judges card MODEL -o card.json` wrote"


def is_card_file(name: str) -> bool:
    """Whether what was typed names the file of a card, not a judge: no judge's name ends in `.json`.

    Example:
        >>> is_card_file("cards/mini.json"), is_card_file("openai/gpt-4o-mini"), is_card_file("judge.yaml")
        (True, False, False)
    """
    return name.lower().endswith(".json")


def card_json(card: JudgeCard) -> str:
    """A card as indented JSON; what a terminal would obey is escaped."""
    return escape_unsafe(card.model_dump_json(indent=2))


def write_card(path: Path, card: JudgeCard) -> None:
    """Writes a card as JSON. Raises `UsageError` when the file cannot be written."""
    with replace_file(path) as file:
        file.write(f"{card_json(card)}\n")


def read_card(path: Path) -> JudgeCard:
    """Reads a card.

    Args:
        path: The JSON file.

    Raises:
        InputError: It cannot be read, or is no card; the message names the file, the field and the cure.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file; {_CURE}")
    text = read_text_file(path, "the card", cure=_CURE)
    try:
        values = parse_json(text)
    except ValueError as error:
        raise InputError(f"{path}: {error}; {_CURE}") from error
    form = values.get("format") if isinstance(values, dict) else None
    if form != FORMAT:
        what = "is no judge's card" if form is None else f"has the form {one_line(str(form), 40)!r}, not {FORMAT!r}"
        raise InputError(f"{path}: {what}; {_CURE}")
    try:
        return JudgeCard.model_validate_json(text)
    except ValidationError as error:
        raise InputError(f"{path}: {describe_first_mistake(error)}") from error


def read_cards(paths: Sequence[Path]) -> list[JudgeCard]:
    """Reads several cards that stand beside each other. Raises `InputError` as `read_card`."""
    return [read_card(path) for path in paths]
