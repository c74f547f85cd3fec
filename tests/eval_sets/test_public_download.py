"""Downloading public sets from a local server: resumed, checked, refused where something is not as it should be."""

import errno
import gzip
import os
import re
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from api_server import Call, Reply
from public_originals import (
    TABFACT_TABLES,
    FileServer,
    as_bytes,
    break_off,
    ragchecker_entries,
    tabfact_statements,
    tau_trajectories,
)

from assay.errors import InputError
from assay.eval_sets import download_public_set, load_set
from assay.eval_sets.public.answer_count import describe_unknown_count
from assay.eval_sets.public.download import download_files
from assay.eval_sets.public.open_public import count_answers
from assay.eval_sets.public.set_facts import PublicFile, PublicSet, load_facts
from assay.eval_sets.public.set_files import cached_path, is_downloaded, pin_path, read_files

LABELS = "human_labeled_data.json"
CONTENT = as_bytes(ragchecker_entries(280))  # as many pairs as the facts of the set name
OTHER = CONTENT.replace(b"Click", b"Press")


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


def known_set(content: bytes = CONTENT, *, size: int | None = None) -> PublicSet:
    """RAGChecker as if Assay knew its file."""
    facts = load_facts("ragchecker")
    file = PublicFile(path=facts.files[0].path, size=size or len(content), sha256=sha256(content).hexdigest())
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
    assert {path.name for path in cached().parent.iterdir()} == {LABELS, f"{LABELS}.sha256"}


def test_halves_are_read_by_name(server):
    download_public_set("ragchecker")
    halves = [{sample.id for sample in load_set(f"public:ragchecker:{part}", notes=[])} for part in ("dev", "test")]
    assert (len(halves[0] | halves[1]), halves[0] & halves[1]) == (280, set())


def test_nothing_is_downloaded_unless_it_is_asked_for(server):
    with pytest.raises(InputError) as raised:
        load_set("public:ragchecker")
    message = str(raised.value)
    assert message.startswith("public:ragchecker: is not downloaded; get it once with: assay sets get ragchecker --yes")
    for words in (server.url, "Apache-2.0", "public_sets", "1 file"):
        assert words in message
    assert server.calls == []


def test_computed_and_constructed_ratings_are_said(server):
    download_public_set("tau-retail")
    notes: list[str] = []
    samples = load_set("public:tau-retail", notes=notes)
    assert [sample.rating for sample in samples] == [1.0, 0.0]
    assert "public:tau-retail: its ratings are computed, not people's" in notes


@pytest.mark.parametrize("is_known", [False, True])
def test_a_download_goes_on_where_the_connection_broke_off(server, is_known):
    sent = len(CONTENT) // 3

    def script(call: Call) -> Reply | None:
        return break_off(CONTENT, sent, etag=server.etag) if call.number == 1 else None

    server.script = script
    (file,) = download(known_set() if is_known else load_facts("ragchecker"))
    assert file.sha256 == sha256(CONTENT).hexdigest()
    assert server.calls[1].headers["Range"] == f"bytes={sent}-"


def test_the_next_command_goes_on_where_the_last_one_ended(server):
    """Each attempt gets some bytes, and after five Assay gives up; what came stays."""
    server.script = lambda call: break_off(CONTENT, 10, etag=server.etag) if call.number == 1 else Reply(503, {})
    with pytest.raises(InputError, match=r"answered with HTTP 503; give the command again later"):
        download_public_set("ragchecker")
    server.script = lambda call: None
    download_public_set("ragchecker")
    assert server.calls[-1].headers["Range"] == "bytes=10-"
    assert cached().read_bytes() == CONTENT


def test_a_server_that_always_breaks_off_is_given_up(server):
    server.script = lambda call: break_off(CONTENT, 0)
    with pytest.raises(InputError, match=r"broke off after 0 bytes .*give the command again"):
        download_public_set("ragchecker")
    assert len(server.calls) == 1  # nothing came: another attempt would bring nothing either


