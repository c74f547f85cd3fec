"""Downloading public sets from a local server: checked, whole or not at all, refused where something is wrong."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from api_server import Reply
from public_originals import (
    TABFACT_TABLES,
    FileServer,
    as_bytes,
    break_off,
    original_of,
    ragchecker_entries,
    tau_trajectories,
)

from assay.errors import InputError
from assay.eval_sets import (
    PublicFile,
    PublicSet,
    cached_path,
    check_count,
    download_files,
    download_public_set,
    load_facts,
    load_set,
    read_files,
)

LABELS = "human_labeled_data.json"
CONTENT = as_bytes(ragchecker_entries(280))  # as many pairs as the facts of the set name


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with FileServer({LABELS: CONTENT, "gpt-4o-retail.json": as_bytes(tau_trajectories())}) as started:
        monkeypatch.setenv("ASSAY_PUBLIC_SETS", started.url)
        yield started


def cached() -> Path:
    facts = load_facts("ragchecker")
    return cached_path(facts, facts.files[0].path)


def known_set() -> PublicSet:
    """RAGChecker as if Assay knew its file."""
    facts = load_facts("ragchecker")
    file = PublicFile(path=facts.files[0].path, size=len(CONTENT), sha256=sha256(CONTENT).hexdigest())
    return facts.model_copy(update={"files": (file,)})


def download(facts: PublicSet) -> Any:
    return download_files(facts, lambda _: None)


def test_a_set_is_downloaded_once_and_then_read_by_name(server):
    received: list[int] = []
    (file,) = download_public_set("ragchecker", received.append)
    assert (file.size, file.sha256, file.is_known, file.is_new) == (
        len(CONTENT),
        sha256(CONTENT).hexdigest(),
        False,
        True,
    )
    assert received[-1] == len(CONTENT)
    facts = load_facts("ragchecker")
    assert server.paths() == [f"/{facts.repository}/{facts.commit}/{facts.files[0].path}"]
    (again,) = download_public_set("public:ragchecker")
    assert (again.is_new, len(server.calls)) == (False, 1)
    samples = load_set("public:ragchecker", notes=[])
    assert [sample.id for sample in samples] == [f"ragchecker-{number}" for number in range(1, 281)]
    assert samples[0].other_response == "Click Save for step 1."
    assert len(server.calls) == 1
    assert [path.name for path in cached().parent.iterdir()] == [LABELS]


def test_nothing_is_downloaded_unless_it_is_asked_for(server):
    with pytest.raises(InputError) as raised:
        load_set("public:ragchecker")
    message = str(raised.value)
    assert message.startswith("public:ragchecker: is not downloaded; get it once with: assay sets get ragchecker --yes")
    for words in (server.url, "Apache-2.0", "public_sets", "1 file"):
        assert words in message
    assert server.calls == []


def test_a_file_of_another_checksum_is_refused_and_leaves_nothing(server):
    server.files[LABELS] = bytes(reversed(CONTENT))
    with pytest.raises(InputError) as raised:
        download(known_set())
    message = str(raised.value)
    assert "is not the file that Assay knows: expected" in message
    assert f" {len(CONTENT):,} bytes, sha256 {sha256(CONTENT).hexdigest()}" in message
    assert sha256(bytes(reversed(CONTENT))).hexdigest() in message
    assert "give the command again; if that does not help, update Assay, or name a mirror or a folder" in message
    assert list(cached().parent.iterdir()) == []
    server.files[LABELS] = CONTENT
    (file,) = download(known_set())
    assert (file.is_known, file.is_new, cached().read_bytes()) == (True, True, CONTENT)


def test_a_connection_that_breaks_off_leaves_nothing(server):
    server.script = lambda call: break_off(CONTENT, len(CONTENT) // 3)
    with pytest.raises(InputError, match=r"cannot be downloaded into .*; give the command again"):
        download_public_set("ragchecker")
    assert list(cached().parent.iterdir()) == []
    server.script = lambda call: None
    download_public_set("ragchecker")
    assert cached().read_bytes() == CONTENT


def test_no_network_is_told_with_its_cure(server, monkeypatch):
    with FileServer({}) as stopped:
        address = stopped.url
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", address.replace("//", "//me:secret@"))
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    assert "check the network, HTTPS_PROXY and the disk, or name a mirror or a folder" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_disk_that_takes_nothing_is_told_and_keeps_nothing(server, monkeypatch):
    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.move", refuse)
    with pytest.raises(InputError, match=r"No space left on device.*check the network, HTTPS_PROXY and the disk"):
        download_public_set("ragchecker")
    assert list(cached().parent.iterdir()) == []


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(200, b""), "is not JSON"),
        (Reply(200, "<html>Log in</html>"), "is not JSON"),
        (Reply(200, {"message": "too many requests"}), "is an object, not a list"),
        (Reply(200, []), "holds no answers"),
        (Reply(200, CONTENT[: len(CONTENT) // 2]), "human_labeled_data.json: "),
        (Reply(200, b'[\n"\xff"]'), "human_labeled_data.json, line 2: byte 3 is not UTF-8"),
    ],
)
def test_what_comes_first_and_is_not_the_data_leaves_nothing_behind(server, reply, words):
    server.script = lambda call: reply
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    assert words in str(raised.value)
    assert f"it is not the data, and {cached()} is removed" in str(raised.value)
    assert list(cached().parent.iterdir()) == []
    server.script = lambda call: None
    download_public_set("ragchecker")
    assert len(load_set("public:ragchecker", notes=[])) == 280


@pytest.mark.parametrize("value", ["/nowhere/at/all", "/dev/null", "ftp://me:secret@host/x", "~nobody/x", "a" * 300])
def test_a_wrong_variable_is_told(server, monkeypatch, value):
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", value)
    with pytest.raises(InputError, match=r"ASSAY_PUBLIC_SETS: .* is no folder that exists and no address") as raised:
        load_set("public:ragchecker")
    assert "secret" not in str(raised.value)


def test_tables_are_downloaded_with_the_statements_that_name_them(server):
    server.files |= {"val_examples.json": as_bytes(original_of("tabfact"))}
    server.files |= {path: text.encode() for path, text in TABFACT_TABLES.items()}
    files = download_public_set("tabfact")
    assert [file.path.rpartition("/")[2] for file in files] == [
        "val_examples.json",
        "1-10-1.html.csv",
        "2-20-2.html.csv",
    ]
    assert len(load_set("public:tabfact", notes=[])) == 3
    lost = cached_path(load_facts("tabfact"), "data/all_csv/2-20-2.html.csv")
    lost.unlink()
    assert read_files(load_facts("tabfact")) is None  # it is offered again, and only the lost table comes
    assert [file.is_new for file in download_public_set("tabfact")] == [False, False, True]


@pytest.mark.parametrize("name", ["../../x.csv", "/etc/passwd", "a/b.csv", ".hidden.csv", "x", "a\\b.csv", "a\0.csv"])
def test_a_table_name_leads_nowhere_else(server, name):
    server.files |= {"val_examples.json": as_bytes({name: [["x"], [1], "t"]})}
    with pytest.raises(InputError, match=r"is no name of a table's file|holds a NUL byte"):
        download_public_set("tabfact")
    assert len(server.calls) == 1


@pytest.mark.parametrize("count", [199, 201])
def test_a_set_of_another_number_than_was_counted_is_refused(server, tmp_path, monkeypatch, count):
    facts = load_facts("tau")
    target = cached_path(facts, facts.files[0].path)
    content = as_bytes(tau_trajectories(count))
    server.files["gpt-4o-airline.json"] = content
    expected = "expected 200 answers, as were counted at commit 59a200c6d5"
    problem = f"historical_trajectories/gpt-4o-airline.json: {expected}; it has {count} answers"
    with pytest.raises(InputError) as raised:
        download_public_set("tau")
    assert str(raised.value) == (
        f"public:tau: {problem}; it is not the data, and {target} is removed; check where it comes from, and get it "
        "again: assay sets get tau"
    )
    assert list(target.parent.iterdir()) == []
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", str(tmp_path))
    (tmp_path / "gpt-4o-airline.json").write_bytes(content)
    with pytest.raises(InputError) as raised:
        load_set("public:tau:dev")
    assert str(raised.value).startswith(f"public:tau: {problem}; replace it by https://raw.githubusercontent.com/")


@pytest.mark.parametrize(("name", "count"), [("mtrag", 5), ("clapnq", 5), ("ragchecker", 280), ("tau", 200)])
def test_where_the_number_or_every_checksum_is_known_nothing_is_said(name, count):
    """mtrag and clapnq have one file each, of known checksum; of the others the number of answers is known."""
    assert check_count(load_facts(name), count) == []


def test_one_file_of_unknown_checksum_is_enough_and_is_the_one_that_is_named():
    """begin's first file is known, its second is not."""
    (line,) = check_count(load_facts("begin"), 1)
    assert line.startswith(
        "public:begin: its files hold 1 answer; Assay knows neither how many there should be nor the "
    )
    assert line.endswith("/wow/begin_test_wow.tsv")


def test_a_cached_file_that_cannot_be_read_is_told_with_its_cure(server):
    cached().parent.mkdir(parents=True)
    cached().write_bytes(CONTENT[:-1])
    with pytest.raises(InputError) as raised:
        load_set("public:ragchecker")
    assert str(raised.value).endswith(f"; remove {cached()}, and get it again: assay sets get ragchecker")
