"""Cassettes: what is kept and found again, what is none, the modes, the bundled ones; nothing returned is lost."""

import asyncio
import errno
import json
import math
import os
import re
import subprocess
from contextlib import closing
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from assay.errors import CassetteMiss, InputError, UsageError
from assay.judges import Cassette, RawReply, RecordedLines, Recording, format_line, likely_alternatives, parse_line


def recording(key: str = "0", text: str = "Yes", **fields: Any) -> Recording:
    reply = RawReply(model="m", text=text, tokens_in=3, tokens_out=1)
    defaults = {"prompt": "p.en@0", "sample": "s", "parameters": {}, "schema": "Claims", "user": "u", "about": "a"}
    return Recording(key=key.rjust(32, "0"), reply=reply, **{**defaults, **fields})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl"


def record_all(path: Path, *recordings: Recording) -> None:
    with Cassette(path, "record") as cassette:
        for each in recordings:
            cassette.put(each)


some_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
alternatives = st.dictionaries(some_text, st.floats(-20, 0), min_size=1, max_size=3)
recordings = st.builds(
    Recording,
    key=st.text("0123456789abcdef", min_size=32, max_size=32),
    prompt=some_text,
    sample=some_text,
    parameters=st.dictionaries(some_text, st.integers(), max_size=2),
    schema=some_text,
    user=some_text,
    about=some_text,
    reply=st.builds(
        RawReply,
        model=some_text,
        text=some_text,
        finish_reason=some_text,
        logprobs=st.none() | st.lists(alternatives.map(likely_alternatives), max_size=2).map(tuple),
        tokens_in=st.integers(10**6, 10**9),
        tokens_out=st.integers(0, 10**9),
        tokens_cached=st.integers(0, 10**6),
        usd=st.none() | st.floats(0, 100),
        seconds=st.integers(0, 10**6).map(lambda milliseconds: milliseconds / 1000),
    ),
)


@given(recordings)
def test_law_a_line_is_read_as_it_was_written(written):
    line = format_line(written)
    assert parse_line(line) == written
    assert line.count(b"\n") == 1 and line.endswith(b"\n")