def test_a_part_of_another_version_is_not_completed(server):
    """The server's ETag changed meanwhile: `If-Range` makes it send the whole file."""
    server.script = lambda call: break_off(b"x" * 500, 20, etag='"older"') if call.number == 1 else None
    download_public_set("ragchecker")
    assert server.calls[1].headers["If-Range"] == '"older"'
    assert cached().read_bytes() == CONTENT


def test_without_a_version_a_file_of_unknown_checksum_begins_anew(server):
    server.script = lambda call: break_off(CONTENT, 20) if call.number == 1 else None
    download_public_set("ragchecker")
    assert "Range" not in server.calls[1].headers
    assert cached().read_bytes() == CONTENT


def test_a_part_that_is_whole_already_is_taken(server):
    target = cached()
    target.parent.mkdir(parents=True)
    target.with_name(f"{LABELS}.part").write_bytes(CONTENT)
    download(known_set())
    assert [call.headers.get("Range") for call in server.calls] == [f"bytes={len(CONTENT)}-"]
    assert target.read_bytes() == CONTENT


def test_a_part_that_is_too_long_begins_anew(server):
    target = cached()
    target.parent.mkdir(parents=True)
    target.with_name(f"{LABELS}.part").write_bytes(CONTENT + b"more")
    download(known_set())
    assert (len(server.calls), target.read_bytes()) == (1, CONTENT)


def test_a_changed_file_is_refused(server):
    server.files[LABELS] = bytes(reversed(CONTENT))
    with pytest.raises(InputError) as raised:
        download(known_set())
    message = str(raised.value)
    assert f"expected {len(CONTENT):,} bytes, sha256 {sha256(CONTENT).hexdigest()}" in message
    assert f"; {len(CONTENT):,} bytes, sha256 {sha256(bytes(reversed(CONTENT))).hexdigest()} came; give the" in message
    assert "update Assay" in message
    assert not cached().exists()
    assert not cached().with_name(f"{LABELS}.part").exists()


@pytest.mark.parametrize("size", [len(CONTENT) - 5, len(CONTENT) + 5])
def test_a_file_of_another_size_is_refused_before_it_is_read(server, size):
    with pytest.raises(InputError, match=rf"expected {size:,} bytes; {len(CONTENT):,} are announced"):
        download(known_set(size=size))


def test_more_than_was_expected_is_not_read(server):
    """A body in chunks announces no length: the first byte too many ends the reading."""
    longer = CONTENT + b" "
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(longer), longer)

    def send(call: Call) -> Reply:
        return Reply(200, chunks, {"content-type": "text/plain", "transfer-encoding": "chunked", "content-length": ""})

    server.script = send
    with pytest.raises(InputError, match=rf"is longer than the {len(CONTENT):,} bytes that were expected"):
        download(known_set())
    assert not cached().exists()


def test_more_than_1_gb_is_not_begun(server):
    server.script = lambda call: break_off(b"", 0, **{"content-length": "1000000001"})
    with pytest.raises(InputError, match="announces 1,000,000,001 bytes, more than 1 GB"):
        download_public_set("ragchecker")


def test_the_first_checksum_is_pinned(server):
    download_public_set("ragchecker")
    assert pin_path(cached()).read_text() == f"{sha256(CONTENT).hexdigest()}\n"
    cached().unlink()
    server.files[LABELS] = OTHER
    with pytest.raises(
        InputError, match=r"is not the file that came when it was first downloaded: .* remove /.*\.sha256"
    ):
        download_public_set("ragchecker")
    pin_path(cached()).unlink()
    download_public_set("ragchecker")
    assert load_set("public:ragchecker", notes=[])[0].other_response == "Press Save for step 1."


