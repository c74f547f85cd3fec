"""Bad YAML files, under every reader of one: each ends with one error that names file, line and cure, and quickly."""

import ast
import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from modules import module_of
from test_house import nodes

from assay.errors import InputError
from assay.judges import load_settings
from assay.languages import load_yaml, read_yaml
from assay.meta_eval import Scorer
from assay.metrics import read_rubric
from assay.runs.suite import load_suite

ROOT = Path(__file__).parents[2]


def anchors(levels, each_holds=9):
    """Levels of lists, of which each holds the one before so many times."""
    lines = ["a0: &a0 [x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * each_holds)}]" for level in range(1, levels + 1)]
    return "\n".join(lines)


# by name: the text, and what its error says besides the file
REFUSED = {
    "nine levels of anchors": (anchors(9), "line 2: *a0 stands for another part of the file; write that out"),
    "3,000 levels": ("model: " + "[" * 3000 + "]" * 3000, "line 1: is nested more than 100 deep"),
    "100,000 levels": ("[" * 100_000 + "]" * 100_000, "line 1: is nested more than 100 deep"),
    "100,000 open brackets": ("[" * 100_000, "line 1: is nested more than 100 deep"),
    "100,000 mappings": ('{"a":' * 100_000 + "1" + "}" * 100_000, "line 1: is nested more than 100 deep"),
    "2,000 indents": ("\n".join(" " * level + "a:" for level in range(2000)), "line 101: is nested more than 100 deep"),
    "2,000 dashes": ("- " * 2000 + "a", "line 1: is nested more than 100 deep"),
    "a key twice": ("model: a\nmodel: b", "line 2, model: line 1 has this key too; keep one"),
    "a key twice in a list": ("a:\n- {x: 1, x: 2}", "line 2, a.0.x: line 2 has this key too"),
    "a merge key": ("a: &a {x: 1}\nb:\n  <<: *a", "line 3: *a stands for another part of the file"),
    "a list as a key": ("? [a, b]\n: c", "line 1, the whole file: a key is a list or mapping; write a text"),
    "an object of Python": ("model: !!python/object/apply:os.system [id]", "line 1: could not determine a constructor"),
    "a tag of another program": ("model: !Ref bucket", "line 1: could not determine a constructor for the tag '!Ref'"),
    "a boolean that is none": ("logprobs: !!bool perhaps", "line 1, logprobs: 'perhaps' is no bool"),
    "a number that is none": ("concurrency: !!int many", "line 1, concurrency: 'many' is no int"),
    "an empty number": ('concurrency: !!int ""', "line 1, concurrency: '' is no int"),
    "a time that is none": ("model: !!timestamp now", "line 1, model: 'now' is no timestamp"),
    "month 13": ("model: 2026-13-45", "line 1, model: '2026-13-45' is no timestamp"),
    "NaN": ("timeout: .nan", "line 1, timeout: is nan, not a number that can be reckoned with"),
    "infinity": ("parameters: {temperature: .inf}", "line 1, parameters.temperature: is inf, not a number"),
    "a number that overflows": ("timeout: 1.0e+999", "line 1, timeout: is inf, not a number"),
    "an alias inside of itself": ("a: &a [*a]", "line 1: *a stands for another part"),
    "an alias without an anchor": ("a: *b", "line 1: *b stands for another part of the file"),
    "an anchor twice": ("a: &a 1\nb: &a 2", "line 1"),
    "a tab": ("a:\n\t- b", "line 2: not valid YAML: found character that cannot start any token"),
    "not UTF-8": (b"model: a\nserved_as: caf\xe9", "line 2: the"),
    "UTF-16": ("model: a".encode("utf-16"), "line 1: the"),
    "half a character": (b"model: \xed\xa0\x80", "line 1: the"),
    "11 MB": ("#" * 11_000_000, "is larger than 10 MB; make it smaller"),
    "an open bracket": ("a: [b", "not valid YAML: did not find expected ',' or ']'"),
    "a list where a mapping is expected": ("- a\n- b", ""),
    "a text alone": ("model", ""),
    "a number alone": ("42", ""),
    "an empty file": ("", ""),
    "a comment alone": ("# model: a", ""),
    "a key that is null": ("~: a", ""),
    "a key that is a number": ("1: a", ""),
    "a key that is a date": ("2026-01-01: a", ""),
}
READERS = {
    "judge": lambda path: load_settings(str(path)),
    "suite": load_suite,
    "rubric": read_rubric,
    "scorer": Scorer.load,
    "any": lambda path: read_yaml(path, dict[str, str]),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_bad_file_is_refused_with_its_line(tmp_path, reader):
    """Each file under 5 readers, but the largest under one."""
    path = tmp_path / "file.yaml"
    for name, (content, expected) in REFUSED.items():
        if len(content) > 50_000 and reader != "any":
            continue
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError) as error:
            READERS[reader](path)
        message = str(error.value)
        assert message.startswith(str(path)) and expected in message, (name, message)
        assert "; " in message and len(message) < 3000, (name, message)  # what to do; and no value is printed whole


