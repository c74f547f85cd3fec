"""Where a set is looked for, and what is said where there is none."""

import re
import sys
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.eval_sets import bundled_sets, load_set, read_set


def test_a_file_of_that_name_comes_before_a_bundled_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("helpdesk_nl").mkdir()
    with pytest.raises(InputError, match=r"helpdesk_nl: the folder was not saved by `datasets`"):
        load_set("helpdesk_nl")


def test_a_missing_file_brings_the_nearest_names(tmp_path, jsonl, row, monkeypatch):
    jsonl(row(), name="helpdesk.jsonl")
    with pytest.raises(InputError, match=r"there is no such file or folder; did you mean `.*/helpdesk.jsonl`"):
        load_set(tmp_path / "helpdsk.jsonl")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"`helpdesk_nl`"):
        load_set("helpdesk_nl.jsonl")
    with pytest.raises(InputError, match=r"nor a folder `.*/nowhere`"):
        load_set(tmp_path / "nowhere" / "set.jsonl")


@pytest.mark.parametrize(
    "name", ["helpdesk_n", "squad:plain_text", "data/sets", "set.csv", "two words", '{"user_input": 1}']
)
def test_the_hub_is_not_asked_for_what_looks_like_a_slip(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    monkeypatch.setitem(sys.modules, "datasets", None)  # the Hub's door: to knock would say "datasets is needed"
    with pytest.raises(InputError, match=r"no such file|no file, folder or bundled set|cannot be read"):
        load_set(name)


def test_an_unknown_set_name_brings_the_nearest_and_all_bundled_sets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        load_set("helpdesk_ne")
    assert re.search(r"did you mean `helpdesk_(de|nl|en)`", str(raised.value))
    with pytest.raises(InputError) as raised:
        load_set("nosuch")
    assert "did you mean" not in str(raised.value)
    for name in bundled_sets():
        assert f"`{name}`" in str(raised.value)


def test_an_unknown_suffix_and_a_split_of_a_file(file, jsonl, row):
    with pytest.raises(InputError, match=r"files `.docx` are not supported; save the set as one of `.jsonl`"):
        load_set(file("set.docx", "x"))
    with pytest.raises(InputError, match=r"a file has no splits; leave out the split `test`"):
        load_set(jsonl(row()), split="test")


@pytest.mark.parametrize(
    ("options", "says"), [({"limit": 0}, "limit 0 leaves no samples"), ({"language": "dutch"}, "is no ISO 639-1 code")]
)
def test_options_that_make_no_sense(jsonl, row, options, says):
    with pytest.raises(InputError, match=says):
        read_set(jsonl(row()), **options)


def test_a_file_that_the_system_refuses(jsonl, row, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = jsonl(row())
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"set.jsonl: cannot be read \(Permission denied\)"):
        load_set(path)