def test_a_cached_file_that_was_changed_is_refused(server):
    download_public_set("ragchecker")
    cached().write_bytes(as_bytes(ragchecker_entries(1)))
    with pytest.raises(InputError, match=r"is not the file that was downloaded first: expected sha256 .* remove it"):
        load_set("public:ragchecker")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(404, {}), "is not there (HTTP 404); check the mirror that ASSAY_PUBLIC_SETS names"),
        (Reply(403, {}), "answered with HTTP 403; check the mirror that ASSAY_PUBLIC_SETS names"),
        (Reply(429, {}, {"retry-after": "7"}), "answered with HTTP 429; give the command again in 7 seconds"),
        (Reply(500, {}), "answered with HTTP 500; give the command again later"),
        (Reply(200, "<html>Log in</html>"), "is a page (HTML), not the data; log in to the network"),
        (Reply(200, b" <!DOCTYPE html><p>Log in", {"content-type": "text/plain"}), "is a page (HTML), not the data"),
        (Reply(200, b"x", {"content-encoding": "gzip"}), "came packed (gzip)"),
        (Reply(302, b""), "answered with HTTP 302; check the mirror"),
    ],
)
def test_a_bad_answer_is_told_with_its_cure(server, reply, words):
    server.script = lambda call: reply
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    assert words in str(raised.value)
    assert str(raised.value).startswith(f"public:ragchecker: {server.url}/amazon-science/RAGChecker/")
    assert not is_downloaded(load_facts("ragchecker"))


def test_a_redirect_within_the_scheme_is_followed(server):
    server.script = lambda call: Reply(302, b"", {"location": f"/moved/{LABELS}"}) if call.number == 1 else None
    download_public_set("ragchecker")
    assert server.paths()[1] == f"/moved/{LABELS}"


def test_no_network_is_told_with_its_cure(server, monkeypatch):
    with FileServer({}) as stopped:
        address = stopped.url
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", address.replace("//", "//me:secret@"))
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    assert "cannot be reached" in str(raised.value)
    assert "check the network and HTTPS_PROXY, or name a mirror or a folder" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_full_disk_is_told_with_its_cure(server, monkeypatch):
    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(InputError, match=r"the disk is full \(No space left on device\); make room there, or name"):
        download_public_set("ragchecker")
    monkeypatch.undo()


def test_a_disk_that_fills_at_the_checksum_leaves_none(server, monkeypatch):
    """The file itself is whole, and is read and pinned by the next command."""
    flush, calls = os.fsync, []

    def refuse_the_second(file: int) -> None:
        calls.append(file)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(file)

    monkeypatch.setattr("os.fsync", refuse_the_second)
    with pytest.raises(InputError, match=r"\.sha256: cannot be written \(No space left on device\)"):
        download_public_set("ragchecker")
    assert [path.name for path in cached().parent.iterdir()] == [LABELS]
    (file,) = download_public_set("ragchecker")
    assert (file.is_new, file.is_pinned, len(server.calls)) == (False, True, 1)
    assert {path.name for path in cached().parent.iterdir()} == {LABELS, f"{LABELS}.sha256"}


def test_two_downloads_at_once_make_one_request(server):
    """The second waits for the first, and then finds the file."""
    results: list[bool] = []
    threads = [
        threading.Thread(target=lambda: results.extend(file.is_new for file in download_public_set("ragchecker")))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sorted(results), len(server.calls)) == ([False, True], 1)


def test_tables_are_downloaded_with_the_statements_that_name_them(server):
    server.files |= {"val_examples.json": as_bytes(tabfact_statements())}
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


@pytest.mark.parametrize("by_path", [True, False])
def test_a_folder_stands_for_the_network(server, tmp_path, monkeypatch, by_path):
    folder = tmp_path / "files"
    path = folder / (load_facts("ragchecker").files[0].path if by_path else LABELS)
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", str(folder))
    assert len(load_set("public:ragchecker", notes=[])) == 280
    with pytest.raises(InputError, match="nothing is downloaded while ASSAY_PUBLIC_SETS names a folder"):
        download_public_set("ragchecker")
    with pytest.raises(InputError, match=r"holds neither historical_trajectories/gpt-4o-airline\.json nor gpt-4o-airl"):
        load_set("public:tau")
    (folder / "reference_subset_with_human_evaluations.json").write_text("{}")
    with pytest.raises(InputError, match=r"is not the file that Assay knows: expected 2,190,566 bytes, sha256 ba85186"):
        load_set("public:mtrag")
    assert server.calls == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("/nowhere/at/all", "/nowhere/at/all does not exist"),
        ("/dev/null", "is a device"),
        ("/dev/null/x", "/dev/null/x does not exist"),
        ("ftp://host/x", "is no address that Assay can use"),
        ("~nobody-of-this-name/x", "/x cannot be looked for (Could not determine home directory"),
        (f"/{'a' * 300}", "aaa... cannot be looked for (File name too long)"),
    ],
)
def test_a_wrong_variable_is_told(server, monkeypatch, value, words):
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", value)
    with pytest.raises(InputError, match="ASSAY_PUBLIC_SETS: ") as raised:
        load_set("public:ragchecker")
    assert words in str(raised.value)


