"""Columns that are named after colleagues: mapped by the user, and proposed where no column is a rating."""

import shlex

import pytest

from assay.errors import InputError
from assay.eval_sets import ReadOptions, flat_rows, load_set, propose_raters, read_ratings, read_score_files

# Ann gave 1 and 5, Bob 3 and 4: means (1 + 3) / 2 = 2 and (5 + 4) / 2 = 4.5


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("page", [1, 2, 3]),  # a place
        ("faithfulness", [1, 2, 3]),  # a metric
        ("Toon", [1, 2, 3]),  # a criterion
        ("reference", [1, 2, 3]),  # another field
        ("Ann", [0, 1, 1]),  # a flag
        ("Ann", [1, 2, 30]),  # no small scale
        ("Ann", [1, 2.5, 3]),  # no whole number
        ("Ann", [1, 2, "x"]),
    ],
)
def test_nothing_else_is_proposed(column, values):
    assert propose_raters({column: value} for value in values) == []


@pytest.mark.parametrize(
    ("columns", "raters"),
    [
        (["Score Anneke", "Score Joost"], ["Anneke", "Joost"]),
        (["Anneke score", "Joost score"], ["Anneke", "Joost"]),
        (["score_ada", "score_bob"], ["ada", "bob"]),
        (["Score A", "Score B"], ["A", "B"]),
        (["Score collega 1", "Score collega 2"], ["collega 1", "collega 2"]),
        (["Score 1", "Score 2"], ["1", "2"]),  # as of rating_1 and rating_2
        (["Anneke rating"], ["Anneke"]),
        (["Oordeel Anneke"], ["Anneke"]),  # no column shares the word, but it is one for a rating
        (["Oordeel Anneke", "Joost"], ["Anneke", "Joost"]),
        (["Punten Anneke", "Punten Joost"], ["Punten Anneke", "Punten Joost"]),
        (["Jan de Vries", "Piet de Vries"], ["Jan de Vries", "Piet de Vries"]),
        (["Score Anneke", "Oordeel Anneke"], ["Score Anneke", "Oordeel Anneke"]),  # two columns are not one rater
    ],
)
def test_a_rater_is_proposed_without_the_words_for_a_rating(tmp_path, columns, raters):
    values = [3, 4, 2, 5, 1]
    proposed = propose_raters(dict.fromkeys(columns, value) for value in values)
    assert proposed == [
        f"--map {shlex.quote(f'{column}=rating_{rater}')}" for column, rater in zip(columns, raters, strict=True)
    ]
    path = tmp_path / "team.csv"
    rows = "".join(f"Q{value},A," + ",".join([str(value)] * len(columns)) + "\n" for value in values)
    path.write_text(f"question,answer,{','.join(columns)}\n{rows}")
    mapping = dict(shlex.split(option)[1].split("=") for option in proposed)
    assert [dict(sample.ratings) for sample in load_set(path, mapping=mapping)] == [
        dict.fromkeys(raters, value) for value in values
    ]


@pytest.mark.parametrize(
    "column",
    [
        *("score_bleu", "rouge score", "llm_score", "GPT-4 score", "confidence score", "judge score", "score_total"),
        *("Score gem.", "score_count", "score_tone", "score_id", "score max"),
    ],
)
def test_a_score_that_no_person_gave_is_not_proposed(column):
    assert propose_raters({column: value} for value in (3, 4, 2, 5, 1)) == []


def test_score_files_map_raters_too(tmp_path):
    """Means (1 + 3) / 2 = 2 and (5 + 4) / 2 = 4.5."""
    path = tmp_path / "scored.csv"
    path.write_text("question,answer,Ann,Bob,overlap\nQ,A,1,3,0.1\nR,B,5,4,0.9\n")
    ratings = read_ratings(
        list(flat_rows(path)), path.name, ReadOptions(mapping={"Ann": "rating_Ann", "Bob": "ratings.Bob"})
    )
    assert ratings.columns == {"Ann": {0: 1, 1: 5}, "Bob": {0: 3, 1: 4}}


def test_cells_that_no_rating_can_be_propose_nothing():
    cells = [10**400, float("inf"), float("nan"), True, "²", [1]]
    assert propose_raters([{"Ann": 1, "Bob": cell} for cell in cells] + [{"Ann": 3}, {"Ann": 5}]) == [
        "--map Ann=rating_Ann"
    ]


