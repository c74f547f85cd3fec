"""What differs by language stands in the packs: no code of a language and no foreign word stands in the code.

`metrics/numeric`, the grammar of numerical claims, keeps its own word lists until it is revised.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from wordfreq import zipf_frequency

from assay.languages import FALLBACK, language_codes, packs_with

ROOT = Path(__file__).parents[2]
EXCEPTED = ("metrics/numeric/", "generation/leaflets/")  # the leaflets are data, with the names that stand on them
THE_FALLBACK = ("languages/language.py", FALLBACK)  # the one place that names a language
ENGLISH_TOO = 3.5  # Zipf: "is" and "was" are Dutch words, and English ones
_WORD = re.compile(r"[^\W\d_]{2,}")


def code_files() -> list[Path]:
    packages = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "benchmarks"]
    files = [path for package in packages for path in package.rglob("*.py")]
    return [path for path in files if not place(path).startswith(EXCEPTED)]


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def foreign_words() -> frozenset[str]:
    """Words of the packs of other languages than English that are no English words."""
    words: set[str] = set()
    for language in packs_with("words"):
        if language.code != FALLBACK:
            lists = language.words
            words |= lists.function_words | lists.negations | lists.imperatives | lists.organisation_types
            words |= {*lists.affirmative, *lists.negative, *lists.number_words}
            words |= {*language.notation.months} if language.has("notation") else set()
    return frozenset(word for word in words if _WORD.fullmatch(word) and zipf_frequency(word, FALLBACK) < ENGLISH_TOO)


def text_constants(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The string constants of a module that are no docstrings, with their lines."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def offences(path: Path) -> Iterator[str]:
    for line, text in text_constants(ast.parse(path.read_text(encoding="utf-8"))):
        if text in language_codes() and (place(path), text) != THE_FALLBACK:
            yield f"{place(path)}:{line}: the language code {text!r}; give the pack a key, or use FALLBACK"
        if foreign := sorted(foreign_words() & set(_WORD.findall(text.lower()))):
            yield f"{place(path)}:{line}: the words {', '.join(foreign)}; put them in a language pack"


def test_no_language_is_named_and_no_foreign_word_stands_in_the_code() -> None:
    assert [offence for path in code_files() for offence in offences(path)] == []


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('separator = ";" if language == "nl" else ","', "language code 'nl'"),
        ('LANGUAGES = ("en", "nl")', "language code 'en'"),
        ('NEGATIONS = ("niet", "geen")', "the words geen"),
        (r'PATTERN = re.compile(r"\b(?:stap|niet)\b")', "the words niet"),
    ],
)
def test_the_rule_sees_what_it_forbids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "module.py").write_text(code, encoding="utf-8")
    assert any(message in offence for offence in offences(tmp_path / "module.py"))
