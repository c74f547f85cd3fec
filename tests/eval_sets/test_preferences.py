"""People's preferences in the forms that teams have them in, and pairs that lost their other answer."""

import json

import pytest
from case_files import cases_beside
from hypothesis import HealthCheck, given, settings, strategies as st

from assay.errors import InputError
from assay.eval_sets import Preference, is_preference_file, load_set, read_preferences, write_preferences

CASES = cases_beside(__file__)

text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
name = text.filter(lambda word: word.strip() == word and word != "")


@st.composite
def preference_lists(draw):
    return [
        Preference(
            draw(name),
            *draw(st.lists(name | st.sampled_from(["first", "second"]), min_size=2, max_size=2, unique=True)),
            draw(st.sampled_from(["first", "second", "tie"])),
            draw(text),
            draw(text),
            draw(text),
        )
        for _ in range(draw(st.integers(1, 4)))
    ]


quick = settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
@quick
@given(preferences=preference_lists())
def test_what_is_written_is_read_back(tmp_path_factory, suffix, preferences):
    path = tmp_path_factory.mktemp("law") / f"pairs{suffix}"
    assert write_preferences(preferences, path) == len(preferences)
    assert is_preference_file(path)
    assert read_preferences(path, notes=[]) == preferences


def write(path, text_or_rows):
    if isinstance(text_or_rows, str):
        path.write_text(text_or_rows, encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in text_or_rows), encoding="utf-8")
    return path


ARENA = CASES["arena"]


def test_the_form_of_chatbot_arena(tmp_path):
    """A comparison with a third model is left out where the versions are named, and kept where they are not."""
    path, notes = write(tmp_path / "arena.jsonl", ARENA), []
    assert is_preference_file(path)
    expected = [
        Preference("q1", "old", "new", "second", "ada"),
        Preference("q2", "new", "old", "first", "bo"),
        Preference("q3", "old", "new", "tie", "cy"),
    ]
    assert read_preferences(path, versions=["old", "new"], notes=notes) == expected
    assert notes == [
        f"{path}: 3 preferences, 1 tie among them; read model_a as first, model_b as second, winner as choice, "
        "question_id as question, judge as rater",
        f"{path}: 1 comparison of other versions left out; the file compares gpt-5 too; name runs NAME=RUN as it does",
    ]
    assert read_preferences(path, notes=[])[3] == Preference("q4", "old", "gpt-5", "tie", "bo")


def test_no_comparison_of_the_versions_is_an_error_with_the_nearest_name(tmp_path):
    path = write(tmp_path / "arena.jsonl", ARENA)
    with pytest.raises(InputError) as error:
        read_preferences(path, versions=["older", "newer"])
    assert str(error.value) == (
        f"{path}: no row compares two of the versions `older`, `newer`; the file compares old, new, gpt-5 too; name "
        "runs NAME=RUN as it does"
    )


def test_one_row_per_question_for_two_runs(tmp_path):
    """Without names A is the first version, B the second; an empty cell and n/a are no preference, and counted."""
    rows = "id,preference,comment\n1,A,shorter\n2,b,\n3,Tie,\n4,,\n5,n/a,\n6,Both bad,\n"
    path, notes = write(tmp_path / "choices.csv", rows), []
    assert is_preference_file(path)
    assert read_preferences(path, versions=["old", "new"], notes=notes) == [
        Preference("1", "old", "new", "first", reason="shorter"),
        Preference("2", "old", "new", "second"),
        Preference("3", "old", "new", "tie"),
        Preference("6", "old", "new", "tie"),
    ]
    assert notes == [
        f"{path}: 4 preferences, 2 ties among them; read preference as choice, id as question, comment as reason",
        f"{path}: no column names the versions: A is the first (old), B the second (new)",
        f"{path}: 2 rows without a preference left out",
    ]
    assert read_preferences(path, notes=[])[0].first == "A"


