"""What scores say of single turns of a conversation, for the page to show beside them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..metrics import Score

_TURN = "turn"
_MOST_NOTES = 2_000  # of all metrics of a conversation together
_LONGEST_TEXT = 300
_MOST_TURNS = 10  # of one entry
_UNSHOWN = frozenset({"documentation"})  # which turns a judge was shown, and nothing about them
_UNSPOKEN = frozenset({"id", "source", "reason", "quote"})


class TurnNote(NamedTuple):
    """What one score says of a turn, in short."""

    title: str
    words: str  # what it is, such as "requests: met"
    text: str  # the text that it is about; it may be empty
    url: str


def find_turn_notes(scores: Sequence[tuple[str, Score]], last: int) -> dict[int, list[TurnNote]]:
    """Finds the evidence that names a turn: a key `turn`, or one that ends in it, such as `earlier_turn`.

    Evidence of which its score says that it did not happen (`broken` is false) is left out.

    Returns:
        The notes by turn. Each leads to `#metric-N`, where N counts the scores from 1.

    Example:
        >>> evidence = {"rules": [{"text": "Say no name.", "broken": True, "turn": 3}]}
        >>> find_turn_notes([("policy_kept", Score(0.0, "scored", "", evidence))], 5)[3][0].words
        'rules: broken'
    """
    notes = defaultdict[int, list[TurnNote]](list)
    count = 0
    for number, (metric, score) in enumerate(scores, 1):
        for turn, words, text in _find_mentions(score.evidence):
            if 0 <= turn <= last and count < _MOST_NOTES:
                notes[turn].append(TurnNote(metric, words, text[:_LONGEST_TEXT], f"#metric-{number}"))
                count += 1
    return dict(notes)


def _find_mentions(evidence: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
    """The turns that evidence names, each with words and a text."""
    yield from _mentions_of(evidence, "")
    for name, value in evidence.items():
        for entry in [] if name in _UNSHOWN else value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                yield from _mentions_of(entry, str(name))
                document = entry.get("document")
                if isinstance(document, dict):  # where the quote of a claim stands
                    yield from _mentions_of({"text": _text(entry, ""), **document, "verdict": _state(entry)}, str(name))


def _mentions_of(entry: Mapping[str, Any], name: str) -> Iterator[tuple[int, str, str]]:
    if entry.get("broken") is False or entry.get("happened") is False:
        return
    places = [
        (turn, stem)
        for key, turns in entry.items()
        for stem, is_turn in [_stem(str(key))]
        for turn in (turns if isinstance(turns, list) else [turns])[:_MOST_TURNS]
        if is_turn and isinstance(turn, int) and not isinstance(turn, bool)
    ]
    for turn, stem in places:
        others = sorted({other for other, _ in places} - {turn})
        beside = f"with turn {', '.join(map(str, others))}" if others else ""
        part = ", ".join(filter(None, (_spaced(stem), beside)))
        yield turn, ": ".join(filter(None, (_spaced(name), _state(entry), part))), _text(entry, stem)


def _stem(key: str) -> tuple[str, bool]:
    """What a key says of its turn ("earlier" of `earlier_turn`), and whether it names one."""
    for ending in (_TURN, f"{_TURN}s"):
        if key == ending:
            return "", key == _TURN  # a plain `turns` is how many there are
        if key.endswith(f"_{ending}"):
            return key.removesuffix(f"_{ending}"), True
    return "", False


def _state(entry: Mapping[str, Any]) -> str:
    """What an entry says of itself: its verdict, else its values that are true or false."""
    verdict = entry.get("verdict")
    if isinstance(verdict, str):
        return _spaced(verdict)
    states = ((_spaced(str(key)), value) for key, value in entry.items() if isinstance(value, bool))
    return ", ".join(key if value else f"not {key}" for key, value in states)


def _text(entry: Mapping[str, Any], stem: str) -> str:
    for key in (stem, *(["value"] if stem else []), "text", "question", "fact"):
        if isinstance(entry.get(key), str):
            return str(entry[key])
    texts = (value for key, value in entry.items() if isinstance(value, str) and key not in {*_UNSPOKEN, "verdict"})
    return next(texts, "")


def _spaced(name: str) -> str:
    return name.replace("_", " ")[:80]
