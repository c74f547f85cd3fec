"""Progress: a line every so often without a terminal, nothing with --quiet, and the time that is left."""

import io
import sys
import time

from modules import module_of

from assay.cli import output
from assay.runs import Progress, progress_line

progress_display = module_of(progress_line)

METRIC = "faithfulness:claims=judge"


def test_lines_without_a_terminal(*, assay, set_file, judge_file, openai_server, monkeypatch):
    """One call at once of 0.1 s each: six samples of two calls last over a second, ten times the time per line."""
    monkeypatch.setattr(progress_display, "SECONDS_PER_LINE", 0.1)
    openai_server.latency = 0.1
    words = ("run", set_file(6), "--judge", judge_file(), "--metrics", METRIC, "--concurrency", "1", "--json")
    done = assay(*words)
    lines = done.err.splitlines()
    assert len(lines) >= 3
    assert all(line.startswith("assay: ") and " of 6 samples, " in line for line in lines)
    assert any(line.endswith(" left") for line in lines)
    assert done.json["metrics"][METRIC]["n"] == 6  # standard output has the JSON alone
    quiet = assay(*words, "--quiet")
    assert (quiet.code, quiet.err) == (0, "")


def test_quiet_says_what_is_wrong_with_a_file_and_not_what_was_read_as_what(assay, tmp_path):
    rows = ["nr,vraag,antwoord,rating_ada", "1,A?,Yes.,2", "2,B?,No.,n/a", "3,C?,Maybe.,4"]
    (tmp_path / "a.csv").write_text("\n".join(rows), encoding="utf-8")
    words = ("run", tmp_path / "a.csv", "--metrics", "answer_length")
    assert "read nr as id" in assay(*words).err
    quiet = assay(*words, "--quiet").err
    assert "read nr as id" not in quiet
    assert '1 cell of rating_ada without a rating: line 3 "n/a"' in quiet


def test_the_time_left(monkeypatch):
    """10 of 100 samples in 20 s: 90 more at 2 s each are 180 s."""
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    current = Progress(total=100, started=now - 20, samples=10)
    current.scores["failed"] = 2
    line = progress_line(current)
    assert line == (
        "10 of 100 samples, 0 calls (0 replayed), 0 tokens, 0.0000 USD, 0 retries, 2 scores failed, "
        "about 3 minutes left"
    )
    after_batches = Progress(total=100, started=now - 3620, waited=3600, samples=10)
    assert progress_line(after_batches).endswith(", about 3 minutes left")
    assert progress_line(Progress(total=None)).startswith("0 samples, ")


def test_counts_and_long_work_have_lines_too(monkeypatch):
    monkeypatch.setattr(progress_display, "SECONDS_PER_LINE", 0.02)
    errors = io.StringIO()  # pytest's own takes what is there away, and loses what a thread writes at that moment
    monkeypatch.setattr(sys, "stderr", errors)
    with output.count_progress("sections", 12) as show:
        show(5)
        wait_for_line(errors, "assay: sections: 5 of 12")
    with output.show_status("evaluating 3 metrics on 40 items"):
        wait_for_line(errors, "assay: evaluating 3 metrics on 40 items")


def wait_for_line(errors: io.StringIO, line: str) -> None:
    """Waits until the last line is this one; pytest-timeout ends what would wait for ever."""
    while not errors.getvalue().endswith(f"{line}\n"):
        time.sleep(0.01)
    assert set(errors.getvalue().splitlines()) <= {"assay: sections: 5 of 12", line}
