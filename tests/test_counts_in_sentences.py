"""A count in a sentence has its noun in the right number: no sentence says "1 answers"."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = (
    *("assay", "presentation", "languages", "text", "eval_sets", "prompts", "judges", "meta_eval", "metrics", "runs"),
    *("generation", "web", "testing"),
)

# what is counted in Assay's sentences
NOUNS = (
    "answers|batches|bytes|calls|cells|characters|charts|claims|columns|components|contexts|conversations|days|digits|"
    "dimensions|documents|facts|features|fields|files|folds|gates|groups|hours|ids|intents|items|judges|kinds|labels|"
    "lines|links|looks|messages|metrics|minutes|numbers|options|outliers|pages|pairs|parts|passages|questions|raters|"
    "ratings|reasons|recordings|replies|repeats|requests|retries|rows|runs|samples|scores|seconds|sections|sentences|"
    "sets|settings|sheets|shufflings|sources|steps|strata|subsets|terms|texts|times|tokens|topics|turns|values|vectors|"
    "verdicts|versions|words"
)
_NO_ADJECTIVES = (
    "of|in|by|and|or|with|for|on|to|from|than|such|these|those|the|as|at|per|x|are|is|was|were|has|have|had|makes|takes|"
    "needs|leaves|asks|before|after|because|whose|which|its|follows|reads|gives"
)
_ADJECTIVE = rf"(?!(?:{_NO_ADJECTIVES})\b)[a-z-]+ "
_NOT_A_NOUN = "asks|begins|does|has|holds|is|its|less|leaves|needs|others|says|stands|takes|this|thus|was"
_NOUN_NEXT = re.compile(rf" (?:{_ADJECTIVE}){{0,2}}(?:{NOUNS})\b")
_PLURAL_NEXT = re.compile(rf" (?:{_ADJECTIVE})?(?!(?:{_NOT_A_NOUN})\b)[a-z-]+[a-rt-z]s\b")
_IN_A_TEMPLATE = re.compile(rf"\{{\{{((?:(?!\}}\}}).)*)\}}\}}(?:</?\w+>)? (?:{_ADJECTIVE}){{0,2}}(?:{NOUNS})\b")
_OWN_PLURAL = re.compile(r"""['"]e?s['"] \*|['"]e?s['"] if |['"]['"] if [^'"]* else ['"]e?s['"]""")
EXCEPTIONS = {
    *("{hint} columns", "{hint} fields", "{hint} bundled sets", "{kind} answers", "{self.mode} passages"),
    "{' and '.join((str(list(shape)) for shape in lengths))} dimensions",
    "{[len(guide) for guide in guides]} steps",
    *("{chosen} looks", "{describe_more_ratings(more)} ratings", "{more} ratings"),  # 10 or more
    *("{prompt.identity:<28} fields", "{metric.name} scores conversations"),
    "{bound} bad answers",
    *("{other} scores", "{metric} scores", "{self.metric} compares two answers"),  # a metric's name and a verb
    "{has_two} ratings",  # made by count_of, with its verb
    "{have} two answers",  # as above
    "{len(days)} days",  # 3 or more
    '{{ policy.bound|figure("share") }} bad answers',
    "{pieces} before its sentences",
    "{len(rows) - _MOST_ROWS} more rows",  # in a question to a judge, whose recorded replies have it
}
"""Values before a plural that are no counts."""


def modules() -> list[Path]:
    return _files("*.py")


def templates() -> list[Path]:
    return _files("*.html")


def _files(pattern: str) -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob(pattern))]


def bare_counts(source: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each value of an f-string that stands bare before a plural noun."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
                continue
            text = ast.unparse(ast.JoinedStr([value]))[2:-1]
            pattern = _PLURAL_NEXT if re.match(r"\{(len|sum)\(|.*:,", text) else _NOUN_NEXT
            match = pattern.match(str(after.value))
            if match and not re.search(
                r"!r|%\}|^\{(_?[A-Z_]+\b|(count|verb)_of\()", text
            ):  # a bound in capitals is no 1
                yield value.lineno, text + match[0]


def test_no_bare_count_stands_before_a_plural_noun() -> None:
    """`count_of` of assay.text.wording writes the number and the noun."""
    offenders = [
        f"{path.relative_to(ROOT)}, line {line}: {text}"
        for path in modules()
        for line, text in bare_counts(path.read_text(encoding="utf-8"))
        if text not in EXCEPTIONS
    ]
    assert not offenders, "\n".join(["", *offenders])


def test_no_bare_count_stands_before_a_plural_noun_in_a_template() -> None:
    offenders = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in templates()
        for match in _IN_A_TEMPLATE.finditer(path.read_text(encoding="utf-8"))
        if match[0] not in EXCEPTIONS
    ]
    assert not offenders, "\n".join(["", *offenders])


def test_nobody_makes_a_plural_of_his_own() -> None:
    offenders = [
        f"{path.relative_to(ROOT)}, line {number}: {line.strip()}"
        for path in (*modules(), *templates())
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if _OWN_PLURAL.search(line) and path != ROOT / "text/wording.py"
    ]
    assert not offenders, "\n".join(["", *offenders])


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('f"{n} answers are missing"', 1),
        ('f"{len(rows)} of {total:,} rated answers"', 1),
        ('f"{n} " "new rows"', 1),
        ('f"{len(x)} gadgets"', 1),
        ("f\"{count_of(n, 'answer')} rated\"", 0),
        ('f"{name} needs two answers"', 0),
        ('f"{share:.0%} answers"', 0),
    ],
)
def test_the_rule_knows_a_bare_count(source: str, count: int) -> None:
    assert len(list(bare_counts(source))) == count
