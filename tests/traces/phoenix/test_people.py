"""People's annotations in Phoenix as ratings."""

import pytest

from assay.traces import RatingReader

CONFIGS = [
    {
        "name": "quality",
        "type": "CATEGORICAL",
        "values": [{"label": "good", "score": 3}, {"label": "bad", "score": 1}, {"label": "unsure"}],
    },
    {"name": "stars", "type": "CONTINUOUS", "lower_bound": 0, "upper_bound": 10},
    {"name": "text", "type": "FREEFORM"},
]


def annotation(name, rater="", kind="HUMAN", at="", **result):
    return {"name": name, "annotator_kind": kind, "identifier": rater, "updated_at": at, "result": result}


def test_why_people_rated_so_is_read_by_rater():
    said = [
        annotation("rating", "ada", score=2, explanation="The price is not in the source."),
        annotation("note", "ada", explanation="See ticket 7."),
        annotation("rating", "judge", kind="LLM", score=1, explanation="no"),
        annotation("rating", "bob", score=5, explanation=None),
    ]
    reader = RatingReader([])
    assert reader.read(said).fields == {
        "rating_reasons": {"ada": ["The price is not in the source.", "See ticket 7."]}  # on no known scale
    }
    reader.observe(said)
    fields = reader.read(said).fields
    assert fields["rating_reasons"] == {"ada": ["The price is not in the source.", "See ticket 7."]}
    assert fields["ratings"] == {"ada": 2.0, "bob": 5.0}


def read(*annotations, observed=()):
    reader = RatingReader(CONFIGS)
    reader.observe([*annotations, *observed])
    fields, unused = reader.read(annotations)
    return fields, unused.get("problem", "")


@pytest.mark.parametrize(
    ("one", "value", "scale"),
    [
        (annotation("quality", label="good"), 3, (1, 3)),
        (annotation("quality", label="👍"), 1, (0, 1)),
        (annotation("stars", score=7), 7, (0, 10)),
        (annotation("text", score=4), 4, (1, 5)),
    ],
)
def test_a_rating_has_the_scale_of_its_config_or_of_what_it_says(one, value, scale):
    assert read(one) == ({"ratings": {"person": value}, "rating_min": scale[0], "rating_max": scale[1]}, "")


def test_notes_and_judges_are_no_ratings():
    assert read(annotation("note", explanation="so"), annotation("rating", kind="LLM", score=3)) == (
        {"rating_reasons": {"person": ["so"]}},
        "",
    )
    only_text = {"rating_reasons": {"person": ["only a text"]}}
    assert read(annotation("rating", explanation="only a text")) == (only_text, "")
