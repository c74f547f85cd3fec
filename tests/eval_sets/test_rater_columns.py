"""Columns that are named after colleagues: mapped by the user, and proposed where no column is a rating."""

import re
import shlex

import pytest

from assay.errors import InputError
from assay.eval_sets import ReadOptions, flat_rows, load_set, propose_raters, read_ratings, read_score_files

# Ann gave 1 and 5, Bob 3 and 4: means (1 + 3) / 2 = 2 and (5 + 4) / 2 = 4.5
ROWS = "question,answer,Ann,Bob,page\nQ,A,1,3,1\nR,B,5,4,2\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "team.csv"
    path.write_text(ROWS)
    return path


@pytest.mark.parametrize(
    "mapping",
    [
        {"Ann": "rating_Ann", "Bob": "rating_Bob"},
        {"Ann": "ratings.Ann", "Bob": "ratings.Bob"},
        {"Ann": "rating", "Bob": "rating"},
        {"Ann": "ratings", "Bob": "ratings"},
    ],
)
def test_mapped_columns_are_raters(file, mapping):
    samples = load_set(file, mapping=mapping)
    assert [dict(sample.ratings) for sample in samples] == [{"Ann": 1, "Bob": 3}, {"Ann": 5, "Bob": 4}]
    assert [sample.human_rating for sample in samples] == [2, 4.5]
    assert [sample.rating_max for sample in samples] == [5, 5]
    assert all("Ann" not in sample.metadata for sample in samples)


def test_a_mapped_rater_counts_beside_other_ratings(tmp_path):
    path = tmp_path / "both.csv"
    path.write_text("question,answer,score,Ann\nQ,A,2,1\nR,B,3,5\n")
    samples = load_set(path, mapping={"Ann": "rating_Ann"})
    assert [dict(sample.ratings) for sample in samples] == [{"Ann": 1}, {"Ann": 5}]


def test_two_columns_are_not_one_rater(file):
    with pytest.raises(InputError, match=r"`Bob` is mapped to `ratings.Ann` too"):
        load_set(file, mapping={"Ann": "rating_Ann", "Bob": "rating_Ann"})


