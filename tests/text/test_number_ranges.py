"""Texts that differ only in their numbers: which are one, and which name something and stay apart."""

import pytest

from assay.text.number_ranges import join_ranges

LIMIT = "maximum context length is 4096 tokens; you requested {} tokens ({} in the messages, 500 in the completion)"


@pytest.mark.parametrize(
    ("counts", "joined"),
    [
        (
            {"needs 4,412 tokens, holds 4,096": 2, "needs 10,020 tokens, holds 4,096": 1},
            {"needs 4,412 to 10,020 tokens, holds 4,096": 3},
        ),
        (
            {LIMIT.format(5020, 4520): 1, LIMIT.format(9000, 8500): 1, LIMIT.format(900, 8600): 1},
            {LIMIT.format("900 to 9000", "4520 to 8600"): 3},
        ),
        ({"no reply within 60 s": 4}, {"no reply within 60 s": 4}),
        ({"no reply within 60 s": 1, "no reply within 7.5 s": 1}, {"no reply within 7.5 to 60 s": 2}),
    ],
)
def test_numbers_that_say_how_much_are_one_range(counts, joined):
    assert join_ranges(counts) == joined


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the server answered 429", "the server answered 503"),
        ("status 429 after 3 attempts of 60 s", "status 503 after 3 attempts of 60 s"),
        ("Connect call failed 127.0.0.1:9 after 2 s", "Connect call failed 127.0.0.1:80 after 2 s"),
        ("gpt-4 takes no 9,000 tokens", "gpt-5 takes no 9,000 tokens"),
        ("needs 5 tokens", "has 5 tokens"),
        ("", "5 tokens"),
    ],
)
def test_numbers_that_name_something_keep_texts_apart(first, second):
    assert join_ranges({first: 1, second: 2}) == {first: 1, second: 2}
