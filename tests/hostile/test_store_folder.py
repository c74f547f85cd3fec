"""A store that is a file, a pipe or a device: each command says that it is no folder, and leaves it as it is."""

import pytest
from special_files import make_special_file


def make(kind, path):
    if kind == "file":
        path.write_text("{}\n", encoding="utf-8")
    else:
        make_special_file(kind, path)


@pytest.mark.parametrize("kind", ["file", "pipe", "device"])
@pytest.mark.parametrize(
    "words",
    [
        *("show runs", "show last", "show changes last last", "rate last", "rate export"),
        "run set.jsonl --metrics token_overlap",
    ],
)
def test_a_command_says_that_the_store_is_no_folder(assay, set_file, tmp_path, words, kind):
    make(kind, tmp_path / "ok.jsonl")
    words = words.replace("set.jsonl", set_file(2).name)
    done = assay(*words.split(), "--store", "ok.jsonl", code=2)
    wanted = f"ok.jsonl: is a {kind}, not a folder; name the folder of a store with --store"
    assert wanted in done.err and done.err.count("\n") == 1, done.err


@pytest.mark.parametrize("kind", ["file", "pipe", "device"])
@pytest.mark.parametrize("options", [["--check"], [], ["--resume"]])
def test_a_suite_says_which_line(assay, set_file, tmp_path, options, kind):
    make(kind, tmp_path / "ok.jsonl")
    lines = [f"sets: {set_file(2).name}", "metrics: token_overlap", "store: ok.jsonl", "outputs: {summary: s.md}"]
    (tmp_path / "nightly.yaml").write_text("\n".join(lines), encoding="utf-8")
    done = assay("suite", "nightly.yaml", *options)
    place = f"nightly.yaml, line 3, store: {tmp_path / 'ok.jsonl'}: is a {kind}, not a folder; "
    assert (done.code, place in done.err) == (1, True), done.err
    assert not (tmp_path / "s.md").exists()
