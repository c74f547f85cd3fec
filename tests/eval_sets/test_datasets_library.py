"""Parquet files and folders saved by `datasets`: real ones, written here."""

import datetime
import math
import subprocess
import sys

import datasets
import pandas
import pyarrow
import pyarrow.parquet
import pytest

from assay.errors import InputError, UsageError
from assay.eval_sets import load_set

TABLES = [{"name": "net", "columns": {"mbps": [41.2, None]}, "units": {"mbps": "Mbps"}}]
OTHER = [{"name": "cpu", "columns": {"load": [0.5]}, "units": {}}]
ROWS = [
    {
        "id": name,
        "user_input": "q",
        "response": "r",
        "language": "nl",
        "retrieved_contexts": contexts,
        "rating": rating,
        "ratings": ratings,
        "tables": tables,
        "day": datetime.date(2026, 3, 1),
    }
    for name, contexts, rating, ratings, tables in (
        ("a", ["c", "d"], 4, {"an": 4.0, "bo": None}, TABLES),
        ("b", [], None, {"an": None, "bo": 2.0}, OTHER),
    )
]


def check(samples):
    first, second = samples
    assert (first.id, first.retrieved_contexts, first.rating) == ("a", ("c", "d"), 4)
    assert (first.ratings, second.ratings) == ({"an": 4}, {"bo": 2})
    # a struct of Arrow has the columns of all rows in every row
    assert (first.tables[0].columns, first.tables[0].units) == ({"mbps": [41.2, None]}, {"mbps": "Mbps"})
    assert (second.tables[0].columns, second.tables[0].units) == ({"load": [0.5]}, {})
    assert first.metadata == {"day": "2026-03-01"}
    assert second.rating is None


def test_nan_written_as_a_number_is_no_rating(tmp_path):
    path = tmp_path / "set.parquet"
    columns = {"user_input": ["q", "q"], "response": ["r", "r"], "rating": [4.0, math.nan]}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    assert [sample.rating for sample in load_set(path)] == [4, None]


def test_parquet_and_a_saved_dataset(tmp_path):
    path = tmp_path / "set.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    check(load_set(path))
    datasets.Dataset.from_list(ROWS).save_to_disk(tmp_path / "saved")
    check(load_set(str(tmp_path / "saved") + "/"))
    frame = pandas.DataFrame({"question": ["q"] * 2, "answer": ["r"] * 2, "rating": [4, math.nan]})
    frame.to_parquet(path)  # as pandas writes it: NaN stands for nothing
    assert [(sample.id, sample.rating) for sample in load_set(path)] == [("set-1", 4), ("set-2", None)]


@pytest.mark.parametrize(("content", "says"), [(b"", "the file is empty"), (b"PAR1 no", "is no readable Parquet file")])
def test_a_file_that_is_no_parquet(file, content, says):
    with pytest.raises(InputError, match=f"set.parquet: {says}"):
        load_set(file("set.parquet", content))


def test_saved_splits_need_a_choice(tmp_path):
    def part(name):
        return datasets.Dataset.from_dict({"id": [name], "user_input": ["q"], "response": ["r"]})

    path = tmp_path / "saved"
    datasets.DatasetDict({"train": part("in train"), "test": part("in test")}).save_to_disk(path)
    assert [sample.id for sample in load_set(path, split="test")] == ["in test"]
    with pytest.raises(InputError, match=r"the set has the splits `train`, `test`; choose one"):
        load_set(path)
    with pytest.raises(InputError, match=r"there is no split `tets`; did you mean test"):
        load_set(path, split="tets")
    datasets.DatasetDict({"train": part("only")}).save_to_disk(tmp_path / "one")
    assert load_set(tmp_path / "one")[0].id == "only"


def test_a_folder_of_something_else_and_a_damaged_one(tmp_path, jsonl, row):
    jsonl(row())
    with pytest.raises(InputError, match=r"was not saved by `datasets` .* name a file in it: `set.jsonl`"):
        load_set(tmp_path)
    (tmp_path / "state.json").write_text("{")
    with pytest.raises(InputError, match=r"cannot be read by `datasets`"):
        load_set(tmp_path)


def test_a_hub_set_is_read_as_a_stream(monkeypatch, jsonl, row):
    # the library streams a local file here in place of the Hub's; everything after the download is real
    path = jsonl(*(row(id=f"{number}", topic="t") for number in range(600)))
    real, calls = datasets.load_dataset, []

    def local(*names, split, streaming):
        calls.append((*names, split, streaming))
        return real("json", data_files={"test": str(path)}, split=split, streaming=streaming)

    monkeypatch.setattr(datasets, "load_dataset", local)
    samples = load_set("owner/name:nl")
    assert [sample.id for sample in samples] == [f"{number}" for number in range(600)]
    assert samples[0].metadata == {"topic": "t"}
    assert len(load_set("owner/name", split="test", limit=3)) == 3
    assert calls == [("owner/name", "nl", None, True), ("owner/name", None, "test", True)]


HUB = """
import sys
from assay.errors import InputError, UsageError
from assay.eval_sets import load_set
try:
    load_set(sys.argv[1])
except InputError as error:
    print(error)
"""


def test_the_hub_out_of_reach_is_an_error_with_cause_and_cure(tmp_path):
    # a process of its own, since huggingface_hub reads the variable when it is first imported
    environment = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-c", HUB, "nobody/no-such-set"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith("nobody/no-such-set: there is no file, folder or bundled set of this name, and the"), (
        run
    )
    assert "ffline" in run.stdout
    assert "go online, or name a local file" in run.stdout


@pytest.mark.parametrize(
    ("name", "extra", "library"), [("set.parquet", "tables", "pyarrow"), ("owner/name", "datasets", "datasets")]
)
def test_without_the_extra_the_error_says_how_to_install_it(file, monkeypatch, name, extra, library):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "datasets", None)
    source = str(file(name, b"PAR1")) if name.endswith("parquet") else name
    with pytest.raises(UsageError, match=rf"needs the extra `{extra}` \({library} is missing\): .* -m pip install"):
        load_set(source)
