"""Which columns are people's ratings by their names: not those of programs, of criteria, nor a tool's total."""

import json
import shlex

import pytest
from case_files import cases_beside

from assay.errors import InputError
from assay.eval_sets import ReadOptions, load_set, propose_raters, read_score_files

CASES = cases_beside(__file__)
PROGRAMS, PERSONS = CASES["programs"], CASES["persons"]


def write_set(path, columns):
    """Five answers; each column has the numbers 1 to 5, from another start."""
    rows = ["question,answer," + ",".join(columns)]
    rows += [f"q{n},a{n}," + ",".join(str((n + place) % 5 + 1) for place in range(len(columns))) for n in range(5)]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def raters_of(path, **options):
    return sorted({rater for sample in load_set(path, notes=[], **options) for rater in sample.ratings})


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_no_rater(tmp_path, name):
    path = write_set(tmp_path / "a.csv", [f"rating_{name}", "rating_human"])
    notes: list[str] = []
    samples = load_set(path, notes=notes)
    assert [dict(sample.ratings) for sample in samples] == [{"human": (n + 1) % 5 + 1} for n in range(5)]
    told = f"rating_{name} (of a program, not a person; --map rating_{name}=rating_{name} uses it)"
    assert told in notes[0].partition("kept in the metadata: ")[2]
    assert raters_of(path, mapping={f"rating_{name}": f"rating_{name}"}) == sorted([name, "human"])
    beside: list[str] = []
    load_set(write_set(tmp_path / "b.csv", [f"rating_{name}", "rating"]), notes=beside)
    assert told in beside[0]
    assert propose_raters({f"score_{name}": value} for value in (3, 4, 2, 5, 1)) == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_in_a_cell_is_no_rater_either(tmp_path, name):
    path = tmp_path / "long.csv"
    rows = [f"q{n},a{n},{rater},{rating}" for n in (1, 2) for rater, rating in (("ada", n), (name, 5))]
    path.write_text("\n".join(["question,answer,rater,rating", *rows]))
    notes: list[str] = []
    assert [dict(sample.ratings) for sample in load_set(path, notes=notes)] == [{"ada": 1.0}, {"ada": 2.0}]
    assert f"kept in the metadata as program_ratings (give a person another name): {name} (2)" in notes[1]
    _, ratings = read_score_files([], path, ReadOptions())
    assert ratings.columns == {"ada": {0: 1.0, 1: 2.0}}
    assert f"{name} is a program, not a person" in ratings.notes[0]
    _, ratings = read_score_files([], path, ReadOptions(ratings=(name,)))  # the user says so
    assert ratings.columns == {name: {0: 5.0, 1: 5.0}}


SUMS = "consensus Konsens consenso Mehrheit meerderheid majority adjudicated final eindoordeel Endnote aggregated"


@pytest.mark.parametrize("together", SUMS.split())
def test_a_file_of_ratings_leaves_out_metrics_and_sums_of_raters(tmp_path, together):
    path = tmp_path / "long.csv"
    rows = [f"q{n},a{n},{rater},{n}" for n in (1, 2) for rater in ("ada", "Faithfulness", together)]
    path.write_text("\n".join(["question,answer,rater,rating", *rows]))
    _, ratings = read_score_files([], path, ReadOptions())
    assert ratings.columns == {"ada": {0: 1.0, 1: 2.0}}
    assert "Faithfulness is a metric, not a person" in ratings.notes[0]
    assert f"{together} sums up the raters, and its ratings are left out" in ratings.notes[1]


def test_a_set_that_only_programs_rated_is_rated_by_nobody(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(["question,answer,rater,rating", *(f"q{n},a{n},gpt-4o,{n}" for n in (1, 2, 3))]))
    samples = load_set(path, notes=[])
    assert [sample.human_rating for sample in samples] == [None] * 3
    assert [sample.metadata["program_ratings"] for sample in samples] == [{"gpt-4o": str(n)} for n in (1, 2, 3)]
    with pytest.raises(InputError, match=r"nobody rated in it .*gpt-4o is a program"):
        read_score_files([], path, ReadOptions())


