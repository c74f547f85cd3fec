"""Commands that messages suggest work when they are pasted into a shell, whatever the names in them are."""

import ast
import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st
from modules import module_of
from noted_sets import write_rows
from test_house import syntax_tree

from assay.cli.output import typed_command
from assay.errors import AssayError
from assay.eval_sets import explain_missing
from assay.judges import choose_slots
from assay.meta_eval import Scorer
from assay.value_messages import join_words

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
ROOT = Path(__file__).parents[2]
HOSTILE = [
    *("it's", 'say "hi"', "$(touch hacked)", "`touch hacked`", "a;touch hacked", "a|b", "a&b", "a>b", "*"),
    *("-x", "--", "?", "~", "#x", "!x", "{a,b}", "[a]", "a\\b", "%s", "日本", "=x", "${IFS}", "'", '"', "\\", "\\012"),
]


def words_of_shell(command, folder=None):
    """The words that a real `sh` makes of a command."""
    show = 'show() { printf "%s\\0" "$@"; }; show '
    done = subprocess.run(["sh", "-c", show + command], capture_output=True, check=True, cwd=folder)
    return done.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize("word", HOSTILE)
def test_a_word_is_one_word_of_a_shell(word, tmp_path):
    assert words_of_shell(join_words("first", word, "last"), tmp_path) == ["first", word, "last"]
    assert not [*tmp_path.iterdir()], "nothing was run"


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))), min_size=1, max_size=8))
@example(["", " ", "\t", "a'b\nc"])
def test_law_any_words_are_the_words_of_a_shell(words):
    assert words_of_shell(join_words(*words)) == words


@settings(max_examples=60)
@given(st.text(st.characters(exclude_characters="\0\n", exclude_categories=("Cs",)), min_size=1))
@example("-x")
@example("--store")
def test_law_an_id_is_no_option(name):
    words = words_of_shell(typed_command("show", "last", ids=[name], store="here"))
    assert words[:3] == ["assay", "show", "last"]
    arguments, options = words[3:], ["--store", "here"]
    assert arguments in ([name, *options], [*options, "--", name])
    assert not name.startswith("-") or "--" in arguments


def suggested(text):
    """The last command that an output suggests, as it stands there."""
    return [line.strip() for line in text.splitlines() if line.strip().startswith("assay ")][-1]


@pytest.mark.parametrize(
    "name", [*("it's; $(touch hacked)", "-x"), *(pytest.param(name, marks=pytest.mark.slow) for name in HOSTILE)]
)
def test_the_command_that_shows_the_worst_answer_shows_it(name, assay, tmp_path):
    """An id of the set stands in the command that `assay run` suggests."""
    rows = [
        {"id": sample, "user_input": "May I?", "response": response, "retrieved_contexts": ["You may go on Monday."]}
        for sample, response in ((name, "Bananas sing."), ("good", "You may go on Monday."))
    ]
    write_rows(tmp_path / "set.jsonl", rows)
    done = assay("run", "set.jsonl", "--metrics", "token_overlap", code=0)
    assert "Bananas sing." in assay(*words_of_shell(suggested(done.out + done.err))[1:], code=0).out
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize("name", ["nightly $(touch hacked).yaml", "-x.yaml", "it's; x.yaml"])
def test_the_commands_of_a_suite_with_a_hostile_name(name, assay, tmp_path):
    answers = "question,answer,context\n" + "".join(f"q{n}?,answer {n},the answer {n}\n" for n in range(9))
    (tmp_path / "set.csv").write_text(answers)
    drafted = assay("init", "set.csv", "--out", name, code=0)
    commands = [line.strip() for line in drafted.out.splitlines() if line.strip().startswith("assay suite")]
    command = re.sub(r"  (?!.*').*|  [a-z].*$", "", commands[0]) if commands else ""
    pasted = assay(*words_of_shell(command)[1:])
    assert "Suite" in pasted.out, (command, pasted.err, drafted.out)
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize("name", HOSTILE)
def test_names_in_error_messages_can_be_pasted(name, tmp_path):
    """The cures of errors: each is cut out of its message, and read by a shell."""
    file = Path(name.replace("/", "_"))
    with pytest.raises(AssayError) as raised:
        Scorer.load(tmp_path / "none" / file)
    command = str(raised.value).partition("make one with: ")[2]
    assert words_of_shell(command)[-1] == str(tmp_path / "none" / file)
    fetch = re.findall(r"\(`(curl .*)`\)", module_of(choose_slots)._how_to_get(tmp_path / file, "https://host/x.gguf"))
    assert words_of_shell(fetch[0])[-2:] == [str(tmp_path / file), "https://host/x.gguf"]
    column = f"{name} answer"
    typed = re.search(r"or map (.*); rows that are messages", explain_missing("response", [column]))
    assert typed is not None
    assert words_of_shell(typed[1]) == [f"{column}=response"]


def test_every_name_in_a_suggested_command_is_quoted():
    """What is put into the text of a command, after `assay ...` or an option, is a call of the one function.

    Ids of runs and queues are made by Assay, of letters and digits.
    """
    ours = re.compile(r"^((run|named|queue)\.id|run|self\._run|_SAMPLE|newest)$")
    quoted = re.compile(r"quote_word\(|^(typed|metric|example|ours)$")
    command = re.compile(
        r"(?:\bassay [a-z]+\b[^.;:)`]*|--(?:save|judge|map|store|cassette|resume|out|metrics)[ =][^ ]*)$"
    )
    problems = []
    for file in sorted(ROOT.rglob("*.py")):
        place = file.relative_to(ROOT)
        if place.parts[0] in {"tests", "benchmarks", "docs", "build"} or place.parts[0].startswith("."):
            continue
        for node in ast.walk(syntax_tree(file)):
            before = ""
            for part in node.values if isinstance(node, ast.JoinedStr) else ():
                if isinstance(part, ast.Constant):
                    before += str(part.value)
                    continue
                value = ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""
                if command.search(before) and not quoted.search(value) and not ours.match(value):
                    problems.append(f"{place}:{node.lineno}: {before[-40:]}{{{value}}}")
                before += "{}"
    assert not problems
