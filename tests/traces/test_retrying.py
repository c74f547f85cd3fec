"""Calls that are made again, and what servers say."""

import pytest

from assay.traces import FailedAttempt, call_again, error_detail, server_words


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited, which no test really waits."""
    waited: list[float] = []
    monkeypatch.setattr("tenacity.nap.sleep", waited.append)
    return waited


def failing(*failures: FailedAttempt) -> int:
    """Calls what fails so, one after the other, and then returns 7."""
    left = list(failures)

    def call() -> int:
        if left:
            raise left.pop(0)
        return 7

    return call_again(call)


def test_waits_are_as_long_as_the_server_asks_with_one_bound(waits: list[float]) -> None:
    assert failing(*(FailedAttempt("busy", wait) for wait in (None, 7, None, 9999, 0))) == 7
    assert waits == [0.5, 7, 2, 120, 0]


def test_a_call_is_given_up_after_its_attempts_or_ten_minutes(waits: list[float]) -> None:
    with pytest.raises(FailedAttempt, match="last") as error:
        failing(*(FailedAttempt("busy") for _ in range(5)), FailedAttempt("last"), FailedAttempt("never"))
    assert error.value.made == 6
    with pytest.raises(FailedAttempt, match="broken") as error:
        failing(*(FailedAttempt("broken", attempts=3) for _ in range(5)))
    assert (error.value.made, len(waits)) == (3, 5 + 2)


def test_what_will_not_pass_is_raised_at_once(waits: list[float]) -> None:
    def call() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        call_again(call)
    assert waits == []


def test_what_a_server_says_is_short_without_keys_and_obeyed_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-of-the-environment")
    text = "a\x1b[2J\u202eb\ud83d key1 sk-lf-of-the-environment https://ann:pw@host " + "x" * 1_000_000
    words = server_words(text, ["key1"])
    assert words.isprintable()
    assert len(words) == 200
    assert words.startswith("a[2Jb? *** *** https://***@host xx")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"detail": "gone"}', "gone"),
        (b'{"error": {"message": "gone", "code": 7}}', "gone"),
        (b'{"errors": ["one", {"message": "two"}]}', "one; two"),
        (b'{"error_code": "INTERNAL_ERROR", "message": ""}', "INTERNAL_ERROR"),
        (b'"Internal Server Error"', "Internal Server Error"),
        (b"bad gateway", "bad gateway"),
        (b"<html>", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"[" * 100_000, "[" * 199 + "\u2026"),
        (b"[" * 90 + b"]" * 90, ""),
        (b'{"other": 1}', ""),
    ],
)
def test_what_is_wrong_is_taken_out_of_any_body(content: bytes, words: str) -> None:
    assert error_detail(content) == words