@pytest.mark.parametrize(
    ("word", "choice"),
    [
        *((word, "first") for word in ("first", "A", "model_a", "Model A", "[[A]]", "A>>B", "old", "OLD")),
        *((word, "second") for word in ("second", "b", "assistant_b", "B>A", "new", "New ")),
        *((word, "tie") for word in ("tie", "Tie (bothbad)", "both bad", "A=B", "draw", "neither", "gelijk")),
    ],
)
def test_words_and_names(tmp_path, word, choice):
    path = write(tmp_path / "p.jsonl", [{"id": 1, "model_a": "old", "model_b": "new", "preference": word}])
    assert read_preferences(path, notes=[])[0].choice == choice


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"preference": "oldd"}, 'field preference: is "oldd", an unknown word; write first, second or tie'),
        ({"preference": 1}, "field preference: is a number (1), not a text; write first, second or tie"),
        ({"preference": "A", "model_b": "old"}, 'field model_b: is "old", as model_a is; name two versions'),
        ({"preference": "A", "model_b": ""}, "field model_b: is empty; write the name of the version"),
        (
            {"preference": "a", "model_a": "b", "model_b": "a"},
            'field preference: is "a", which is the name of the second',
        ),
        ({"answer": "yes"}, "field preference: is missing; add a column preference with first, second or tie"),
    ],
)
def test_errors_have_row_field_and_cure(tmp_path, row, message):
    path = write(tmp_path / "p.jsonl", [{"id": 1, "model_a": "old", "model_b": "new"} | row])
    with pytest.raises(InputError) as error:
        read_preferences(path)
    assert f"{path}, line 1, {message}" in str(error.value)


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Q", "answer": "A", "rating": 4},
        {"question": "Q", "answer": "A", "rating": 4, "preference": "short answers"},
        {"question": "Q", "answer": "A", "rating": 4, "rating_min": 1, "rating_max": 5, "answer_b": "B"},
        {"question": "Q", "answer": "A", "choice": "yes"},
        {"question": "Q", "answer": "A", "ratings": {"ada": 1}, "rating_min": -2, "rating_max": 2},
    ],
)
def test_a_file_of_ratings_is_none_of_preferences(tmp_path, row):
    assert not is_preference_file(write(tmp_path / "rated.jsonl", [row]))


def test_files_that_are_not_there_or_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_preferences(tmp_path / "none.csv")
    with pytest.raises(InputError):
        is_preference_file("lmsys/chatbot_arena_conversations")
    with pytest.raises(InputError, match=r"written as .jsonl or .csv, not `.xlsx`"):
        write_preferences([], tmp_path / "p.xlsx")
    with pytest.raises(InputError, match="there is no folder"):
        write_preferences([], tmp_path / "none" / "p.csv")


@pytest.mark.parametrize("other", ["other_response", "Answer B"])
def test_ratings_below_0_beside_two_answers_are_choices_and_no_ratings(tmp_path, other):
    """Above 0 the other answer is better: as a rating of the first one it would be the wrong way round."""
    pair = {"user_input": "Free?", "response": "Yes.", "rating": 1, "rating_min": -2, "rating_max": 2, "language": "en"}
    path = write(tmp_path / "pairs.jsonl", [pair | {"id": "a", other: "No."}])
    with pytest.raises(InputError, match=r"line 1, field rating: says which of two answers is better"):
        load_set(path)
    path = write(tmp_path / "one.jsonl", [pair | {"id": "a"}])
    assert [sample.rating_share for sample in load_set(path)] == [0.75]
    path = write(tmp_path / "stars.jsonl", [pair | {"id": "a", other: "No.", "rating_min": 1, "rating_max": 5}])
    assert [(sample.rating, sample.metadata) for sample in load_set(path)] == [(1, {other: "No."})]


def test_two_columns_of_one_rater_are_both_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,model_a,model_b,winner1,winner2,vote_2\nq1,x,y,a,b,tie\n")
    read = [(one.rater, one.choice) for one in read_preferences(path)]
    assert read == [("1", "first"), ("2", "second"), ("2", "tie")]


@pytest.mark.parametrize(
    "header",
    ["vraag_id,Model A,Model B,Voorkeur,Beoordelaar,Toelichting", "Frage ID,System,System B,Wahl,Prüfer,Begründung"],
)
def test_columns_are_found_by_the_table_of_roles(tmp_path, header):
    path = write(tmp_path / "p.csv", f"{header}\nq1,old,new,new,ada,korter\n")
    assert read_preferences(path, notes=[]) == [Preference("q1", "old", "new", "second", "ada", "", "korter")]