def test_bytes_that_are_no_text_are_named(server):
    server.files[LABELS] = b'[\n"\xff"]'
    with pytest.raises(InputError, match=r"human_labeled_data\.json, line 2: byte 3 is not UTF-8"):
        download_public_set("ragchecker")


CUT = CONTENT[: len(CONTENT) // 2]
XHTML = b'<?xml version="1.0"?><html>Log in</html>'
CHUNKED = {"transfer-encoding": "chunked", "content-length": "", "connection": "close"}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(200, b""), "is not JSON"),
        (Reply(200, {"message": "too many requests"}), "is an object, not a list"),
        (Reply(200, []), "holds no answers"),
        (Reply(200, CUT), "human_labeled_data.json: "),
        (Reply(200, gzip.compress(CONTENT)), "byte 1 is not UTF-8"),
        (Reply(200, b"<!-- Log in --><html>", {"content-type": "text/plain"}), "is a page (HTML), not the data"),
        (Reply(200, b"\xef\xbb\xbf<html>Log in", {"content-type": "text/plain"}), "is a page (HTML), not the data"),
        (Reply(200, XHTML, {"content-type": "text/plain"}), "is a page (HTML), not the data"),
        (Reply(200, b"Log in", {"content-type": "TEXT/HTML"}), "is a page (HTML), not the data"),
        (Reply(200, CONTENT, {"content-length": "", "connection": "close"}), "comes without its length"),
        (Reply(206, CUT, {"content-range": f"bytes 0-{len(CUT) - 1}/{len(CONTENT)}"}), "answered with a part of the"),
    ],
)
def test_what_comes_first_and_is_not_the_data_leaves_nothing_behind(server, reply, words):
    """Its checksum is unknown; were it pinned, the right file would be refused ever after."""
    server.script = lambda call: reply
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    assert words in str(raised.value)
    assert not cached().exists()
    assert not pin_path(cached()).exists()
    assert not is_downloaded(load_facts("ragchecker"))
    server.script = lambda call: None
    download_public_set("ragchecker")
    assert len(load_set("public:ragchecker", notes=[])) == 280


def test_a_body_in_chunks_needs_no_length(server):
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(CONTENT), CONTENT)
    server.script = lambda call: Reply(200, chunks, CHUNKED)
    download_public_set("ragchecker")
    assert cached().read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("etag", "range_end", "total"),
    [
        ('"second"', len(CONTENT) - 1, len(CONTENT)),  # the server does not heed If-Range
        ('"first"', len(CONTENT) + 4, len(CONTENT) + 5),
        ('"first"', len(CONTENT) - 2, len(CONTENT)),
    ],
)
def test_the_end_of_another_version_is_not_joined(server, etag, range_end, total):
    """What came before is thrown away, and the whole file is asked for."""
    start, other = 100, OTHER

    def script(call: Call) -> Reply | None:
        if call.number == 1:
            return break_off(CONTENT, start, etag='"first"')
        if call.number > 2:
            return None
        end = (other + b"     ")[start : range_end + 1]
        return Reply(206, end, {"etag": etag, "content-range": f"bytes {start}-{range_end}/{total}"})

    server.script = script
    download_public_set("ragchecker")
    assert [call.headers.get("Range") for call in server.calls] == [None, f"bytes={start}-", None]
    assert cached().read_bytes() == CONTENT


