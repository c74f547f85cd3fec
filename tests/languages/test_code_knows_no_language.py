"""What differs by language stands in the packs: no code of a language and no foreign word stands in the code.

In `metrics/numeric`, which reads claims, no pattern holds a word of any language, English included.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from test_house import syntax_tree

from assay.languages import FALLBACK, language_codes, packs_with

ROOT = Path(__file__).parents[2]
EXCEPTED = ("generation/leaflets/",)  # the leaflets are data, with the names that stand on them
THE_FALLBACK = ("languages/fallback.py", FALLBACK)  # the one place that names a language
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
    from wordfreq import zipf_frequency  # loads for a second: in one process of the tests, not in each that collects

    words: set[str] = set()
    for language in packs_with("words"):
        if language.code != FALLBACK:
            lists = language.words
            words |= lists.function_words | lists.negations | lists.imperatives
            words |= {*lists.affirmative, *lists.negative}
            words |= {name.lower() for name in language.months}
    return frozenset(word for word in words if _WORD.fullmatch(word) and zipf_frequency(word, FALLBACK) < ENGLISH_TOO)


def text_constants(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The string constants of a module that are no docstrings, with their lines."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def offences(path: Path) -> Iterator[str]:
    for line, text in text_constants(syntax_tree(path)):
        if text in language_codes() and (place(path), text) != THE_FALLBACK:
            yield f"{place(path)}:{line}: the language code {text!r}; give the pack a key, or use FALLBACK"
        if foreign := sorted(foreign_words() & set(_WORD.findall(text.lower()))):
            yield f"{place(path)}:{line}: the words {', '.join(foreign)}; put them in a language pack"


def test_no_language_is_named_and_no_foreign_word_stands_in_the_code():
    assert [offence for path in code_files() for offence in offences(path)] == []


def patterns(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The text of what a module gives to functions of `re` as a pattern, what is filled in left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            module, argument = node.func.value, node.args[0]
            if isinstance(module, ast.Name) and module.id == "re":
                parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
                yield (
                    node.lineno,
                    "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts),
                )


def words_of_pattern(pattern: str) -> set[str]:
    """The words that a pattern looks for: no names of groups, no escapes, no character classes."""
    bare = re.sub(r"\(\?P[<=]\w+[>)]|\\.|\[[^\]]*\]", " ", pattern)
    return set(re.findall(r"[^\W\d_]{2,}", bare))


def worded_patterns(path: Path) -> Iterator[str]:
    for line, pattern in patterns(syntax_tree(path)):
        if words := sorted(words_of_pattern(pattern)):
            yield f"{place(path)}:{line}: the pattern looks for {', '.join(words)}; put them in a language pack"


def test_no_pattern_of_numerical_claims_holds_a_word():
    files = (ROOT / "metrics" / "numeric").rglob("*.py")
    assert [offence for path in files for offence in worded_patterns(path)] == []
