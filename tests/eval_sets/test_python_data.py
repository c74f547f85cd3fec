"""Data of a Python program: the same rows are the same samples, whatever holds them, and errors name the place."""

from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict

from assay import Sample
from assay.errors import InputError
from assay.eval_sets import load_set, read_samples, write_set

pandas = pytest.importorskip("pandas")
datasets = pytest.importorskip("datasets")

ROWS = [
    {"question": "Is it free?", "answer": "Yes, it is free.", "contexts": ["It is free.", "B."], "score": 2, "page": 7},
    {"question": "Where is it?", "answer": "It is in the menu.", "contexts": ["C."], "score": 5, "page": 8},
]
READ = "read question as user_input, answer as response, contexts as retrieved_contexts, score as rating from 1 to 5"
SAMPLES = [
    Sample(
        id=f"sample-{number}",
        user_input=row["question"],
        response=row["answer"],
        retrieved_contexts=tuple(row["contexts"]),
        rating=row["score"],
        language="en",
        metadata={"page": row["page"]},
    )
    for number, row in enumerate(ROWS, start=1)
]


def polars_frame(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(rows)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (list, "the list"),
        (iter, "the list"),
        (pandas.DataFrame, "the DataFrame"),
        (polars_frame, "the DataFrame"),
        (datasets.Dataset.from_list, "the dataset"),
        (lambda rows: datasets.Dataset.from_list(rows).to_iterable_dataset(), "the dataset"),
        (lambda rows: datasets.Dataset.from_list(rows).with_format("numpy"), "the dataset"),
    ],
)
def test_the_same_rows_are_the_same_samples(make, name):
    notes: list[str] = []
    assert list(read_samples(make(ROWS), notes=notes)) == SAMPLES
    assert notes == [f"{name}: {READ} (change with mapping=); kept in the metadata: page"]


def test_a_path_and_a_set_are_read_as_on_the_command_line(tmp_path):
    write_set(SAMPLES, tmp_path / "set.jsonl")
    assert list(read_samples(tmp_path / "set.jsonl")) == SAMPLES
    assert list(read_samples("helpdesk_en")) == load_set("helpdesk_en")


def test_samples_stay_as_they_are_but_for_a_missing_id_and_language():
    given = [SAMPLES[0], Sample(user_input="Waar is het?", response="Het staat in het menu.")]
    first, second = read_samples(given)
    assert first is given[0]
    assert second == given[1].model_copy(update={"id": "sample-2", "language": "nl"})


class RagasRow(BaseModel):
    """A row of Ragas: `SingleTurnSample` and `MultiTurnSample` are such models."""

    model_config = ConfigDict(extra="allow")
    user_input: Any = None
    response: Any = None


RagasRow.__module__ = "ragas.dataset_schema"


def test_rows_of_ragas_are_samples():
    row = RagasRow(user_input="Is it free?", response="It is.", retrieved_contexts=["Free."], rubrics={"low": "bad"})
    (sample,) = read_samples([row])
    assert (sample.id, sample.language, sample.retrieved_contexts) == ("ragas-1", "en", ("Free.",))
    assert sample.metadata == {"rubrics": {"low": "bad"}}
    calls = [{"name": "count", "args": {"of": "days"}}]
    turns = [
        {"type": "human", "content": "Hi"},
        {"type": "ai", "content": "", "tool_calls": calls},
        {"type": "tool", "content": "3"},
        {"type": "ai", "content": "3 days."},
    ]
    (made,) = read_samples([RagasRow(user_input=turns, reference="So.", reference_tool_calls=calls)])
    assert (made.user_input, made.response, made.reference) == ("Hi", "3 days.", "So.")
    assert made.messages[1].tool_calls[0].function.values == {"of": "days"}
    assert made.messages[2].tool_call_id == made.messages[1].tool_calls[0].id
    assert made.metadata == {"expected_actions": [{"name": "count", "kwargs": {"of": "days"}}]}
    with pytest.raises(InputError, match=r"the dataset ragas, index 1, field response: is missing"):
        list(read_samples([row, RagasRow(user_input="a")]))


def test_an_empty_cell_of_a_dataframe_is_no_value():
    """NaN, NaT and NA stand for nothing; an array is a list."""
    frame = pandas.DataFrame(ROWS * 2).assign(
        score=[2, 5, np.nan, 3],
        contexts=[np.array(["It is free.", "B."]), None, np.nan, pandas.NA],
        when=pandas.to_datetime(["2026-03-01", None, None, None]),
    )
    samples = list(read_samples(frame))
    assert [sample.rating for sample in samples] == [2, 5, None, 3]
    assert [sample.retrieved_contexts for sample in samples] == [("It is free.", "B."), (), (), ()]
    assert [sample.metadata["when"] for sample in samples] == ["2026-03-01T00:00:00", None, None, None]


FRAME = pandas.DataFrame(ROWS)
BOTH = "give a path, the name of a set, a DataFrame of pandas or polars"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (FRAME.rename(columns={"answer": "respnse"}), "the DataFrame, field response: is missing; rename `respnse`"),
        (FRAME.assign(answer=["Yes.", 3]), r"the DataFrame, iloc 1, field response \(column answer\): is a number"),
        (FRAME.assign(id=["a", "a"]), 'the DataFrame, iloc 1, field id: "a" is the id of iloc 0 too'),
        (pandas.concat([FRAME, FRAME[["answer"]]], axis=1), "'answer' 2 times; give each column its own name"),
        (FRAME.iloc[:0], "the DataFrame: the set is empty"),
        (FRAME["answer"], "the list, index 0: is an object of type str, and not a dict or a Sample"),
        ([], "the list: the set is empty"),
        ([ROWS[0], {"question": "Why?"}], "the list, index 1, field response: is missing; add it, or map"),
        ([ROWS[0] | {"id": "a"}, SAMPLES[0].model_copy(update={"id": "a"})], 'index 1, field id: "a" is the id'),
        (ROWS[0], "the data is one dict; put it in a list, one dict per sample"),
        ({"question": ["Why?"], "answer": ["So."]}, r"a dict of columns; give .* pandas.DataFrame\(data\)"),
        (SAMPLES[0], r"the data is one Sample; put it in a list: \[sample\]"),
        (datasets.DatasetDict({"test": datasets.Dataset.from_list(ROWS)}), r'give one of them: dataset\["test"\]'),
        (None, f"the data is an object of type NoneType; {BOTH}"),
        (b"question", f"the data is an object of type bytes; {BOTH}"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place_and_the_cure(data, says):
    with pytest.raises(InputError, match=says):
        list(read_samples(data))


def test_a_lazy_frame_is_not_computed_behind_the_users_back():
    with pytest.raises(InputError, match=r"give frame.collect\(\)"):
        read_samples(polars_frame(ROWS).lazy())