@pytest.mark.parametrize("pin", [b"", b"\xff\0", b"0123\n", b"x" * 2000, None])
def test_a_pin_that_is_none_is_written_anew(server, pin, caplog):
    """As a full disk leaves it, or a process that ended before it was written; the notice comes once."""
    download_public_set("ragchecker")
    pin_path(cached()).unlink()
    if pin is not None:
        pin_path(cached()).write_bytes(pin)
    for times in (1, 1):
        assert len(load_set("public:ragchecker", notes=[])) == 280
        assert sum("its checksum is not known to Assay" in text for text in caplog.messages) == times
    assert pin_path(cached()).read_text() == f"{sha256(CONTENT).hexdigest()}\n"


def test_a_cached_file_without_a_pin_that_cannot_be_read_does_not_stay(server):
    cached().parent.mkdir(parents=True)
    cached().write_bytes(CUT)
    with pytest.raises(InputError, match=rf"it is not the data, and {re.escape(str(cached()))} is removed"):
        load_set("public:ragchecker")
    with pytest.raises(InputError, match="is not downloaded"):
        load_set("public:ragchecker")


def test_a_pin_is_written_in_place_of_a_link(server, tmp_path):
    cached().parent.mkdir(parents=True)
    pin_path(cached()).symlink_to(tmp_path / "outside")
    download_public_set("ragchecker")
    assert not (tmp_path / "outside").exists()
    assert pin_path(cached()).read_text() == f"{sha256(CONTENT).hexdigest()}\n"


@pytest.mark.parametrize("suffix", ["", ".sha256", ".part", ".part.etag"])
@pytest.mark.parametrize("kind", ["a pipe", "a folder"])
def test_what_is_no_file_is_named_where_it_stands(server, suffix, kind):
    place = cached().with_name(f"{LABELS}{suffix}")
    place.parent.mkdir(parents=True)
    if kind == "a pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    with pytest.raises(InputError, match=rf"{re.escape(str(place))}: is {kind}, not a file .*; remove it"):
        download_public_set("ragchecker")


CHECK_MIRROR = "; check the mirror that ASSAY_PUBLIC_SETS names, or name another one, or a folder with the files"
NO_ADDRESS = "which is no address that Assay can use"


@pytest.mark.parametrize(
    ("location", "words"),
    [
        (
            "ftp://example.org/x",
            f"redirects to `ftp://example.org/x`, {NO_ADDRESS} (it begins with neither http:// nor",
        ),
        ("mailto:kim@example.org", f"redirects to `mailto:kim@example.org`, {NO_ADDRESS} (it begins with neither http"),
        ("http://[bad", f"redirects to `http://[bad`, {NO_ADDRESS} ("),
        ("http://host:port/", f"redirects to `http://host:port/`, {NO_ADDRESS} (Invalid port"),
        ("http://host:99999/", f"redirects to `http://host:99999/`, {NO_ADDRESS} ("),
        ("http://xn--a/", f"redirects to `http://xn--a/`, {NO_ADDRESS} ("),
        ("http:///x", f"redirects to `http:///x`, {NO_ADDRESS} (it names no host)"),
        (" ", f"redirects to ``, {NO_ADDRESS} (it is empty)"),
        ("http://me:secret@[bad", f"redirects to `http://[bad`, {NO_ADDRESS} ("),
        (f"ftp://{'a' * 300}", f"redirects to `ftp://{'a' * 190}"),
    ],
)
def test_a_redirect_to_what_is_no_address_is_told_with_its_cure(server, location, words):
    server.script = lambda call: Reply(302, b"", {"location": location})
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    message = str(raised.value)
    assert message.startswith(f"public:ragchecker: {server.url}/amazon-science/RAGChecker/6091f08c0")
    assert words in message
    assert message.endswith(CHECK_MIRROR)
    assert "secret" not in message
    assert (len(server.calls), list(cached().parent.iterdir())) == (1, [])


