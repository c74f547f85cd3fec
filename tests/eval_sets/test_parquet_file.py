"""Parquet files: real ones, written here."""

import datetime
import math
import sys

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


def test_a_parquet_file(tmp_path):
    path = tmp_path / "set.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    check(load_set(path))
    frame = pandas.DataFrame({"question": ["q"] * 2, "answer": ["r"] * 2, "rating": [4, math.nan]})
    frame.to_parquet(path)  # as pandas writes it: NaN stands for nothing
    assert [(sample.id, sample.rating) for sample in load_set(path)] == [("set-1", 4), ("set-2", None)]


@pytest.mark.parametrize(("content", "says"), [(b"", "the file is empty"), (b"PAR1 no", "is no readable Parquet file")])
def test_a_file_that_is_no_parquet(file, content, says):
    with pytest.raises(InputError, match=f"set.parquet: {says}"):
        load_set(file("set.parquet", content))


def test_without_the_extra_the_error_says_how_to_install_it(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"needs the extra `tables` \(pyarrow is missing\): .* -m pip install"):
        load_set(file("set.parquet", b"PAR1"))
