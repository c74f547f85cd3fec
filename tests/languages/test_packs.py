"""Language packs: every section is valid, mistakes are told with file, line and key; German, and packs of your own."""

import os
import pickle
import re
import shutil
import subprocess
import sys
from functools import cached_property
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from modules import module_of
from pydantic import BaseModel

from assay.errors import InputError, UsageError
from assay.eval_sets import load_set
from assay.languages import (
    ClaimMarks,
    Components,
    Language,
    Sentences,
    find_language,
    language_codes,
    language_or_fallback,
    load_language,
    parse_yaml,
    read_yaml,
)
from assay.prompts import BUNDLED
from assay.text import detect_language, find_entities

REQUIRED = ("profile", "sentences", "declined")
SECTIONS = {name for name, value in vars(Language).items() if isinstance(value, cached_property)}


@pytest.mark.parametrize("code", language_codes())
def test_every_section_of_every_pack_is_valid(code):
    language = load_language(code)
    for section in REQUIRED:
        assert getattr(language, section)
    for section in SECTIONS.difference(REQUIRED):
        if language.has(section):
            assert getattr(language, section)


@pytest.mark.parametrize("code", language_codes())
def test_a_pack_has_no_file_that_is_no_section(code):
    folder = Path(__file__).parents[2] / "languages" / code
    files = {f"{section}.yaml" for section in SECTIONS - {"profile"} | {"language"}}
    assert {path.name for path in folder.iterdir()} <= files


def test_a_currency_that_babel_does_not_know_is_told_with_its_file(tmp_path):
    pack = Language("nl", tmp_path)
    known = load_language("nl").notation
    pack.notation = known.model_copy(update={"currencies": ("EUR", "EUX")})
    with pytest.raises(
        InputError, match=r"languages/nl/notation.yaml, currencies: there is no currency 'EUX'; write ISO"
    ):
        _ = pack.currencies


def test_the_amount_of_an_entity_has_its_currency():
    amounts = [entity.parts for entity in find_entities("It costs £30, or $ 12.50.", load_language("en"))]
    assert amounts == [{"amount": "30", "currency": "GBP"}, {"amount": "12.5", "currency": "USD"}]


def test_a_code_may_have_a_region_and_what_is_not_there_is_told(tmp_path):
    assert find_language("nl-BE") is find_language("NL_nl") is load_language("nl")
    assert find_language(None) is find_language("tlh") is None
    assert language_or_fallback("tlh").code == language_or_fallback(None).code == "en"
    # Caches are keyed on it, and worker processes get it.
    assert pickle.loads(pickle.dumps(load_language("nl"))) is load_language("nl")
    with pytest.raises(UsageError, match=r"no language pack 'tlh'; the packs are .*en, nl"):
        load_language("tlh")
    with pytest.raises(UsageError, match=r"write languages/xx/words\.yaml after languages/en/words\.yaml"):
        assert Language("xx", tmp_path).words


