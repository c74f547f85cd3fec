"""No regular expression that runs on judged texts takes more steps than their length explains: it could hang a run.

Steps are counted by a matcher of our own (`regex_steps`) on up to 12 hostile texts for each (60 in the
slow test): what each of its repetitions without a bound can repeat, 6, 12 and 18 times, and an end that it does not
match. It cannot see what only another text shows, and a bounded repetition counts as one of at most two: bounds
multiplied may still be slow, for a text of any length by the same factor.
"""

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from compiled_patterns import CompiledPattern, compiled_patterns
from regex_steps import MOST_PIECES, StepCounter, slow_text

# by what they read: no answer, question, context or message
_NOT_OF_JUDGED_TEXTS = {
    "assay.metrics.heuristic.feature _MARKUP": "the user's own documentation",
    "assay.metrics.specification _TEXT": "a metric's name as it is typed",
    "assay.metrics.specification _WITH_ARGUMENT": "a metric's name as it is typed",
    "assay.judges.secrets _PASSWORD_IN_URL": "an address in the settings",
}


@pytest.fixture(scope="module")
def patterns() -> Iterator[list[CompiledPattern]]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        compiled = compiled_patterns(monkeypatch)
        gc.freeze()  # what was loaded for them: to look through it again and again took most of the time
        yield compiled


@pytest.mark.parametrize(
    ("most_pieces", "step"), [(MOST_PIECES, 3), pytest.param(60, 1, marks=[pytest.mark.slow, pytest.mark.timeout(900)])]
)
def test_steps_grow_as_texts_do(patterns: list[CompiledPattern], most_pieces: int, step: int) -> None:
    """Of the addresses to the judge, which have their end in common, only each third one unless it is slow."""
    slow: dict[str, str] = {}

    def find() -> None:
        addresses = [one for one in patterns if " addresses." in one.origin]
        for one in (*(one for one in patterns if one not in addresses), *addresses[::step]):
            if one.origin in _NOT_OF_JUDGED_TEXTS:
                continue
            if text := slow_text(one.pattern, one.flags, searched=one.is_searched, most_pieces=most_pieces):
                slow[f"{one.origin}: {one.pattern}"] = text

    _with_a_deep_stack(find)
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
        (r"\bfoo\b.*bar", False),
        (r"(?:the |a )*end", False),
        (r"\s*[:=]?\s*x", True),
        (r"\w*\d\w*!", True),
        (r"(?:[\w'-]+(?: |\b)){1,12}:", True),  # the group that hung
        (r"(?:a|a)*b", True),
        (r"(?:a+)+b", True),
        (r"(?:\w+ ?)*:", True),
        (r"(a*)(?:x|\1)*b", True),
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
        r"(?:[\w'-]++ ?){1,12}:",
        r"(?>a+)+b",
        r"\bfoo\b[^.]{0,60}\bbar",
        r"^(?:the |a )*end",
        r"(?:\s*[:=])?\s*+(?<=x)y",
        r"(?i)\bKAN\b(?! ik)",
        r"""("|')[^"']*+\1""",
    ],
)
def test_passes_linear_patterns(pattern: str) -> None:
    assert slow_text(pattern, searched=False) == ""


@pytest.mark.parametrize(
    ("pattern", "text", "steps"),
    [
        # each of three starts: one look at a character that does not fit, and one at the end of the text
        ("a", "bbb", 4),
        # from the first a: two fit, the end does not (3), and b is looked for at three places, each with a step back
        ("a*b", "aa", (3 + 3 + 3) + (2 + 2 + 2) + (1 + 1 + 1)),
        ("a*+b", "aa", (3 + 1) + (2 + 1) + (1 + 1)),
        # a step for each try to repeat: try, x, try, b; at the end: try, no x, and c in place of b
        ("(x)?(?(1)b|c)", "xb", 4 + 3),
    ],
)
def test_counts_steps(pattern: str, text: str, steps: int) -> None:
    assert StepCounter(pattern).count(text) == steps


def _with_a_deep_stack(work: Callable[[], None]) -> None:
    """Runs work that calls itself thousands of times deep; what it raises is raised here."""
    size, limit = threading.stack_size(512 * 1024 * 1024), sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)


def test_what_the_matcher_cannot_follow_is_no_pass() -> None:
    def fail() -> None:
        raise AssertionError("unknown")

    with pytest.raises(AssertionError, match="unknown"):
        _with_a_deep_stack(fail)