@pytest.mark.parametrize(
    ("moves", "words", "calls"),
    [
        ({}, "redirects to {url}/a, which is not there (HTTP 404)", 2),
        ({"/a": "b"}, "redirects to {url}/b, which is not there (HTTP 404)", 3),
        ({"/a": "ftp://x"}, f"redirects to {{url}}/a, which redirects to `ftp://x`, {NO_ADDRESS}", 2),
        ({"/a": "/a"}, "redirects to {url}/a, which redirects in a circle, back to {url}/a", 2),
        ({"/a": "/b", "/b": "/a"}, "redirects to {url}/b, which redirects in a circle, back to {url}/a", 3),
        (
            {f"/{a}": f"/{b}" for a, b in zip("abcdef", "bcdefg", strict=True)},
            "redirects to {url}/e, which redirects more than 5 times, at last to {url}/f",
            6,
        ),
    ],
)
def test_what_is_wrong_after_a_redirect_names_both_addresses(server, moves, words, calls):
    """The first address leads to /a, and so on; a mirror that gives nothing at the end."""
    server.script = lambda call: (
        Reply(302, b"", {"location": moves.get(call.path, "/a")}) if call.number == 1 or call.path in moves else None
    )
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    assert f"{LABELS} {words.format(url=server.url)}" in str(raised.value)
    assert str(raised.value).endswith(CHECK_MIRROR)
    assert len(server.calls) == calls


@pytest.mark.parametrize("location", ["http://127.0.0.1:1/x", "https://127.0.0.1:1/x", f"http://{'a' * 70}/"])
def test_a_redirect_to_where_nobody_answers_is_told(server, location):
    """Also from http to https, which is followed: the connection is tried."""
    server.script = lambda call: Reply(302, b"", {"location": location})
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    assert re.search(
        rf"redirects to {location}, which cannot be (reached|asked for) \(.+\); check the", str(raised.value)
    )


def test_without_a_mirror_a_redirect_cannot_be_corrected(monkeypatch, server):
    """GitHub's address is Assay's own."""
    monkeypatch.setattr("assay.eval_sets.public.set_facts._ORIGIN", server.url)
    monkeypatch.delenv("ASSAY_PUBLIC_SETS")
    server.script = lambda call: Reply(302, b"", {"location": "ftp://x"})
    with pytest.raises(InputError, match=r"the repository may have moved, or a gateway .*: update Assay, or name a m"):
        download_public_set("ragchecker")


@pytest.mark.parametrize(
    ("name", "value"),
    [("HTTPS_PROXY", "gopher://127.0.0.1"), ("HTTPS_PROXY", "http://host:port"), ("SSL_CERT_FILE", "/nowhere.pem")],
)
def test_an_environment_that_no_connection_can_follow_is_told(monkeypatch, server, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=rf"no connection can be made as the environment says \(.+\); check .*{name}"):
        download_public_set("ragchecker")


def test_a_set_that_is_here_needs_no_lock(server):
    """Nor a place that can be written: a folder stands where the lock would."""
    download_public_set("ragchecker")
    lock = cached().parents[4] / "ragchecker.lock"
    lock.unlink()
    lock.mkdir()
    (file,) = download_public_set("ragchecker")
    assert (file.is_new, file.sha256) == (False, sha256(CONTENT).hexdigest())
    cached().unlink()
    with pytest.raises(InputError, match=rf"{re.escape(str(lock))}: cannot be written \(Is a directory\); check what"):
        download_public_set("ragchecker")


def test_the_body_of_a_refused_range_is_not_joined(server):
    """Though the reply names the range that was asked for."""

    def script(call: Call) -> Reply | None:
        if call.number == 1:
            return break_off(CONTENT, 100, etag=server.etag)
        headers = {"etag": server.etag, "content-range": f"bytes 100-{len(CONTENT) - 1}/{len(CONTENT)}"}
        return Reply(416, b" " * (len(CONTENT) - 100), headers) if call.number == 2 else None

    server.script = script
    download_public_set("ragchecker")
    assert [call.headers.get("Range") for call in server.calls] == [None, "bytes=100-", None]
    assert cached().read_bytes() == CONTENT