SHORTEST = """idle: {thanks: [dank u]}
answer_yes: [ja]
answer_no: [nee]
yes_statement: '{question} ja'
no_statement: '{question} nee'
"""


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (SHORTEST + "asked: [of]\nto_judge: ['(']\n", 7, "to_judge.0: .*'\\(' is no regular expression"),
        (SHORTEST + "greetings:\n  - hallo\n", 6, "greetings: is an unknown key; .*The keys are `groups`, `idle`, "),
        (SHORTEST + "courtesy:\n  - graag\n  - yes\n", 8, "courtesy.1: "),  # YAML reads yes as true
        (SHORTEST + "courtesy: [dank (u|je]\n", 6, "courtesy.0: .*'dank \\(u\\|je'; close each bracket"),
        (SHORTEST + f"courtesy: ['{'(a|b)' * 12}']\n", 6, "courtesy.0: .* stands for 4096 phrases"),
        (SHORTEST.replace("answer_no: [nee]\n", ""), 1, "answer_no: is missing; add it"),
        (SHORTEST + "courtesy: [\n", 7, "not valid YAML"),
        ("", 1, "the whole file: is empty; write KEY: VALUE"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(tmp_path, text, line, message):
    file = tmp_path / "sentences.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"^{re.escape(str(file))}, line {line}[:,] .*{message}"):
        read_yaml(file, Sentences)


def test_a_mistake_has_its_own_line_also_deep_within(tmp_path):
    file = tmp_path / "components.yaml"
    file.write_text("marked:\n  bold: 'no group'\nsuffix: 3\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_yaml(file, Components)
    lines = str(raised.value).splitlines()
    assert any("line 2, marked.bold: " in line and "(?P<component>...)" in line for line in lines)
    assert any("line 3, suffix: " in line for line in lines)

    class Inner(BaseModel):
        n: int

    class Outer(BaseModel):
        rows: list[Inner]

    with pytest.raises(InputError, match=r"^x\.yaml, line 4, rows\.1\.n: "):
        parse_yaml("rows:\n  - n: 1\n  -\n    n: many\n", Outer, "x.yaml")


def test_a_file_that_is_no_text_is_told(tmp_path):
    file = tmp_path / "words.yaml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"words\.yaml, line 1: the file cannot be read"):
        read_yaml(file, dict[str, str])


@pytest.mark.parametrize(
    ("package", "problem"),
    [
        ("assay.gone.fy", "cannot be imported"),
        ("gone", "cannot be imported"),
        ("assay.metrics", "has no language.yaml"),
    ],
)
def test_a_registered_pack_that_is_not_there_is_told(package, problem, monkeypatch):
    """Such as of a package whose files are gone, or whose entry names the wrong folder."""
    entry = EntryPoint("fy", package, module_of(Language).GROUP)
    monkeypatch.setattr(module_of(Language), "registered_entries", lambda group: {"en": None, "fy": entry})
    language_codes.cache_clear()
    try:
        with pytest.raises(UsageError, match=rf"fy is registered .*as {package}, which {problem}"):
            load_language("fy")
    finally:
        language_codes.cache_clear()


_MARKS = """
marks: {mean: ['<middle>']}
harmless: [a]
articles: [a]
scope_prepositions: [of]
restrictive: [net]
harmless_cell: [a]
"""


def test_a_group_stands_for_any_of_its_alternatives():
    marks = parse_yaml("groups: {middle: [average, 'mean(?: value)?']}" + _MARKS, ClaimMarks, "marks.yaml")
    (pattern,) = marks.marks["mean"]
    assert re.fullmatch(pattern, "mean value") and re.fullmatch(pattern, "average") and not re.fullmatch(pattern, "sum")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("groups: {centre: [average]}" + _MARKS, 2, "marks.mean.0: .*<middle> names no group"),
        ("groups: {middle: ['(']}" + _MARKS, 1, "groups.middle.0: .*is no regular expression"),
        (
            "groups: {middle: [average]}" + _MARKS.replace("mean", "maen"),
            2,
            "marks.maen: 'maen' is no kind of mark; write mean",
        ),
        (_MARKS.replace("<middle>", "").lstrip(), 1, "marks.mean.0: .*is empty, and matches everywhere"),
        ("groups: {middle: [average, '']}" + _MARKS, 1, "groups.middle.1: .*is empty, and matches everywhere"),
    ],
)
def test_a_mistake_in_marks_is_told_with_its_place(tmp_path, text, line, message):
    file = tmp_path / "claim_marks.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"{re.escape(str(file))}, line {line}[:,] .*{message}"):
        read_yaml(file, ClaimMarks)


JUDGED = ("claims", "listed", "single", "support", "questions", "rating", "declined", "fix")


@pytest.mark.parametrize("name", JUDGED)
def test_every_judge_metric_has_its_prompt(name):
    assert BUNDLED.load(name, "de").language == "de"


def test_the_set_is_read_as_german_also_without_its_language_column():
    samples = load_set("helpdesk_de")
    assert len(samples) == 20
    assert {sample.language for sample in samples} == {"de"}
    assert {detect_language(sample.user_input, sample.response) for sample in samples} == {"de"}


ROOT = Path(__file__).parents[2]


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with a package that registers `fy`, whose words are Dutch."""
    pack, info = tmp_path / "my_package" / "fy", tmp_path / "my_package-1.dist-info"
    shutil.copytree(ROOT / "languages" / "nl", pack)
    profile = (pack / "language.yaml").read_text(encoding="utf-8").replace("name: Dutch", "name: Frisian")
    (pack / "language.yaml").write_text(profile, encoding="utf-8")
    (tmp_path / "my_package" / "__init__.py").touch()
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[assay.languages]\nfy = my_package.fy\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("maand,orders\n2026-01,10\n2026-02,20\n2026-03,30\n", encoding="utf-8")
    return tmp_path


def _check(folder: Path) -> subprocess.CompletedProcess[str]:
    claim = ("t.csv", "De orders waren gemiddeld 20.", "--language", "fy")
    paths = os.pathsep.join([str(folder), str(ROOT), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "assay", "metrics", "check", *claim],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_a_language_that_no_library_knows_is_read(packages):
    done = _check(packages)
    assert (done.returncode, done.stderr) == (0, "")
    assert "verdict     supported: computed 20" in done.stdout


PAGE = (ROOT / "docs" / "your-data.md").read_text(encoding="utf-8")
NEEDED = {"numeric_claims": "claim_marks.yaml", "heuristic": "components.yaml", "declined": "declined.yaml"}


@pytest.mark.parametrize("metric", NEEDED)
def test_a_language_is_skipped_exactly_where_its_pack_lacks_the_file(metric):
    """The numerical claims of German were said to be skipped when they were long read."""
    (header,) = re.findall(r"^\| \| (en .+) \|$", PAGE, re.MULTILINE)
    (row,) = re.findall(rf"^\| `{metric}`[^|]*\| (.+) \|$", PAGE, re.MULTILINE)
    cells = dict(zip(header.split(" | "), row.split(" | "), strict=True))
    packs = {folder.name for folder in (ROOT / "languages").iterdir() if (folder / "language.yaml").is_file()}
    assert cells.keys() == packs | {"another language"}
    for language in packs:
        has_file = (ROOT / "languages" / language / NEEDED[metric]).is_file()
        assert cells[language].startswith("yes" if has_file else "skipped"), language
