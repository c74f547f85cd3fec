"""What reports say themselves is in the language of who reads: in Dutch but for names and what others wrote."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from golden.outcomes import SCENARIOS, Typist
from golden.test_verdicts import METHODS

COMMANDS = re.compile(r"(run|show|meta|decide|suite|watch|estimate|demo)\b")
AUDIT = re.compile(r"show (last|\S*RUN\S*|RUN_\d_*) [\w-]*\d|show changes|--json| -h|--help|show \S+ [tck]\d?$")
NAMES = ("run", "show", "meta", "decide", "suite", "watch", "estimate", "versions", "demo", "failures")
LEFT_OUT = {"show_errors", "meta_json", "run_resume"}  # errors, JSON, and the reasons of failed calls
PLAYED = [path for path in SCENARIOS if path.stem.startswith(NAMES) and path.stem not in LEFT_OUT]
# "of", "is", "was", "in", "per" and "over" are Dutch too
ENGLISH = re.compile(
    r"(?i)(?<![\w:.-])(the|and|not|with|by|are|were|from|that|which|only|has|have|to|for|this|than|none)(?![\w=-])"
)
HEADING = re.compile(r"<(h\d|th|caption|figcaption|dt|summary|title)\b[^>]*> ?(.*)")
# what people and judges wrote: a failed score's reason, a label of a group, a command
DATA = re.compile(r"no recording in|^(\w+: )?[A-Z][\w ]+\?$|<documentation>|</stateme|^   ?|assay |^[AB]: You ")


@pytest.fixture(scope="module")
def typist() -> Iterator[Typist]:
    typist = Typist(locale="nl_NL.UTF-8")
    yield typist
    typist.stop()


@pytest.mark.parametrize("scenario", PLAYED, ids=lambda path: path.stem)
def test_nothing_but_data_is_english(scenario: Path, typist: Typist) -> None:
    for step in typist.play(scenario):
        if not COMMANDS.match(step["typed"]) or AUDIT.search(step["typed"]):
            continue
        lines = [line for line in step["out"].splitlines() if not DATA.search(line)]
        pages = [text for name, text in step["files"].items() if name.endswith(".html")]
        lines += [found[2] for text in pages for line in text.splitlines() if (found := HEADING.match(line))]
        assert [line for line in lines if ENGLISH.search(line)] == [], step["typed"]
        verdict = [line[18:] for line in step["out"].splitlines() if re.match(r"[A-Z][\w ]{2,15} {2,}\S", line)][:4]
        assert max(map(len, verdict), default=0) <= 90
        assert not [line for line in verdict if METHODS.search(line)]