@pytest.mark.parametrize("extra", [1, 5000])
def test_an_end_that_is_longer_than_it_says_is_not_joined(server, extra):
    """The range fits, the body does not: JSON would bear the blanks, and the file would be pinned with them."""
    start, last = 100, len(CONTENT) - 1

    def script(call: Call) -> Reply | None:
        if call.number == 1:
            return break_off(CONTENT, start, etag=server.etag)
        headers = {"etag": server.etag, "content-range": f"bytes {start}-{last}/{len(CONTENT)}"}
        return Reply(206, CONTENT[start:] + b" " * extra, headers) if call.number == 2 else None

    server.script = script
    with pytest.raises(InputError, match=rf"is longer than the {len(CONTENT):,} bytes that were expected; it is anoth"):
        download_public_set("ragchecker")
    assert list(cached().parent.iterdir()) == []
    download_public_set("ragchecker")
    assert cached().read_bytes() == CONTENT


def test_chunks_that_are_longer_than_was_announced_are_refused(server):
    chunks = b"%x\r\n%s \r\n0\r\n\r\n" % (len(CONTENT) + 1, CONTENT)
    server.script = lambda call: Reply(200, chunks, CHUNKED | {"content-length": str(len(CONTENT))})
    with pytest.raises(InputError, match=rf"is longer than the {len(CONTENT):,} bytes that were expected"):
        download_public_set("ragchecker")
    assert list(cached().parent.iterdir()) == []


@pytest.mark.parametrize(
    ("headers", "cure"),
    [
        ({"etag": '"first"'}, "give the command again: it goes on there, or name a mirror"),
        ({"etag": 'W/"first"'}, "give the command again; if it fails again, check the network, or name a mirror"),
        ({}, "give the command again; if it fails again, check the network, or name a mirror"),
    ],
)
def test_only_a_part_that_can_be_completed_is_said_to_be(server, headers, cure):
    """Without a strong ETag nothing would tell that its end is of another version."""
    rest = {"content-range": f"bytes 20-{len(CONTENT) - 1}/{len(CONTENT)}", "content-length": str(len(CONTENT) - 20)}
    nothing = Reply(206, b"", rest | headers | {"connection": "close"})
    server.script = lambda call: nothing if "Range" in call.headers else break_off(CONTENT, 20, **headers)
    with pytest.raises(InputError) as raised:
        download_public_set("ragchecker")
    assert cure in str(raised.value)


