"""What people said of an answer, as ratings by rater on one scale."""

import math

import pytest

from assay.eval_sets import HumanRating, ObservedScales, join_ratings, read_scores

STARS = HumanRating("stars", "ada", 4, scale=(1, 5))


def test_the_latest_of_a_rater_counts():
    older, newer = STARS._replace(value=2, time="2026-01-01"), STARS._replace(value=5, time="2026-02-01")
    assert join_ratings([newer, older]).fields == {"ratings": {"ada": 5}, "rating_min": 1, "rating_max": 5}
    assert join_ratings([newer, older]).unused == {}


def test_of_several_names_the_one_that_is_feedback_counts_and_the_others_are_told():
    tone, depth = STARS._replace(name="tone", value=2), STARS._replace(name="depth", value=3)
    fields, unused = join_ratings([STARS, tone])
    assert fields["ratings"] == {"ada": 4}
    assert unused["problem"] == "people rated under several names, of which `stars` counts: `stars`, `tone`"
    assert unused["ratings"] == [{"name": "tone", "rater": "ada", "value": 2}]
    fields, unused = join_ratings([tone, depth])
    assert fields == {}
    assert unused["problem"].endswith("of which none alone is named as feedback, such as `rating`: `depth`, `tone`")
    assert [one["value"] for one in unused["ratings"]] == [2, 3]
    thumb = HumanRating("user_feedback", "app", label="👍")
    fields, unused = join_ratings([STARS._replace(name="rating"), STARS._replace(rater="bob"), thumb])
    assert fields["ratings"] == {"ada": 4} and "of which `rating` counts" in unused["problem"]
    assert join_ratings([STARS, thumb]).fields["ratings"] == {"ada": 4}
    assert join_ratings([thumb, thumb._replace(name="feedback", rater="bob")]).fields == {}


def test_ratings_on_another_scale_than_the_latest_are_told():
    fields, unused = join_ratings([STARS._replace(time="2"), STARS._replace(rater="bob", scale=(0, 10), time="1")])
    assert fields == {"ratings": {"ada": 4}, "rating_min": 1, "rating_max": 5}
    assert unused["problem"] == "ratings on another scale than the latest one"
    assert unused["ratings"][0]["rater"] == "bob"


@pytest.mark.parametrize(
    ("rating", "problem"),
    [
        (HumanRating("any", "ada", 1), "nothing tells the scale of `any`; add a scale"),
        (HumanRating("any", "ada", label="meh"), "`any` is neither a number nor a thumb; add a scale"),
        (HumanRating("any", "ada", 1, label="down"), "nothing tells the scale"),
        (STARS._replace(value=6), "a number under `stars` is outside its scale 1 to 5"),
        (STARS._replace(value=math.nan), "`stars` is neither a number"),
        (STARS._replace(value=math.inf), "`stars` is neither a number"),
        (HumanRating("x" * 1000, "ada", 1e300), "xxx...` is neither"),
    ],
)
def test_what_cannot_be_used_says_why(rating, problem):
    fields, unused = join_ratings([rating], cure="add a scale")
    assert fields == {}
    assert problem in unused["problem"]
    assert len(unused["ratings"]) == 1
    assert join_ratings([STARS, rating]).fields["ratings"] == {"ada": 4}, "it does not keep the others back"


@pytest.mark.parametrize("label", ["👍", "👍🏿\ufe0f", "Thumbs_Up", "+1", "POSITIVE", " thumb-up "])
def test_thumbs(label):
    for rating in (
        HumanRating("a", "ada", label=label),
        HumanRating("a", "ada", 1, label),
        HumanRating("a", "ada", True),
    ):
        assert join_ratings([rating]).fields == {"ratings": {"ada": 1}, "rating_min": 0, "rating_max": 1}


def test_raters_without_a_name_are_kept_apart_and_one_alone_is_the_rating():
    nobody = STARS._replace(rater="")
    assert join_ratings([nobody]).fields == {"human_rating": 4, "rating_min": 1, "rating_max": 5}
    assert join_ratings([nobody, nobody._replace(value=2)]).fields["ratings"] == {"person-1": 4, "person-2": 2}
    assert join_ratings([]) == ({}, {})


def test_numbers_tell_their_scale_unless_all_are_1():
    scales = ObservedScales()
    scales.observe([HumanRating("a", value=1), HumanRating("b", value=1), HumanRating("b", value=0)])
    scales.observe([HumanRating("c", value=math.nan), HumanRating("d", value=True), STARS, HumanRating("e", value=-2)])
    assert [scales(name) for name in ("a", "b", "c", "d", "stars")] == [None, (0, 1), None, None, None]
    assert scales("e") == (-2, 2)


@pytest.mark.parametrize(
    ("score", "fields"),
    [
        ({"value": "4,5"}, {"human_rating": 4.5}),
        ({"value": "²"}, {}),
        ({"value": "1,000.5"}, {}),
        ({"value": "good", "config": {"categories": [{"label": "good", "value": 3}, {"label": "bad", "value": 1}]}}, 3),
        ({"value": "👎"}, 0),
        ({"value": 1, "dataType": "BOOLEAN"}, 1),
        ({"value": float("nan")}, {}),
    ],
)
def test_scores_of_langfuse(score, fields):
    joined = join_ratings(read_scores([score | {"name": "csat", "source": "ANNOTATION"}]), needs_scale=False).fields
    assert (joined if isinstance(fields, dict) else joined["human_rating"]) == fields


def test_what_people_wrote_stands_by_rater_beside_their_ratings():
    ratings = [
        HumanRating("rating", "ada", 1, scale=(1, 5), time="1", reason="It is free."),
        HumanRating("rating", "ada", 2, scale=(1, 5), time="2", reason=" Not in the source. "),
        HumanRating("rating", "bob", 5, scale=(1, 5), time="3"),
        HumanRating("tone", "cy", label="rude", time="4", reason="Rude."),
        HumanRating("note", reason="See ticket 7."),
    ]
    joined = join_ratings(ratings)
    assert joined.fields["ratings"] == {"ada": 2, "bob": 5}
    assert joined.fields["rating_reasons"] == {
        "ada": ["Not in the source."], "cy": ["Rude."], "person": ["See ticket 7."],
    }  # fmt: skip
    assert [one["rater"] for one in joined.unused["ratings"]] == ["cy"]
    assert join_ratings([HumanRating("up", value=True, reason="Good.")]).fields == {
        "human_rating": 1.0, "rating_min": 0.0, "rating_max": 1.0, "rating_reasons": {"person-1": ["Good."]},
    }  # fmt: skip
