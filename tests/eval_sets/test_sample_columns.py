"""Which column becomes which field, and what becomes of all others: languages, systems, metadata."""

import subprocess
import sys

import pytest

from assay.errors import InputError
from assay.eval_sets import load_set, read_samples


def test_ragas_and_deepeval_columns_need_no_mapping(jsonl):
    ragas, deepeval = load_set(
        jsonl(
            {"question": "q1", "answer": "r1", "contexts": ["c1"], "ground_truth": "g1"},
            {"input": "q2", "actual_output": "r2", "retrieval_context": ["c2"], "expected_output": "g2"},
        )
    )
    for sample, number in ((ragas, 1), (deepeval, 2)):
        assert (sample.user_input, sample.response) == (f"q{number}", f"r{number}")
        assert (sample.retrieved_contexts, sample.reference) == ((f"c{number}",), f"g{number}")
        assert sample.metadata == {}


def test_an_alias_gives_way_to_the_field_itself_and_is_kept(jsonl, row):
    [sample] = load_set(jsonl(row(question="other", answer=None, input="third")))
    assert sample.user_input == "How do I save?"
    assert sample.metadata == {"question": "other", "answer": None, "input": "third"}
    assert load_set(jsonl(row(user_input=None, question="q")))[0].user_input == "q"
    with pytest.raises(InputError, match=r"field user_input \(column question\): is a number \(3\), not a text"):
        load_set(jsonl(row(user_input=..., question=3)))


def test_mapping_renames_and_what_it_pushes_aside_is_kept(jsonl, row):
    path = jsonl(row(vraag="mapped", question="q"))
    [sample] = load_set(path, mapping={"vraag": "user_input"})
    assert sample.user_input == "mapped"
    assert sample.metadata == {"user_input": "How do I save?", "question": "q"}


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        ({"vraag": "user_imput"}, "no field is called `user_imput`; did you mean vraag=user_input"),
        ({"user_input": "vraag"}, "THEIRS=OURS: write vraag=user_input"),
        ({"a": "response", "b": "response"}, "map a=response: `b` is mapped to `response` too"),
    ],
)
def test_a_mapping_to_no_field(jsonl, row, mapping, says):
    with pytest.raises(InputError, match=says):
        load_set(jsonl(row()), mapping=mapping)


def test_a_mapped_column_that_no_row_has(jsonl, file, row):
    says = r"map quesion=user_input: there is no column `quesion`; did you mean question=user_input\? The columns are"
    for path in (jsonl({"question": "q", "response": "r"}), file("set.csv", "question,response\nq,r\n")):
        with pytest.raises(InputError, match=says):
            load_set(path, mapping={"quesion": "user_input"})
    # an optional field lacks in silence, row by row: only the end tells
    with pytest.raises(InputError, match=r"map truth=reference: there is no column `truth`; the columns are `id`"):
        load_set(jsonl(row()), mapping={"truth": "reference"})


def test_unknown_columns_join_the_metadata_and_nothing_is_lost(jsonl, row):
    path = jsonl(row(agent="Jo", turn=2, metadata={"agent": "in metadata", "metadata.agent": "taken", "note": "n"}))
    assert load_set(path)[0].metadata == {
        "agent": "Jo",
        "turn": 2,
        "metadata.agent": "in metadata",
        "metadata.metadata.agent": "taken",
        "note": "n",
    }


DUTCH = {"user_input": "Hoe voeg ik een medewerker toe?", "response": "Ga naar Medewerkers en klik op Toevoegen."}
ENGLISH = {"user_input": "How do I add an employee?", "response": "Go to Employees and click Add."}
SPANISH = {"user_input": "¿Cómo añado un empleado?", "response": "Vaya a Empleados y haga clic en Añadir."}


def test_the_rows_own_comes_first_then_the_argument_then_the_texts(jsonl):
    path = jsonl({**DUTCH, "language": "de"}, DUTCH, ENGLISH, SPANISH)
    assert [sample.language for sample in load_set(path, language="fr")] == ["de", "fr", "fr", "fr"]
    assert [sample.language for sample in load_set(path)] == ["de", "nl", "en", "es"]


def test_a_region_is_kept_in_the_metadata(jsonl, row):
    first, second, third = load_set(
        jsonl(
            row(id="a", language="nl-BE"), row(id="b", language="en_GB", metadata={"n": 1}), row(id="c", language="NL")
        )
    )
    assert (first.language, first.metadata) == ("nl", {"language": "nl-BE"})
    assert (second.language, second.metadata) == ("en", {"language": "en_GB", "n": 1})
    assert (third.language, third.metadata) == ("nl", {})


def test_a_group_of_its_own_stays_and_metadata_name_the_system_too():
    rows = [
        {"id": "q1", "question": "A?", "answer": name, "context": "c", "group": "g", "metadata": {"version": name}}
        for name in ("old", "new")
    ]
    notes: list[str] = []
    samples = list(read_samples(rows, notes=notes))
    assert [(one.id, one.source) for one in samples] == [("q1@old", "g"), ("q1@new", "g")]
    assert any("ids are read as ID@" in note for note in notes)
    assert not any("grouped by ID" in note for note in notes), "they are grouped by the column"


HEAVY = "datasets pandas pyarrow scipy py3langid numpy litellm torch rapidfuzz"
PROGRAM = f"""
import sys
import assay.eval_sets
print(*(name for name in {HEAVY.split()} if name in sys.modules))
assert assay.eval_sets.load_set("helpdesk_nl")
print(*(name for name in {HEAVY.split()} if name in sys.modules))
"""


def test_nothing_heavy_is_loaded_to_import_or_to_read_a_set_that_names_its_language():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
