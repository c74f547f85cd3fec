"""The table of scores and ratings: what it refuses, and what it derives."""

from typing import Any

import numpy as np
import pytest

from assay.errors import InputError
from assay.meta_eval.table import ScoreTable

NAN = float("nan")


def table(**fields: Any) -> ScoreTable:
    known: dict[str, Any] = {
        "items": ("a", "b", "c"),
        "metrics": ("faithfulness", "errors"),
        "scores": np.array([[0.2, 3.0], [0.9, NAN], [0.5, 0.0]]),
        "ratings": np.array([[1.0, 2.0], [5.0, NAN], [NAN, NAN]]),
        "raters": ("ann", "bob"),
        "directions": {"errors": False},
        "attributes": {"language": ("nl", "en", "nl")},
    }
    return ScoreTable(**(known | fields))


def test_what_a_table_derives():
    np.testing.assert_array_equal(table().mean_rating, [1.5, 5.0, NAN])
    assert table().rated().items == ("a", "b")
    np.testing.assert_array_equal(table().column("errors"), [-3.0, NAN, 0.0])  # lower is better: turned
    assert table().groups == ("a", "b", "c")  # an item is its own group unless said otherwise
    assert table(groups=("z", "a", "z")).group_numbers.tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="no metric 'rouge' in the table; it has faithfulness, errors"):
        table().column("rouge")


def test_parts_keep_everything_together():
    dutch = table(groups=("p", "q", "r")).where("language", "nl")
    assert (dutch.items, dutch.groups, dutch.scores[1, 0]) == (("a", "c"), ("p", "r"), 0.5)
    only = table().only(["errors"])
    assert (only.metrics, only.directions, only.scores.shape) == (("errors",), {"errors": False}, (3, 1))


def test_arrays_are_copied_and_cannot_be_changed():
    scores = np.zeros((3, 2))
    made = table(scores=scores)
    scores[0, 0] = 9
    assert made.scores[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        made.scores[0, 0] = 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"items": ("a", "a", "c")}, "items: 'a' stands twice"),
        ({"scores": np.zeros((3, 1))}, r"scores: the array is \(3, 1\), not 3 items x 2 scores"),
        ({"scores": np.array([[0, 0], [0, np.inf], [0, 0]])}, "scores: errors of item b is infinite"),
        ({"ratings": np.array([[1, 2], [6, 1], [1, 1]])}, "ratings: ann gave 6 to item b, outside 1 to 5"),
        ({"rating_min": 5}, r"rating_min: 5 is not below rating_max \(5\)"),
        ({"groups": ("p",)}, "groups: 1 label for 3 items"),
        ({"attributes": {"language": ("nl",)}}, "attributes.language: 1 label for 3 items"),
        ({"directions": {"rouge": False}}, "directions: no metric 'rouge' in the table; it has faithfulness, errors"),
    ],
)
def test_what_does_not_fit_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        table(**fields)
