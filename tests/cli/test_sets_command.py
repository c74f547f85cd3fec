"""`assay sets`, `assay sets get`, and commands that name a public set."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from public_originals import BEGIN_HEAD, BEGIN_ROWS, FileServer, as_bytes, tau_trajectories

from assay.eval_sets import cached_path, load_facts

ROOT = Path(__file__).parents[2]
LABELS = "gpt-4o-airline.json"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with FileServer({LABELS: as_bytes(tau_trajectories(4, tasks=50))}) as started:
        monkeypatch.setenv("ASSAY_PUBLIC_SETS", started.url)
        yield started


def test_get_downloads_and_run_reads(server, assay):
    refused = assay("sets", "get", "tau")  # nobody is at a terminal
    assert (refused.code, server.calls) == (2, [])
    assert "allow the download with --yes (1 file, of a size that Assay does not know" in refused.err
    missing = assay("run", "public:tau", "--metrics", "token_overlap")
    assert (missing.code, server.calls) == (1, [])
    assert "get it once with: assay sets get tau --yes" in missing.err
    done = assay("sets", "get", "tau", "--yes", code=0)
    for words in ("licence MIT (repo LICENSE)", server.url, "public_sets"):
        assert words in done.err
    assert done.out == "public:tau: 200 answers, 1 file downloaded\n"
    before = assay("sets", "get", "tau")  # nobody needs to be asked
    here = "public:tau: 200 answers, here already\n"
    assert (before.code, before.out, before.err) == (0, here, "")
    again = assay("sets", "get", "public:tau", "--yes", "--json").json["sets"][0]
    assert (again["answers"], [file["is_new"] for file in again["files"]]) == (200, [False])
    listed = {row["set"]: row for row in assay("sets", "--json").json["public"]}
    assert (listed["public:tau"]["is_downloaded"], listed["public:begin"]["is_downloaded"]) == (True, False)
    counts = [
        assay("run", name, "--metrics", "answer_length", "--json").json["metrics"]["answer_length"]["n"]
        for name in ("public:tau", "public:tau:dev", "public:tau:test")
    ]
    assert (counts[0], counts[1] + counts[2]) == (200, 200)
    assert len(server.calls) == 1


def test_a_folder_is_read_without_a_download(tmp_path, monkeypatch, assay):
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", str(tmp_path))

    def put(name, *contents):
        facts = load_facts(name)
        for file, content in zip(facts.files, contents, strict=False):
            path = cached_path(facts, file.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    put("tau", as_bytes(tau_trajectories()))
    computed = assay("run", "public:tau", "--metrics", "answer_length", code=0)
    assert "public:tau: its ratings are computed, not people's" in computed.err
    put("begin", *[(BEGIN_HEAD + BEGIN_ROWS).encode()] * 2)
    changed = assay("run", "public:begin", "--metrics", "token_overlap")
    assert (changed.code, "is not the file that Assay knows: its sha256 is" in changed.err) == (1, True)
    put("tau", b'{"message": "too many requests"}')
    broken = assay("run", "public:tau", "--metrics", "token_overlap")
    assert "is an object, not a list); get it again: assay sets get tau" in broken.err
    listed = assay("sets", code=0)
    assert max(map(len, listed.out.splitlines())) <= 80
    described = {row["set"]: row["is_downloaded"] for row in assay("sets", "--json").json["public"]}
    assert (described["public:tau"], described["public:mtrag"]) == (True, False)


@pytest.mark.parametrize(("reply", "code"), [("n", 130), ("y", 0)])
def test_a_person_at_the_terminal_is_asked(server, reply, code):
    pexpect = pytest.importorskip("pexpect")
    words = ["-m", "assay", "sets", "get", "tau"]
    session = pexpect.spawn(sys.executable, words, cwd=ROOT, dimensions=(40, 80), encoding="utf-8", timeout=60)
    session.expect(r"Download it\? \[y/N\]")
    session.sendline(reply)
    session.expect(pexpect.EOF)
    session.close()
    assert (session.exitstatus, len(server.calls)) == (code, int(not code))