@pytest.mark.parametrize("name", ["rating_avg", "rating_median", "beoordeling_gem", "Bewertung Mittelwert"])
def test_a_column_that_sums_up_the_raters_is_none(tmp_path, name):
    path = tmp_path / "a.csv"
    ratings = [(1, 2), (5, 4), (3, 3), (2, 5), (4, 1)]
    rows = "".join(f"q{n},a{n},{a},{b},{(a + b) / 2},0.{n}\n" for n, (a, b) in enumerate(ratings))
    path.write_text(f"question,answer,rating_ann,rating_bob,{name},bleu\n{rows}")
    notes: list[str] = []
    assert {tuple(sample.ratings) for sample in load_set(path, notes=notes)} == {("ann", "bob")}
    assert name in notes[0].partition("kept in the metadata: ")[2]
    (scores,), rated = read_score_files([path], path, ReadOptions())
    assert (list(scores.columns), list(rated.columns)) == (["bleu"], ["ann", "bob"])


MEANS = ["gemiddelde beoordeling", "Gemiddeld cijfer", "Gem. score", "mean_rating", "average rating", "avg_score"]
MEANS += ["rating_avg", "Beoordeling gem.", "Durchschnittliche Bewertung", "mean of the ratings"]


@pytest.mark.parametrize("name", MEANS)
def test_a_mean_in_one_column_is_the_rating_where_there_is_no_other(tmp_path, name):
    path = tmp_path / "a.csv"
    ratings = [3.5, 3, 1.5, 4.5, 5]
    path.write_text(f"question,answer,{name},bleu\n" + "".join(f"q{x},a,{x},0.{x:.0f}\n" for x in ratings))
    notes: list[str] = []
    assert [(sample.rating, sample.rating_max) for sample in load_set(path, notes=notes)] == [(x, 5) for x in ratings]
    assert f"{name} as rating from 1 to 5" in notes[0]
    (scores,), rated = read_score_files([path], path, ReadOptions())
    assert (list(scores.columns), rated.columns) == (["bleu"], {"rating": dict(enumerate(ratings))})
    path.write_text(f"id,{name}\n" + "".join(f"q{x},{x}\n" for x in ratings))
    assert read_ratings(list(flat_rows(path)), "a.csv", ReadOptions()).columns == {"rating": dict(enumerate(ratings))}


@pytest.mark.parametrize("second", ["ann", "Ann ", "ANN"])
@pytest.mark.parametrize("name", ["", "q1"])
def test_one_rater_twice_of_an_answer_is_an_error_everywhere(tmp_path, second, name):
    path = tmp_path / "long.csv"
    path.write_text(f"id,question,answer,rater,rating\n{name},Q,A,ann,3\nq2,R,B,ann,4\n{name},Q,A,{second},5\n")
    told = r"line 4, field rater: ann stands at line 2 too, with this answer; keep one"
    with pytest.raises(InputError, match=told):
        load_set(path)
    with pytest.raises(InputError, match=told):
        read_ratings(list(flat_rows(path)), path.name, ReadOptions())
    left: list[InputError] = []
    assert (len(load_set(path, skip_bad=left)), len(left)) == (2, 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,rater,rating\na,ann,80%\na,bob,4\nb,ann,30%\nb,bob,3\n", "ann 0 to 100, bob 1 to 5"),
        ("id,rating_ann,rating_bob\na,4/10,4\nb,3/10,3\nc,9/10,5\n", "rating_ann 1 to 10, rating_bob 1 to 5"),
        ("id,rating_ann,rating_bob\na,80%,0.8\nb,30%,0.3\n", "rating_ann 0 to 100, rating_bob 0 to 1"),
        ("id,rating_ann,rating_bob\na,good,4\nb,bad,3\n", "rating_ann 0 to 1, rating_bob 1 to 5"),
    ],
)
def test_raters_who_write_on_two_scales_are_an_error_in_score_files_too(tmp_path, text, told):
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=f"the raters are on different scales: {told}; bring them to one scale"):
        read_ratings(list(flat_rows(path)), path.name, ReadOptions())


def test_a_long_cell_after_a_word_of_sums_is_read_at_once(tmp_path):
    """Each of these cells took time with the square of its length: minutes, as often as it was looked at."""
    path = tmp_path / "a.csv"
    cell = f"Total 5{' ' * 400_000}x"
    path.write_text("question,answer\n" + f"{cell},\n" * 3)
    assert len(load_set(path, language="en")) == 3
