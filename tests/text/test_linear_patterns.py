"""No regular expression that runs on judged texts takes longer than their length explains: it could hang a run.

Each is run, by `re` itself, on hostile texts of 16,000 characters: what each of its repetitions without a bound can
repeat, after what leads to it, and an end that it does not match. Where time grows with the length that takes a few
thousandths of a second, where it grows with the square or worse a fifth of a second or more; processor time is counted,
whatever else the machine does.
"""

import gc
import itertools
import re
import signal
from collections.abc import Iterator
from re import _compiler, _parser
from types import FrameType
from typing import Any

import pytest
from compiled_patterns import CompiledPattern, compiled_patterns

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGVTALRM"), reason="no timer of a process's own time there")

# by what they read: no answer, question, context or message
_NOT_OF_JUDGED_TEXTS = {
    "assay.metrics.heuristic.feature _MARKUP": "the user's own documentation",
    "assay.metrics.specification _TEXT": "a metric's name as it is typed",
    "assay.metrics.specification _WITH_ARGUMENT": "a metric's name as it is typed",
    "assay.judges.secrets _PASSWORD_IN_URL": "an address in the settings",
}
_LENGTH = 16_000
_MOST_SECONDS = 0.08  # of a short expression; one of a thousand words tries each of them
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\}")
_FAVOURITES = ("a", "1", " ", "-", ".")
_HOSTILE = ("a-", "a ", "1.", "'a", ", a", "(a")
_MOST_PIECES = 24
_CHARACTERS = (*map(chr, range(32, 0x2100)), "\n")
_NOWHERE = "\0"  # ends a text so that hardly a pattern can match
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_PLACES = {"SUBPATTERN": 3, "ASSERT": 1, "ASSERT_NOT": 1} | dict.fromkeys(_REPEATS, 2)
"""Where the expression within a part of one stands in that part's value."""


class SlowError(Exception):
    """An expression took longer than its text explains."""


@pytest.fixture(scope="module")
def patterns() -> Iterator[list[CompiledPattern]]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        compiled = compiled_patterns(monkeypatch)
        gc.freeze()  # what was loaded for them: to look through it again and again took most of the time
        yield compiled


def slow_text(pattern: str, flags: int = 0, *, searched: bool = True) -> str:
    """The start of a text on which an expression is slow; "" where none is found."""
    compiled, most_seconds = re.compile(pattern, flags), _MOST_SECONDS * (1 + len(pattern) / 2000)
    for start, piece in hostile_pieces(_parser.parse(pattern, flags)) if _UNBOUNDED.search(pattern) else ():
        text = start + piece * (_LENGTH // len(piece)) + _NOWHERE
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, most_seconds)
            if searched:
                for _ in compiled.finditer(text):
                    pass
            else:
                compiled.match(text)
        except SlowError:
            return text[:60]
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return ""


@pytest.fixture(autouse=True)
def stop_what_is_slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise SlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    yield
    signal.signal(signal.SIGVTALRM, before)


def hostile_pieces(tree: Any) -> Iterator[tuple[str, str]]:
    """Texts that lead to a repetition, and what it may repeat: of each repetition one, then another."""
    repetitions = list(_repetitions(tree, ""))
    pieces = [("", piece) for piece in _HOSTILE]
    for favourite in _FAVOURITES:
        for prefix, inside in repetitions:
            if piece := _sample(inside, favourite):
                pieces += [(prefix, piece), ("", prefix + piece)]
    return itertools.islice(dict.fromkeys(pieces), _MOST_PIECES)


def _repetitions(items: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Each repetition without a bound, with a text that the expression before it matches."""
    for kind, value in items:
        if str(kind) in _REPEATS and value[1] == _parser.MAXREPEAT:
            yield prefix, value[2]
        for inside in _parts(str(kind), value):
            yield from _repetitions(inside, prefix)
        prefix += _sample([(kind, value)], "a")


def _parts(name: str, value: Any) -> list[Any]:
    """The expressions within a part of one."""
    if name == "BRANCH":
        return list(value[1])
    if name == "ATOMIC_GROUP":
        return [value]
    return [value[_PLACES[name]]] if name in _PLACES else []


def _sample(items: Any, favourite: str) -> str:
    """A text that a part of an expression matches, of one character where that fits; what it looks at apart."""
    text = ""
    for kind, value in items:
        name = str(kind)
        if name == "LITERAL":
            text += chr(value)
        elif name in ("NOT_LITERAL", "ANY", "IN"):
            one = _parser.SubPattern(_parser.State(), [(kind, value)])
            fits = _compiler.compile(one, 0).match
            text += next((character for character in (favourite, *_CHARACTERS) if fits(character)), "")
        elif not name.startswith("ASSERT"):
            inside = "".join(_sample(part, favourite) for part in _parts(name, value)[:1])
            text += inside * min(value[0], 2) if name in _REPEATS else inside
    return text


@pytest.mark.timeout(900)  # where other work has the processor
def test_time_grows_as_texts_do(patterns: list[CompiledPattern]) -> None:
    """Of the addresses to the judge, which have their end in common, only each third one."""
    addresses = [one for one in patterns if " addresses." in one.origin]
    slow = {
        f"{one.origin}: {one.pattern}": text
        for one in (*(one for one in patterns if one not in addresses), *addresses[::3])
        if one.origin not in _NOT_OF_JUDGED_TEXTS
        and (text := slow_text(one.pattern, one.flags, searched=one.is_searched))
    }
    assert slow == {}


def test_all_kinds_of_patterns_are_tested(patterns: list[CompiledPattern]) -> None:
    origins = " ".join(one.origin for one in patterns)
    for part in ("en sentences.to_judge", "nl addresses", "de declined.declines", "lexicon.py", "times.py", "_CODE"):
        assert part in origins
    assert len(patterns) > 1000


@pytest.mark.parametrize(
    ("pattern", "is_match_slow"),
    [
        (r"a*b", False),  # from each place to the end
        (r"\s+x", False),
        (r"(?:the |a )*end", False),
        (r"\s*[:=]?\s*x", True),
        (r"\w*\d\w*!", True),
        (r"(?:[\w'-]+(?: |\b))+:", True),  # the group that hung
        (r"(?:a|a)*b", True),
        (r"(?=\s*(?:[.!]*\s*$|,))", True),
        (r"x(?:[^,]*,?)*\.$", True),
    ],
)
def test_finds_slow_patterns(pattern: str, is_match_slow: bool) -> None:
    assert slow_text(pattern)
    assert bool(slow_text(pattern, searched=False)) is is_match_slow


@pytest.mark.parametrize(
    "pattern",
    [
        r"a{0,30}b",
        r"(?<!\s)\s+x",
        r"\b\w+\s",
        r"\bfoo\b[^.]{0,60}\bbar",
        r"^(?:the |a )*end",
        r"(?i)\bKAN\b(?! ik)",
    ],
)
def test_passes_linear_patterns(pattern: str) -> None:
    assert slow_text(pattern) == ""