def test_what_is_allowed_is_read(tmp_path):
    """Dates, long texts, a byte order mark and Windows line ends give what YAML says."""
    path = tmp_path / "file.yaml"
    path.write_bytes(b"\xef\xbb\xbfbase: {x: 1, y: 2}\r\nday: 2026-01-31\r\nlong: '" + b"9" * 5000 + b"'\r\n")
    assert read_yaml(path, dict[str, Any]) == {"base": {"x": 1, "y": 2}, "day": date(2026, 1, 31), "long": "9" * 5000}
    twice = {"a": [same := [1, 2], same]}
    assert load_yaml(module_of(load_yaml).dump_yaml(twice), "x.yaml").value == twice
    path.write_text("a: " + "[" * 99 + "]" * 99, encoding="utf-8")
    assert read_yaml(path, dict[str, Any])


@pytest.mark.parametrize(
    ("field", "value", "largest"),
    [
        ("concurrency", 1_000_000_000, "10,000"),
        ("attempts", 10**30, "1,000"),
        ("timeout", 10**30, "86,400"),
        ("wait", 10**30, "3,600"),
        ("max_tokens", 10**30, "10,000,000"),
        ("context_tokens", 10**12, "10,000,000"),
    ],
)
def test_a_number_of_a_judge_is_bounded(tmp_path, field, value, largest):
    path = tmp_path / "judge.yaml"
    path.write_text(f"model: openai/m\n{field}: {value}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_settings(str(path))
    assert str(error.value).startswith(f"{path}, line 2, {field}: is 1"), error.value
    assert str(error.value).endswith(f"; write {largest} or less")


@settings(max_examples=300)
@given(st.text("ab1:-?!&*<>|{}[],#%@'\"~ \n\t.0xe\\", max_size=40))
def test_any_text_is_read_as_yaml_reads_it_or_refused(text):
    """What is read equals `yaml.safe_load`, keys that stand twice apart; nothing but `InputError` is raised."""
    try:
        document = load_yaml(text, "x.yaml")
    except InputError as error:
        assert str(error).startswith("x.yaml")
    else:
        assert document.value == yaml.load(text, Loader=yaml.CSafeLoader)


def test_no_other_module_reads_yaml_itself():
    """One loader for all files: who imports `yaml` has none of its bounds."""
    packages = [path for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    modules = [module for package in packages for module in package.parent.rglob("*.py")]
    modules += [*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "docs").rglob("*.py")]
    assert len(modules) > 300
    importers = set()
    for module in modules:
        for node in nodes(module):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if {name.partition(".")[0] for name in names} & {"yaml", "ruamel", "strictyaml"}:
                importers.add(module.relative_to(ROOT).as_posix())
    assert importers == {"languages/yaml_file.py"}


def test_a_command_ends_with_one_line(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(anchors(9), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "assay", "suite", "--check", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr, done
    told = "line 2: *a0 stands for another part of the file; write that out"
    assert told in " ".join(done.stderr.split()), json.dumps(done.stderr)