def test_scores_of_a_program_are_a_metric_in_a_file_of_scores(tmp_path):
    path = write_set(tmp_path / "a.csv", ["rating_gpt4", "rating_ada"])
    (scores,), ratings = read_score_files([path], path, ReadOptions())
    assert (list(scores.columns), list(ratings.columns)) == (["rating_gpt4"], ["ada"])
    assert f"{path}: read rating_ada as ratings.ada (change with --map); as metrics rating_gpt4" in ratings.notes
    assert any("not read as ratings: rating_gpt4 (of a program, not a person; --map" in note for note in ratings.notes)
    mapped = read_score_files([], path, ReadOptions(mapping={"rating_gpt4": "rating_gpt4"}))
    assert sorted(mapped[1].columns) == ["ada", "gpt4"]


def test_a_file_that_only_a_program_rated_is_rated_by_nobody(tmp_path):
    path = write_set(tmp_path / "a.csv", ["rating_gpt4", "bleu"])
    with pytest.raises(InputError, match=r"nobody rated in it \(rating_gpt4: of a program, not a person; --map"):
        read_score_files([path], path, ReadOptions())


@pytest.mark.parametrize("name", PERSONS + CASES["unknown_persons"])
def test_a_person_is_a_rater(tmp_path, name):
    assert raters_of(write_set(tmp_path / "a.csv", [f"rating_{name}", "rating_bob"])) == sorted([name, "bob"])


@pytest.mark.parametrize("name", PERSONS)
def test_a_known_person_is_a_rater_beside_a_criterion(tmp_path, name):
    assert raters_of(write_set(tmp_path / "a.csv", [f"rating_{name}", "rating_tone"])) == [name]


@pytest.mark.parametrize("name", CASES["criteria"] + CASES["no_ratings"])
def test_a_criterion_is_no_rater(tmp_path, name):
    for prefix in ("rating_", "Bewertung ", "beoordeling_", "valoración "):
        path = write_set(tmp_path / "a.csv", [f"{prefix}{name}", "rating_ada"])
        notes: list[str] = []
        assert {tuple(sample.ratings) for sample in load_set(path, notes=notes)} == {("ada",)}
        assert f"{prefix}{name}" in notes[0].partition("kept in the metadata: ")[2]
    path = write_set(tmp_path / "a.csv", ["Rating (tone)"])  # what a header says in brackets
    assert load_set(path, notes=notes)[0].human_rating is None
    assert "Rating (tone) (a criterion, not a rater; --map 'Rating (tone)=rating' uses it)" in notes[-1]


def test_an_unknown_name_beside_a_criterion_is_said_and_mapped(tmp_path):
    """Nothing tells whether `zest` is a person: alone it is read as one, beside a criterion it is not."""
    path = write_set(tmp_path / "a.csv", ["rating_zest", "rating_tone", "rating_ada"])
    notes: list[str] = []
    assert {tuple(sample.ratings) for sample in load_set(path, notes=notes)} == {("ada",)}
    told = "taken for a criterion, as rating_tone is one; --map rating_zest=rating_zest reads it as a rater's"
    assert f"rating_zest ({told})" in notes[0]
    assert raters_of(path, mapping={"rating_zest": "rating_zest"}) == ["ada", "zest"]
    _, ratings = read_score_files([], path, ReadOptions())
    assert list(ratings.columns) == ["ada"] and f"rating_zest ({told})" in ratings.notes[-1]
    assert raters_of(write_set(path, ["rating_zest", "rating_total"])) == ["zest"]  # a total is no criterion


