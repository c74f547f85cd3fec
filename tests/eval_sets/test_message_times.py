"""Times of messages as people and tools write them, and which is before another whatever the order of the date is."""

import json
from typing import Any

import pytest

from assay.errors import InputError
from assay.eval_sets import load_set, read_samples
from assay.eval_sets.message_times import is_before, read_time, readings


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-01-31 10:00", "2026-01-31T10:00:00"),
        ("31-1-2026 10:00", "2026-01-31T10:00:00"),
        ("31.01.2026, 10:05:09", "2026-01-31T10:05:09"),
        ("1/31/2026 10:05 PM", "2026-01-31T22:05:00"),
        ("1/31/26, 12:05\u202fa.m.", "2026-01-31T00:05:00"),
        ("Jan 2, 2026", "2026-01-02T00:00:00"),
        ("Fri, Jan 2, 2026, 10:05 AM", "2026-01-02T10:05:00"),
        ("2 mrt. 2026 10:05", "2026-03-02T10:05:00"),
        ("2. März 2026, 10:05", "2026-03-02T10:05:00"),
    ],
)
def test_a_time_that_can_be_read_in_one_way(text, iso):
    time = read_time(text)
    assert time is not None and time.isoformat() == iso


@pytest.mark.parametrize("text", ["", "10:05", "yesterday-ish", "31/31/2026", "2/1/126", "13 pm", "1/2/2026 13:00 PM"])
def test_a_text_without_a_date_is_no_time(text):
    assert readings(text) == {}


@pytest.mark.parametrize(
    ("earlier", "later", "says"),
    [
        ("1-1-2026 10:01", "2-1-2026 10:00", True),  # 1 January, or as before
        ("01/02/2026", "02/01/2026", False),  # 1 February is after 2 January, where the day stands first
        ("12/02/2026", "13/02/2026", True),  # a month 13 there is not
        ("02/01/2026 09:59", "02/01/2026 10:00", True),
        ("2026-01-01T10:00:00Z", "2-1-2026", False),  # one has a time zone
        ("10:01", "2-1-2026", False),
    ],
)
def test_before_whatever_the_order_of_day_and_month(earlier, later, says):
    assert is_before(readings(earlier), readings(later)) is says


def thread(*times: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    return {"messages": [{"role": roles[n % 2], "content": f"m{n}", "time": time} for n, time in enumerate(times)]}


def test_times_that_go_backwards_are_an_error_in_each_form():
    for first, second in [
        ("2-1-2026 10:00", "1-1-2026 10:01"),
        ("02/01/2026", "01/01/2026"),
        ("Jan 2, 2026", "Jan 1, 2026"),
    ]:
        with pytest.raises(InputError, match=f"turn 1 is of {second}, before turn 0"):
            list(read_samples([thread(first, second)]))
        assert len(list(read_samples([thread(second, first)]))) == 1


def test_a_log_whose_times_go_backwards(tmp_path):
    path = tmp_path / "a.log"
    path.write_text("[02-03-2026 10:00] Klant: Hoi\n[01-03-2026 10:01] Bot: Hallo\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2, conversation a-1: turn 1 is of 01-03-2026 10:01, before turn 0"):
        load_set(path)


def test_times_that_cannot_be_read_are_counted_once_per_file(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [thread("10:05", "10:02"), thread("yesterday-ish", "2026-01-01 10:00")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    notes: list[str] = []
    load_set(path, notes=notes)
    assert [note.removeprefix(f"{path}: ") for note in notes if "cannot be read" in note] == [
        '3 times of messages cannot be read, such as "10:05", so that their order is not checked; write times as '
        "2026-01-31 10:00"
    ]