def test_a_mapped_cell_that_is_no_number_is_named(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("question,answer,Ann\nQ,A,1\nR,B,hmm\nS,C,5\nT,D,2\n")
    with pytest.raises(InputError, match="line 3, field ratings"):
        load_set(path, mapping={"Ann": "rating_Ann"})


def test_the_note_of_an_unrated_set_proposes_what_then_works(tmp_path):
    path = tmp_path / "team.csv"
    path.write_text(ROWS + "S,C,3,,3\n")
    notes = []
    load_set(path, notes=notes)
    [proposal] = [note for note in notes if "no column is read as a rating" in note]
    assert proposal.endswith("--map Ann=rating_Ann --map Bob=rating_Bob")
    rated = []
    load_set(path, mapping={"Ann": "rating_Ann", "Bob": "rating_Bob"}, notes=rated)
    assert not any("no column is read as a rating" in note for note in rated)


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


@pytest.mark.parametrize("cell", ["55", "4,5", "vier"])
def test_a_slip_in_a_column_of_ratings_loses_no_rater_from_the_hint(tmp_path, cell):
    rows = "".join(f"Q{place},A{place},{place % 5 + 1},{place % 4 + 1}\n" for place in range(20))
    (tmp_path / "rated.csv").write_text(f'question,answer,Ann,Bob\n{rows}Q,A,3,"{cell}"\n', encoding="utf-8")
    notes = list[str]()
    load_set(tmp_path / "rated.csv", notes=notes)
    [proposal] = [note for note in notes if "no column is read as a rating" in note]
    assert proposal.endswith("--map Ann=rating_Ann --map Bob=rating_Bob")


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


@pytest.mark.parametrize(
    "columns",
    [
        "question,answer_a,answer_b,rating_a,rating_b",
        "vraag,antwoord_a,antwoord_b,beoordeling_a,beoordeling_b",
        "question,answer,answer_gpt4,rating_ann,rating_gpt4",
        "Question,Answer A,Answer B,Rating anna A,Rating anna B",
    ],
)
def test_ratings_of_several_answers_are_not_those_of_one_by_several_raters(tmp_path, columns):
    path = tmp_path / "a.csv"
    path.write_text(f"{columns}\n" + "".join(f"q{n},a{n},b{n},{1 + n % 5},{5 - n % 5}\n" for n in range(6)))
    with pytest.raises(InputError, match=r"as raters of one answer, .* write one row per answer") as raised:
        load_set(path)
    first = re.search(r"--map '?(.*)=rating", str(raised.value))
    assert {sample.rating for sample in load_set(path, mapping={first[1]: "rating"})} == {1, 2, 3, 4, 5}


def test_a_rater_called_as_the_only_answer_is_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("vraag,antwoord_bot,rating_bot,rating_ann\nq,a,1,2\nr,b,5,4\ns,c,3,3\n")
    assert load_set(path)[0].ratings == {"bot": 1, "ann": 2}


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


def test_a_mean_of_something_else_is_no_rating(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("question,answer,mean_latency,Average\n" + "".join(f"q{x},a,{x}.5,{x}.5\n" for x in range(1, 5)))
    assert {sample.human_rating for sample in load_set(path)} == {None}


def test_a_french_note_of_numbers_is_proposed_as_a_rating(tmp_path):
    path = tmp_path / "a.csv"
    rows = "".join(f"Pourquoi {mark};Parce que {mark}.;{mark}\n" for mark in (7, 10, 0, 8))
    notes: list[str] = []
    path.write_text(f"Question;Réponse;Note\n{rows}")
    load_set(path, notes=notes)
    assert notes[1] == f"{path}: no column is read as a rating; if these are your team's: --map Note=rating"


def test_a_note_that_is_a_remark_is_not_proposed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Question;Réponse;Note\nQ;A;bien\nR;B;trop long\n")
    notes: list[str] = []
    load_set(path, notes=notes)
    assert not any("--map Note" in note for note in notes)


def test_columns_of_raters_beside_a_rating_are_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("question,answer,rating,rating_ann,rating_bob\nQ,a,4,4,4\nR,b,3,2,5\nS,c,1,1,2\n")
    notes: list[str] = []
    assert load_set(path, notes=notes)[0].ratings == {}
    assert "rating_bob (of a rater, beside rating; --map rating_bob=rating_bob reads it)" in notes[0]
    mapping = {name: name for name in ("rating_ann", "rating_bob")}
    assert load_set(path, mapping=mapping)[0].ratings == {"ann": 4, "bob": 4}


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


def test_two_versions_that_answer_alike_are_two_answers_of_one_rater(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,question,answer,version,rater,rating\nq1,Q,A,old,ann,3\nq1,Q,A,new,ann,5\n")
    assert [(sample.id, sample.human_rating) for sample in load_set(path, notes=[])] == [("q1@old", 3), ("q1@new", 5)]


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


@pytest.mark.parametrize("column", ["quality", "verdict", "oordeel van team"])
def test_a_column_of_three_labels_is_proposed(tmp_path, column):
    path = tmp_path / "a.csv"
    path.write_text(f"question,answer,{column}\nQ,A,goed\nR,B,matig\nS,C,slecht\n")
    notes = list[str]()
    load_set(path, notes=notes)
    says = f"if {column} is one (goed, matig, slecht), write numbers from 1 (worst) to 3 (best) in place of its labels"
    assert sum(says in note for note in notes) == 1
    path.write_text(f"question,answer,{column}\nQ,A,ja\nR,B,nee\nS,C,ja\n")  # a flag of whatever kind
    notes.clear()
    load_set(path, notes=notes)
    assert not any("no column is read as a rating" in note for note in notes)


def test_the_place_of_a_rating_of_several_raters_is_its_first(tmp_path):
    """Ann's 0 stands at line 2 and Bob's at line 3: 2 of 40 ratings, and all others are 1 to 5."""
    path = tmp_path / "a.csv"
    rows = [(0, 3), (3, 0), *((n % 5 + 1, 5 - n % 5) for n in range(18))]
    text = "".join(f"Q{n},A{n},{a},{b}\n" for n, (a, b) in enumerate(rows))
    path.write_text(f"question,answer,rating_ann,rating_bob\n{text}")
    notes = list[str]()
    load_set(path, notes=notes)
    assert any("2 ratings are 0 (line 2) and all others lie on 1-5: read as 0-5" in note for note in notes)


def test_a_long_cell_after_a_word_of_sums_is_read_at_once(tmp_path):
    """Each of these cells took time with the square of its length: minutes, as often as it was looked at."""
    path = tmp_path / "a.csv"
    cell = f"Total 5{' ' * 400_000}x"
    path.write_text("question,answer\n" + f"{cell},\n" * 3)
    assert len(load_set(path, language="en")) == 3