@pytest.mark.parametrize("scores", [[0.571, 0.8265, 0.494, 0.6715], [0.5, 1, 0, 0.5], [0, 1, 0, 1]])
@pytest.mark.parametrize("name", ["score", "Value", "label"])
def test_a_column_that_may_be_a_total_of_metrics_is_no_rating(tmp_path, name, scores):
    path = tmp_path / "a.csv"
    rows = [f"q{n},a,{n % 2},{(4 - n) // 3},{score}" for n, score in enumerate(scores)]
    path.write_text(f"question,answer,faithfulness,bleu,{name}\n" + "\n".join(rows))
    with pytest.raises(InputError, match="nobody rated in it") as raised:
        read_score_files([path], path, ReadOptions())
    notes: list[str] = []
    assert {sample.human_rating for sample in load_set(path, notes=notes)} == {None}
    _, named = read_score_files([path], path, ReadOptions(ratings=(name,)))
    assert list(*named.columns.values()) == [0, 1, 2, 3]
    if name in {"score", "label"}:
        assert f"{name}: no rating: beside faithfulness, bleu it may be a total" in str(raised.value)
        assert f"{name} (no rating: beside faithfulness, bleu it may be a total" in notes[0]
        assert None not in {sample.human_rating for sample in load_set(path, mapping={name: "rating"})}


@pytest.mark.parametrize("scores", [[1, 4, 2, 5], [1.5, 4, 2.5, 5], ["pass", "pass", "fail", "pass"], [0, 100, 60, 45]])
def test_a_score_that_people_can_have_given_is_the_rating_beside_metrics(tmp_path, scores):
    path = tmp_path / "a.csv"
    rows = [f"q{n},a,0.{n}1,{score}" for n, score in enumerate(scores)]
    path.write_text("question,answer,faithfulness,score\n" + "\n".join(rows))
    numbers = [{"pass": 1, "fail": 0}.get(score, score) for score in scores]
    assert [sample.human_rating for sample in load_set(path, notes=[])] == numbers
    _, ratings = read_score_files([path], path, ReadOptions())
    assert {name: list(column.values()) for name, column in ratings.columns.items()} == {"rating": numbers}
    assert ratings.notes[0] == f"{path}: read score as rating (change with --map); as metrics faithfulness"


@pytest.mark.parametrize(
    ("columns", "cells", "typed"),
    [
        (
            ["Annotator A", "Annotator B"],
            ["1 2", "3 4", "5 1"],
            "--map 'Annotator A=rating_Annotator A' --map 'Annotator B=rating_Annotator B'",
        ),
        (["score_ada", "page"], ["yes 1", "no 1", "yes 1"], "--map score_ada=rating_ada"),
        (["score_ada", "page"], ["1 1", "0 1", "1 1"], "--map score_ada=rating_ada"),
        (["Correct ?", "page"], ["oui 1", "non 1", "oui 1"], "--map 'Correct ?=rating'"),
        (["note exactitude", "note ton"], ["1 2", "3 4", "5 1"], ""),
        (["escalated", "page"], ["yes 1", "no 1", "yes 1"], ""),  # yes and no may say anything
        (["annotator_id", "page"], ["1 1", "2 1", "3 1"], ""),
    ],
)
def test_what_may_be_ratings_is_proposed(tmp_path, columns, cells, typed):
    path = tmp_path / "a.csv"
    rows = [f"q{n},a," + cell.replace(" ", ",") for n, cell in enumerate(cells)]
    path.write_text(f"question,answer,{','.join(columns)}\n" + "\n".join(rows), encoding="utf-8")
    notes: list[str] = []
    load_set(path, notes=notes)
    proposed = [note for note in notes if "no column is read as a rating" in note]
    assert proposed == ([f"{path}: no column is read as a rating; if these are your team's: {typed}"] if typed else [])
    mapping = dict(option.split("=") for option in shlex.split(typed)[1::2])
    assert not typed or all(sample.human_rating is not None for sample in load_set(path, mapping=mapping, notes=[]))