@pytest.mark.parametrize("place", ["cache", "folder"])
def test_a_place_that_cannot_be_searched_is_told(server, tmp_path, monkeypatch, place):
    """A folder on the way forbids it; the tests may run as root, whom no permission stops."""
    if place == "folder":
        monkeypatch.setenv("ASSAY_PUBLIC_SETS", str(tmp_path))

    def refuse(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    told = rf"{LABELS}: cannot be looked for \(Permission denied\); check the folders on the way and their permissions"
    for ask in (lambda: is_downloaded(load_facts("ragchecker")), lambda: read_files(load_facts("ragchecker"))):
        with pytest.raises(InputError, match=told):
            ask()


PART = as_bytes(ragchecker_entries(2))
FEW_PAIRS = (
    "public:ragchecker: expected 280 answers, as its authors say; it has 2 answers: this may be a part of the set"
)


def test_a_part_of_a_set_whose_authors_counted_it_is_not_pinned(server, caplog):
    """They may have counted otherwise than Assay, so that it can be read; the whole set takes its place later."""
    server.files[LABELS] = PART
    (file,) = download_public_set("ragchecker")
    assert (file.is_new, file.is_pinned, pin_path(cached()).exists()) == (True, False, False)
    for part in ("", ":dev", ":test"):
        notes: list[str] = []
        load_set(f"public:ragchecker{part}", notes=notes)
        (note,) = (note for note in notes if note.startswith(FEW_PAIRS))
        assert load_facts("ragchecker").address(load_facts("ragchecker").files[0].path) in note
        assert note.endswith(f"remove {cached()}, and get it again: assay sets get ragchecker")
    assert count_answers(load_facts("ragchecker")) == 2
    assert [text for text in caplog.messages if text.startswith(FEW_PAIRS)] == [note]
    assert not pin_path(cached()).exists()
    cached().unlink()
    server.files[LABELS] = CONTENT
    (file,) = download_public_set("ragchecker")
    assert (file.is_pinned, len(load_set("public:ragchecker", notes=[]))) == (True, 280)


def test_a_part_that_an_older_assay_pinned_is_told(server):
    cached().parent.mkdir(parents=True)
    cached().write_bytes(PART)
    pin_path(cached()).write_text(sha256(PART).hexdigest())
    notes: list[str] = []
    load_set("public:ragchecker", notes=notes)
    (note,) = (note for note in notes if note.startswith(FEW_PAIRS))
    assert f"remove {cached()} and {LABELS}.sha256 beside it, and get it again" in note


@pytest.mark.parametrize("count", [2, 199, 201])
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
    target.write_bytes(content)
    pin_path(target).write_text(sha256(content).hexdigest())  # by an older Assay
    with pytest.raises(InputError) as raised:
        load_set("public:tau")
    assert f"{problem}; remove {target} and gpt-4o-airline.json.sha256 beside it, and get it again" in str(raised.value)
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", str(tmp_path))
    (tmp_path / "gpt-4o-airline.json").write_bytes(content)
    with pytest.raises(InputError) as raised:
        load_set("public:tau:dev")
    assert str(raised.value).startswith(f"{problem}; this is not the file that Assay reads; get it again, from the")


def test_a_set_of_the_number_that_was_counted_is_pinned(server):
    server.files["gpt-4o-airline.json"] = as_bytes(tau_trajectories(200))
    (file,) = download_public_set("tau")
    assert (file.is_pinned, len(load_set("public:tau", notes=[]))) == (True, 200)


def test_a_part_in_a_folder_is_told(server, tmp_path, monkeypatch):
    (tmp_path / LABELS).write_bytes(PART)
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", str(tmp_path))
    notes: list[str] = []
    assert len(load_set("public:ragchecker", notes=notes)) == 2
    (note,) = (note for note in notes if note.startswith(FEW_PAIRS))
    assert ", or replace it by https://raw.githubusercontent.com/amazon-science/RAGChecker/" in note


def unknown_count(name: str, count: str) -> str:
    """The line about a set of which Assay knows neither the number of answers nor the checksum."""
    facts = load_facts(name)
    path = facts.files[0].path
    return (
        f"public:{name}: its files hold {count}; Assay knows neither how many there should be nor the checksum of "
        f"{path}, so that this may be a part of the set; compare it with https://raw.githubusercontent.com/"
        f"{facts.repository}/{facts.commit}/{path}"
    )


def test_a_set_of_which_no_number_is_known_says_so_each_time_it_is_read(server, tmp_path, monkeypatch):
    """Three statements of two tables: from a mirror, with and without a pin, and from a folder; either half too."""
    statements = as_bytes(tabfact_statements())
    tables = {path: text.encode() for path, text in TABFACT_TABLES.items()}
    server.files |= {"val_examples.json": statements, **tables}
    download_public_set("tabfact")
    folder = tmp_path / "folder"
    folder.mkdir()
    for path, content in {"val_examples.json": statements, **tables}.items():
        (folder / Path(path).name).write_bytes(content)
    for place in (server.url, server.url, str(folder)):
        monkeypatch.setenv("ASSAY_PUBLIC_SETS", place)
        notes: list[str] = []
        load_set("public:tabfact", notes=notes)
        assert notes.count(unknown_count("tabfact", "3 answers")) == 1


@pytest.mark.parametrize("name", ["mtrag", "clapnq", "ragchecker", "tau"])
def test_where_the_number_or_every_checksum_is_known_nothing_is_said(name):
    """mtrag and clapnq have one file each, of known checksum; of the others the number of answers is known."""
    assert describe_unknown_count(load_facts(name), 5) == []


def test_one_file_of_unknown_checksum_is_enough_and_is_the_one_that_is_named():
    """begin's first file is known, its second is not."""
    (line,) = describe_unknown_count(load_facts("begin"), 1)
    assert line.startswith(
        "public:begin: its files hold 1 answer; Assay knows neither how many there should be nor the "
    )
    assert line.endswith("/wow/begin_test_wow.tsv")
