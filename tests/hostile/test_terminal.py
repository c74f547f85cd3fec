"""Hostile text through every output: no terminal obeys it, no markup of it is read, and JSON loses nothing of it."""

import ast
import json
import re
from pathlib import Path

import pytest
from noted_sets import write_rows
from test_house import syntax_tree

from assay.cli.output import echo_json, open_console
from assay.presentation import one_line, terminal_text
from assay.runs import Store

ROOT = Path(__file__).parents[2]

# rich's markup, an emoji's name, a colour, a link (OSC 8), a window title (OSC 0), a C1 control, marks that turn the
# direction of writing (two of them outside what prompts drop), a carriage return and a line separator
HOSTILE = (
    "[/x][red]no[/red] [/5] :smile: \x1b[31mr\x1b[0m \x1b]8;;http://evil\x07l \x1b]0;t\x07 \x9b2J \u202eb\u061c\u2066 "
    "\rcr\u2028ls"
)
PLAIN = "[/x][red]no[/red] [/5] :smile: [31mr[0m ]8;;http://evill ]0;t 2J b crls"
UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


@pytest.fixture
def hostile_files(tmp_path, judge_file):
    """Sets, tables, ratings, documents, a suite and a judge, hostile wherever a text may stand."""
    rows = [
        {
            "id": f"s{number}{HOSTILE}",
            "user_input": f"{HOSTILE} How do I do {number}?",
            "response": f"Send flowers {HOSTILE}." if number % 2 else f"Open menu {number}. {HOSTILE}",
            "retrieved_contexts": [f"Open menu {number}. {HOSTILE}"],
            "language": "en",
            "rating": 1 + number % 5,
            "message_type": f"action{HOSTILE}" if number % 2 else "binary",
            "group": f"g{number}{HOSTILE}",
            HOSTILE: HOSTILE,
        }
        for number in range(12)
    ]
    write_rows(tmp_path / "set.jsonl", rows)
    write_rows(tmp_path / "worse.jsonl", [row | {"response": f"Nothing {HOSTILE}"} for row in rows])
    (tmp_path / "bad.jsonl").write_text(
        json.dumps(rows[0]) + "\n" + json.dumps({"id": HOSTILE, "user_input": 5, HOSTILE: 1}) + "\n", encoding="utf-8"
    )
    header = f'id,"score [/5]","{HOSTILE}",rating\n'
    lines = [f"i{number},{number},{12 - number},{1 + number % 5}\n" for number in range(12)]
    (tmp_path / "scores.csv").write_text(header + "".join(lines), encoding="utf-8")
    (tmp_path / "table.csv").write_text(
        f'date,"load [/5] {HOSTILE}"\n' + "".join(f"2026-03-{day:02},{day}\n" for day in range(1, 10)), encoding="utf-8"
    )
    (tmp_path / "guide.md").write_text(
        f"# Guide {HOSTILE}\n\n## [/x] {HOSTILE}\n\n{'Open the menu and choose it. ' * 20}{HOSTILE}\n", encoding="utf-8"
    )
    gates = [{"gate": "mean", "metric": "token_overlap", "at_least": 0.99}]
    suite = {"name": f"nightly {HOSTILE}", "sets": ["set.jsonl"], "metrics": ["token_overlap"], "gates": gates}
    (tmp_path / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    judge_file("judge.yaml", served_as=f"judge {HOSTILE}")
    return tmp_path


def check(done):
    """What a command printed may be shown to a person; its JSON can be read."""
    for name, text in (("out", done.out), ("err", done.err)):
        unsafe = UNSAFE.search(text)
        assert unsafe is None, f"{unsafe} on std{name}: {text[max(0, unsafe.start() - 60) : unsafe.end() + 20]!r}"
        assert "Traceback" not in text, text
        assert "😄" not in text
    if done.out.startswith("{"):
        json.loads(done.out)


JUDGED = ("--judge", "judge.yaml", "--metrics", "faithfulness:claims=judge,token_overlap")
WITHOUT_RUN = [
    ("run", "set.jsonl", "--metrics", "token_overlap"),
    ("run", "set.jsonl", "--metrics", "token_overlap", "--json"),
    ("run", "set.jsonl", *JUDGED),
    ("run", "bad.jsonl", "--metrics", "token_overlap"),
    ("run", "bad.jsonl", "--metrics", "token_overlap", "--skip-bad"),
    ("run", "nowhere" + HOSTILE.replace("/", "")),
    ("run", "set.jsonl", "--metrics", HOSTILE),
    ("run", "set.jsonl", "--judge", HOSTILE),
    ("run", "set.jsonl", "--map", HOSTILE),
    ("run", "set.jsonl", f"--{HOSTILE}"),
    (HOSTILE,),
    ("meta", "--scores", "scores.csv"),
    ("meta", "--scores", "scores.csv", "--metrics", HOSTILE),
    ("suite", "suite.yaml"),
    ("suite", "suite.yaml", "--check"),
    ("numeric", "check", f"The load was 5 {HOSTILE}.", "table.csv"),
    ("heuristic", "explain", "set.jsonl", f"s1{HOSTILE}"),
    ("generate", "sections", "guide.md"),
    ("prompts", "render", "claims", "set.jsonl", f"s1{HOSTILE}"),
    ("prompts", "show", HOSTILE),
    ("cassettes", "show", "replies.jsonl"),
]
QUICK = ("--bootstrap", "100", "--repeats", "1")


@pytest.mark.parametrize("words", WITHOUT_RUN, ids=lambda words: one_line(" ".join(words), 60))
def test_no_command_passes_on_what_a_terminal_obeys(assay, hostile_files, words, monkeypatch):
    more = QUICK if words[0] == "meta" else ()
    check(assay(*words, *more))


def test_a_runs_outputs_are_safe(assay, hostile_files):
    assay("run", "set.jsonl", *JUDGED, "--cassette", "replies.jsonl")
    store = Store(".assay")
    first = store.run("last").id
    assay("run", "worse.jsonl", *JUDGED)
    second = store.run("last").id
    sample = f"s1{HOSTILE}"
    for words in (
        ("show", first),
        ("show", first, sample),
        ("show", first, sample, "--json"),
        ("show", first, f"x{HOSTILE}"),
        ("show", HOSTILE),
        ("compare", first, second),
        ("compare", first, second, "--wide"),
        ("compare", first, second, "--metric", HOSTILE),
        ("meta", first, *QUICK),
        ("meta", first, "--by", "message_type", *QUICK),
        ("cassettes", "show", "replies.jsonl"),
        ("cassettes", "check", "replies.jsonl"),
        ("prompts", "diff", first, second),
    ):
        check(assay(*words))


def test_json_loses_nothing(assay, hostile_files):
    assay("run", "set.jsonl", "--metrics", "token_overlap")
    scores = assay("show", "last", f"s1{HOSTILE}", "--json").json["scores"]
    assert {score["sample"] for score in scores} == {f"s1{HOSTILE}"}
    assert scores[0]["user_input"] == f"{HOSTILE} How do I do 1?"
    assert scores[0]["response"] == f"Send flowers {HOSTILE}."
    assert scores[0]["rating"] == 2


def test_markup_in_names_is_shown_as_it_is(assay, hostile_files):
    """A column `score [/5]` ends no style: it crashed the tables."""
    scores = assay("meta", "--scores", "scores.csv", *QUICK)
    assert (scores.code, "score [/5]" in scores.out) == (0, True)
    assert "judge [/x][red]no[/red]" in " ".join(assay("run", "set.jsonl", *JUDGED).out.split())


def test_plain_text():
    assert terminal_text(HOSTILE) == PLAIN
    assert one_line("a\r\nb\t c\x1b[2J\u2028d") == "a b c[2J d"
    assert one_line("abcdef", 4) == "abc…"


def test_json_of_what_no_json_has(capsys):
    echo_json({"a": [float("nan"), float("inf"), 1.5], HOSTILE: "\U000e0041"})
    out = capsys.readouterr().out
    assert UNSAFE.search(out) is None
    assert json.loads(out) == {"a": [None, None, 1.5], HOSTILE: "\U000e0041"}


def test_our_own_styles_reach_a_terminal(capsys, monkeypatch):
    from rich.text import Text

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    open_console().print(Text(HOSTILE, style="red"))
    out = capsys.readouterr().out
    escapes = set(re.findall("\x1b[^m]*m", out))
    assert escapes == {"\x1b[31m", "\x1b[0m"}
    assert out.replace("\x1b[31m", "").replace("\x1b[0m", "").strip() == PLAIN


def test_all_output_passes_the_one_place():
    """No other module writes to the terminal by itself, but for the progress, which holds figures and words of ours."""
    places_that_write = {ROOT / "assay/cli/output.py", ROOT / "runs/score/progress_display.py"}
    writing = {"click.echo", "click.secho", "print", "sys.stdout.write", "sys.stderr.write", "Console", "click.style"}
    folders = "assay show runs meta_eval generation judges metrics prompts text languages web"
    paths = [path for folder in folders.split() for path in sorted((ROOT / folder).rglob("*.py"))]
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in paths
        if path not in places_that_write
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in writing
    ]
    assert places == []