@pytest.mark.parametrize(
    ("name", "columns"), [("Schulnote", "Frage,Antwort"), ("Note", "Frage,Antwort"), ("rank", "question,answer")]
)
def test_a_name_whose_low_end_is_good_is_no_rating_as_it_is(tmp_path, name, columns):
    path = tmp_path / "a.csv"
    path.write_text(f"{columns},{name}\n" + "".join(f"q{n},a,{n}\n" for n in range(1, 5)))
    assert {sample.human_rating for sample in load_set(path, notes=[])} == {None}
    told = f"the column {name} says that its low end is good, and high ratings are read as good; turn its ratings round"
    for mapping in ({name: "rating"}, {name: f"rating_{name}"}):
        with pytest.raises(InputError, match=told):
            load_set(path, mapping=mapping, notes=[])
        with pytest.raises(InputError, match=told):
            read_score_files([], path, ReadOptions(mapping=mapping))


def test_a_criterion_that_only_later_rows_have_takes_no_mapping(tmp_path):
    """Beside a criterion an unknown name is no rater; it was read as one in the rows before."""
    path = tmp_path / "a.jsonl"
    rows = [{"question": f"Q{n}", "answer": f"A{n}", "rating_foo": n} for n in range(1, 11)]
    path.write_text("\n".join(json.dumps(row | ({"rating_tone": 3} if n > 4 else {})) for n, row in enumerate(rows)))
    assert [sample.rating for sample in load_set(path, notes=[])] == [None] * 10
    (first, *_, last) = load_set(path, mapping={"rating_foo": "rating"}, notes=[])
    assert (first.rating, last.rating, last.rating_max) == (1, 10, 10)
    beside = [row | {"rating": 3 - n % 2} | ({"rating_tone": 3} if n > 4 else {}) for n, row in enumerate(rows)]
    path.write_text("\n".join(map(json.dumps, beside)))
    assert [sample.rating for sample in load_set(path, notes=[])] == [3, 2] * 5


def test_what_people_say_of_a_bad_answer_is_no_failure_of_a_metric(tmp_path):
    """Every third answer is bad, and its 0 is a score: people wrote what is wrong in it."""
    path = tmp_path / "a.csv"
    rows = "".join(
        f"a{n},{1 if n % 3 else 5},{'Fout: het bedrag klopt niet' if n % 3 else 'goed'},{0 if n % 3 else 1}\n"
        for n in range(12)
    )
    path.write_text(f"id,rating,toelichting,bleu\n{rows}")
    (scores,), _ = read_score_files([path], path, ReadOptions())
    assert len(scores.columns["bleu"]) == 12


@pytest.mark.parametrize(("columns", "raters"), CASES["guessed"])
def test_what_is_a_rating_in_a_file_that_calls_none_so(tmp_path, columns, raters):
    path = write_set(tmp_path / "a.csv", columns)
    if raters is None:
        with pytest.raises(InputError, match="nobody rated"):
            read_score_files([], path, ReadOptions())
    else:
        assert read_score_files([], path, ReadOptions())[1].columns.keys() == {*raters}


@pytest.mark.parametrize(("row", "says"), CASES["nobody"])
def test_numbers_that_are_nobodys_ratings_are_not_read_as_such(tmp_path, row, says):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([row, row | {"id": 2, "question_id": 82}]))
    with pytest.raises(InputError, match=says):
        read_score_files([], path, ReadOptions())


@pytest.mark.parametrize("column", ["score", "label"])
def test_a_rating_whose_rater_is_named_is_that_persons_whoever_judged_beside(tmp_path, column):
    path = tmp_path / "a.csv"
    path.write_text(f"question,answer,judge,rater,{column}\nq1,a1,gpt-4o,Ada,2\nq2,a2,gpt-4o,Bob,5\n")
    assert [sample.ratings for sample in load_set(path)] == [{"Ada": 2}, {"Bob": 5}]
    rated = read_score_files([], path, ReadOptions())[1].columns
    assert {number: value for ratings in rated.values() for number, value in ratings.items()} == {0: 2, 1: 5}


def test_promptfoos_grade_is_no_rating(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "question,[openai:gpt-4o] {{question}},Status,Score,Named Scores\nQ?,A.,PASS,1,{}\nP?,B.,FAIL,0,{}\n"
    )
    with pytest.raises(InputError, match=r"CSV export of promptfoo.*its Score is the grader's"):
        read_score_files([], path, ReadOptions())