@settings(max_examples=30)
@given(st.lists(recordings, max_size=8))
def test_law_what_was_put_is_replayed(tmp_path_factory, recorded):
    path = tmp_path_factory.mktemp("cassette") / "a.jsonl"
    record_all(path, *recorded[: len(recorded) // 2])
    record_all(path, *recorded[len(recorded) // 2 :])
    wanted = {each.key: each for each in recorded}  # the later of two with one key
    with Cassette(path, "auto") as cassette:
        assert {key: cassette.get(key) for key in wanted} == wanted
        assert [each.key for each in cassette.recordings()] == sorted(wanted)


lines = st.dictionaries(
    st.text("0123456789abcdef", min_size=32, max_size=32), st.binary(max_size=40).map(lambda b: b.replace(b"\n", b""))
)


@given(entries=lines, looked_up=st.text("0123456789abcdef", min_size=32, max_size=32), last_newline=st.booleans())
def test_law_a_sorted_file_finds_as_a_dict_does(tmp_path_factory, entries, looked_up, last_newline):
    whole = {key: f'{{"key": "{key}", "x": "{rest.hex()}"}}\n'.encode() for key, rest in sorted(entries.items())}
    content = b"".join(whole.values())
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    path.write_bytes(content if last_newline else content.removesuffix(b"\n"))
    sorted_lines = RecordedLines(path)
    for key in [*whole, looked_up, "0" * 32, "f" * 32]:
        line = sorted_lines.find(key)
        assert (line and line.rstrip(b"\n")) == (whole[key].rstrip(b"\n") if key in whole else None)
    sorted_lines.close()


def test_a_recording_whose_text_was_changed_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    record_all(path, recording("a", "No"), recording("b", "No"))
    first, second = path.read_bytes().splitlines(keepends=True)
    older = b"".join(re.split(rb' "text_crc32": \d+,', second))  # a version before this one wrote none
    path.write_bytes(
        first.replace(b'"text": "No"', b'"text": "Yes"') + older.replace(b'"text": "No"', b'"text": "Yes"')
    )
    with Cassette(path, "replay") as cassette:
        with pytest.raises(InputError, match=r"a.jsonl, line 1: .*its text was changed.*record it again"):
            cassette.get(recording("a").key)
        assert cassette.get(recording("b").key).reply.text == "Yes"


def test_the_file_is_the_same_in_whatever_order_it_was_recorded(tmp_path):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    record_all(one, recording("a"), recording("c"), recording("b"))
    record_all(other, recording("b"), recording("c"))
    record_all(other, recording("a"))
    assert one.read_bytes() == other.read_bytes()
    record_all(one, recording("b"))
    assert one.read_bytes() == other.read_bytes(), "what is recorded anew stands once"


GOOD = format_line(recording("5"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD + b"{}\n", "line 2: not a recording"),
        (GOOD + b"\n", "line 2: not a recording"),
        (b"\xff\xfe\x00\n" + GOOD, "line 1: not a recording"),
        (b"id,text\n1,a\n", "line 1: not a recording"),
    ],
)
def test_a_malformed_file_is_told_with_its_line(path, content, message):
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"a\.jsonl, {message}"):
        Cassette(path)


def test_an_unsorted_file_is_read_and_sorted_by_whoever_records_next(path):
    path.write_bytes(GOOD + format_line(recording("4")) + format_line(recording("5", "No")))
    with Cassette(path, "replay") as cassette:
        assert [each.reply.text for each in cassette.recordings()] == ["Yes", "No"], "of two with one key the later one"
    with Cassette(path, "auto") as cassette:
        assert cassette.get(recording("4").key) == recording("4")
    assert path.read_bytes() == format_line(recording("4")) + format_line(recording("5", "No"))


def test_a_line_that_is_no_json_behind_its_key_is_told_when_it_is_asked_for(path):
    path.write_bytes(format_line(recording("1")) + GOOD[:60] + b"\n" + format_line(recording("6")))
    cassette = Cassette(path)
    assert cassette.get(recording("6").key) == recording("6")
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: .*record it again"):
        cassette.get(recording("5").key)


@pytest.mark.parametrize("missing", ["text", "prompt", "tokens_in"])
def test_a_line_without_a_field_is_told(path, missing):
    entry = json.loads(GOOD)
    del entry[missing]
    path.write_text(json.dumps(entry) + "\n")
    with pytest.raises(InputError, match=f"line 1: .*{missing}"):
        Cassette(path).get(entry["key"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("tokens_in", value) for value in ("a", None, -5, 1.5, True, 10**10)],
        *[("usd", value) for value in (-1, 1e300, math.nan, math.inf, "x")],
        *[("seconds", value) for value in (-9, math.inf)],
        ("tokens_cached", 4),  # of the 3 tokens of the prompt
        *[("is_unstated", value) for value in ("no", 1)],
        *[("logprobs", value) for value in (5, [{}], [1], [{"Yes": "likely"}])],
        *[("text", value) for value in (None, ["x"])],
        *[(name, None) for name in ("model", "prompt", "parameters", "sample", "finish_reason")],
    ],
)
def test_a_field_that_is_not_what_it_should_be_is_told(path, field, value):
    entry = json.loads(GOOD) | {field: value}
    del entry["text_crc32"]  # as in an older recording
    path.write_bytes(format_line(recording("1")) + json.dumps(entry).encode() + b"\n")
    with pytest.raises(
        InputError, match=rf"a\.jsonl, line 2: .* read: {field}.*; remove that line and record it again"
    ):
        Cassette(path).get(entry["key"])


def test_what_a_reply_took_is_stated_where_its_line_says_so(path):
    path.write_text(json.dumps(json.loads(GOOD) | {"is_unstated": False}) + "\n")
    assert Cassette(path).get(recording("5").key) == recording("5")


def test_a_folder_is_no_cassette(tmp_path):
    with pytest.raises(InputError, match="is a folder, not a file"):
        Cassette(tmp_path, "auto")


def test_the_judge_in_each_mode(path, openai_server, judge, ask):
    """replay asks nobody, auto asks what is missing, record asks anew, off neither reads nor writes."""

    def requests(mode: str, text: str) -> int:
        before = len(openai_server.requests)
        with closing(judge(cassette=path, mode=mode)) as asking:
            asyncio.run(asking.ask(ask(text)))
        return len(openai_server.requests) - before

    assert requests("auto", "One") == 1
    assert requests("auto", "One") == 0
    assert requests("replay", "One") == 0
    assert requests("record", "One") == 1
    assert requests("off", "One") == 1
    assert requests("off", "Two") == 1
    with pytest.raises(CassetteMiss):
        requests("replay", "Two")
    assert len(path.read_bytes().splitlines()) == 1


NAME = "bundled:helpdesk.qwen1.5b.jsonl"


def test_a_bundled_cassette_is_only_replayed():
    assert Cassette(NAME, "auto").mode == "replay"
    with pytest.raises(UsageError, match="only replayed; record into a file of your own"):
        Cassette(NAME, "record")


def test_a_missing_reply_names_the_cassette_as_it_was_typed(assay, set_file):
    done = assay("run", set_file(1), "--judge", "qwen1.5b", "--cassette", NAME, "--metrics", "judge_truthfulness")
    assert f"no recording in {NAME}" in " ".join(done.out.split())


@pytest.mark.parametrize("name", ["bundled:none.jsonl", "bundled:../judges/qwen1.5b.yaml", "bundled:/etc/passwd"])
def test_another_name_is_refused_with_the_known_ones(name):
    with pytest.raises(InputError, match=r"no such cassette is bundled; the bundled ones are citations\."):
        Cassette(name)


def test_a_bundled_judge_without_its_model_says_how_to_get_it_or_what_to_use(assay, set_file, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    done = assay("run", set_file(3), "--judge", "qwen1.5b", "--metrics", "faithfulness", code=1)
    (line,) = done.err.splitlines()
    for words in (
        "curl -L",
        "resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "openai/gpt-4o-mini",
        "assay demo",
    ):
        assert words in line


def test_what_a_killed_process_of_an_earlier_version_left_is_named_with_the_cure(path):
    path.with_name("a.jsonl.99999.recording").write_bytes(format_line(recording("1")))
    with pytest.raises(InputError, match=r"99999\.recording: holds replies .* append its lines to .*a\.jsonl"):
        Cassette(path, "auto")


RECORDS_BESIDE_ANOTHER = """
import sys
from pathlib import Path
from assay.judges import Cassette, RawReply
from assay.judges.cassette import Recording

path, name = Path(sys.argv[1]), sys.argv[2]
sys.stdin.readline()
for session in range(10):
    with Cassette(path, "auto") as cassette:
        for number in range(8):
            key = f"{name}{session:04}{number:04}".rjust(32, "0")
            reply = RawReply(model="m", text=name)
            cassette.put(Recording(key, "p.en@0", "s", {}, "Claims", "u", "a", reply))
"""


def test_processes_that_record_into_one_cassette_at_once_lose_nothing(warm_python, path):
    """Three processes, each ten times opening, recording 8 and closing: closings meet openings and each other."""
    names = ["a", "b", "c"]
    running = [
        warm_python.start("-c", RECORDS_BESIDE_ANOTHER, path, name, stdin=subprocess.PIPE, stdout=None, stderr=None)
        for name in names
    ]
    for process in running:
        assert process.stdin
        process.stdin.write(b"go\n")
        process.stdin.flush()
    assert [process.wait(60) for process in running] == [0, 0, 0]
    for process in running:
        assert process.stdin
        process.stdin.close()
    wanted = [
        f"{name}{session:04}{number:04}".rjust(32, "0")
        for name in names
        for session in range(10)
        for number in range(8)
    ]
    with Cassette(path, "auto") as cassette:
        assert [each.key for each in cassette.recordings()] == sorted(wanted)
    assert list(path.parent.iterdir()) == [path]


def test_a_torn_line_does_not_swallow_the_next(path, monkeypatch):
    """A disk that is full takes half a line; when there is room again, the recording goes on."""
    write = FileIO.write

    class FullDisk(FileIO):
        def write(self, line):
            write(self, line[: len(line) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

    def open_full(path, mode, **_):
        return FullDisk(path, mode)

    with Cassette(path, "auto") as cassette:
        cassette.put(recording("1"))
        with monkeypatch.context() as full:
            full.setattr(Path, "open", open_full)
            with pytest.raises(InputError, match=r"a\.jsonl: replies cannot be recorded: No space left on device"):
                cassette.put(recording("2"))
        cassette.put(recording("3"))
    assert path.read_bytes() == format_line(recording("1")) + format_line(recording("3"))
    assert list(path.parent.iterdir()) == [path]


def test_when_the_file_cannot_be_sorted_it_stays_with_all_replies(path, monkeypatch):
    def disk_is_full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    cassette = Cassette(path, "auto")
    cassette.put(recording("2"))
    cassette.put(recording("1"))
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", disk_is_full)
        with pytest.raises(InputError, match=r"No space left on device.* No reply is lost: all are in .*a\.jsonl"):
            cassette.close()
    assert list(path.parent.iterdir()) == [path], "no draft, no lock"
    with Cassette(path, "auto") as later:
        assert later.get(recording("1").key) == recording("1")
    assert path.read_bytes() == format_line(recording("1")) + format_line(recording("2"))
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_kept_is_not_asked(tmp_path, openai_server, judge, ask):
    (tmp_path / "file").write_text("", encoding="utf-8")
    asking = judge(cassette=tmp_path / "file" / "a.jsonl", mode="auto")
    with pytest.raises(InputError, match="cannot be recorded"):
        asyncio.run(asking.ask(ask("One")))
    assert openai_server.requests == []
