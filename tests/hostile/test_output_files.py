"""Outputs whose place is taken by what is no file: refused before anything is done, and it stays what it was."""

import os
import stat
from pathlib import Path

import pytest
from special_files import make_special_file

from assay.atomic_files import check_replaceable, check_writable, replace_file
from assay.errors import InputError, UsageError
from assay.runs.suite import load_suite

pytestmark = [pytest.mark.timeout(120), pytest.mark.skipif(os.name == "nt", reason="no such files there")]
KINDS = {"null": stat.S_IFCHR, "pipe": stat.S_IFIFO, "folder": stat.S_IFDIR}


@pytest.fixture(params=KINDS)
def no_file(request, tmp_path):
    """Makes something of a name, in `made`, that is no file: a device that swallows everything, a pipe or a folder."""

    def make(name):
        path = tmp_path / "made" / name
        path.parent.mkdir(exist_ok=True)
        if request.param == "folder":
            path.mkdir()
        else:
            make_special_file("pipe" if request.param == "pipe" else "device", path)
        return path

    return make


def contents(folder):
    """What is in a folder, by kind."""
    return {path.name: stat.S_IFMT(path.lstat().st_mode) for path in folder.iterdir()}


def test_what_is_no_file_is_not_replaced(no_file):
    target = no_file("scores.csv")
    link = target.with_name("link.csv")
    link.symlink_to(target)
    before = contents(target.parent)
    for path in (target, link):
        with pytest.raises(UsageError, match=r"is a (device|pipe|folder), not a file; name a file"):
            check_writable(path)
        with pytest.raises(InputError, match=r"is a (device|pipe|folder), not a file"), replace_file(path) as file:
            file.write("x")
    assert contents(target.parent) == before


def test_a_link_to_a_file_is_written(tmp_path):
    (tmp_path / "old.csv").write_text("old", encoding="utf-8")
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "old.csv")
    with replace_file(link) as file:
        file.write("new")
    assert link.read_text(encoding="utf-8") == "new"


def test_standard_output_is_refused_wherever_it_leads(monkeypatch):
    monkeypatch.setattr("assay.atomic_files.kind_of_no_file", lambda _: "")  # as with `> file`
    for path in (Path("/dev/stdout"), Path("/dev/fd/1"), Path("/proc/self/fd/1")):
        with pytest.raises(UsageError, match="is a device, not a file; name a file, or leave out --out"):
            check_replaceable(path, "--out")
    check_replaceable(Path("/dev/shm/scores.csv"))


@pytest.mark.parametrize("key", ["junit", "summary", "json", "site"])
@pytest.mark.parametrize("options", [["--check"], []])
def test_a_suite_names_the_output_before_it_begins(*, assay, set_file, no_file, tmp_path, key, options):
    path = no_file("output")
    if key == "site" and path.is_dir():
        path.rmdir()
        path.write_text("a file", encoding="utf-8")
    before = contents(path.parent)
    file = tmp_path / "nightly.yaml"
    lines = [f"sets: {set_file(2).name}", "metrics: token_overlap", "outputs:", f"  {key}: made/output"]
    file.write_text("\n".join(lines), encoding="utf-8")
    done = assay("suite", file, *options)
    assert (done.code, "Traceback" in done.err) == (1, False), done.err
    assert f"nightly.yaml, line 4, outputs.{key}: " in done.err, done.err
    wanted = "not a folder; name a folder" if key == "site" else "not a file; name a file"
    assert wanted in done.err
    assert f"or leave out `{key}`" in done.err
    assert contents(path.parent) == before
    assert not (tmp_path / ".assay").exists()


def test_a_suite_refuses_standard_output(tmp_path):
    file = tmp_path / "nightly.yaml"
    for name in ("/dev/null", "/dev/stdout"):
        file.write_text(f"sets: a.csv\nmetrics: token_overlap\noutputs: {{json: {name}}}", encoding="utf-8")
        with pytest.raises(InputError, match=r"line 3, outputs.json: .* or leave out `json`$"):
            load_suite(file)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("run {set} --metrics token_overlap --out made/n.jsonl", "--out"),
        ("rate export q --store s --out made/n.jsonl", "--out"),
        ("init {set} --out made/n.jsonl", "--out"),
        ("meta last --save made/n.jsonl", "--save"),
        ("meta last --report made/n.jsonl", "--report"),
        ("judges compare {set} --judge a/b --report made/n.jsonl", "--report"),
        ("generate {set} --judge a/b --out made/n.jsonl", "--out"),
    ],
)
def test_a_command_names_the_option(*, assay, set_file, no_file, tmp_path, words, option):
    path = no_file("n.jsonl")
    before = contents(path.parent)
    done = assay(*words.format(set=set_file(2).name).split())
    message = " ".join(done.err.split())
    assert done.code == 2, message
    assert option in message and "not a file; name a file" in message, message
    assert contents(path.parent) == before
    assert not (tmp_path / ".assay").exists()
