"""Measures how well components are found in held-out sentences, and in help pages against the publishers' markup.

    python benchmarks/heuristic_components.py [../shared/data/docs]

First the held-out sentences (tests/metrics/heuristic/components.jsonl): 42 per language, ten house styles, a fifth of
them without a component. They were written and labelled after the patterns, by someone who had read the patterns; the
patterns were not changed for them afterwards. Intervals: 95%, percentiles of 2,000 seeded resamples of the sentences.

Then the pages of a folder, if there is one: its `index.jsonl` has one line per page with `path`, `language` and
`ui_components`. Components in Markdown bold are an easy case; `without markup` removes bold, code and quote marks
before the extraction. Pages without marked components are left out, because it is unknown what they name.
"""

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table

from assay.languages import load_language
from assay.text import find_components, normal_name

HELD_OUT = Path(__file__).parent.parent / "tests/metrics/heuristic/components.jsonl"
LANGUAGES = ("nl", "en")
RESAMPLES = 2000

_MARKUP = re.compile(r"\*\*|__|`|[\"“”„]")


class Compared(NamedTuple):
    """The names of one text that were found rightly, found wrongly, and missed."""

    right: list[str]
    wrong: list[str]
    missed: list[str]


def compared(text: str, labelled: Iterable[str], language: str) -> Compared:
    """What is found in a text beside what is labelled, in normal form; a name may be cut to one that is labelled."""
    marked = {key: name for name in labelled if (key := normal_name(name, load_language(language)))}
    right, wrong = [], []
    for component in find_components(text, load_language(language)):
        forms = [normal_name(form, load_language(language)) for form in (component.name, *component.shorter)]
        if hit := next((form for form in forms if form in marked), None):
            right.append(marked[hit])
        else:
            wrong.append(component.name)
    return Compared(right, wrong, [name for name in marked.values() if name not in right])


def precision_recall_f1(counts: Sequence[int]) -> tuple[float, float, float]:
    """Of the numbers found rightly, found wrongly and missed; 0 where nothing was found or labelled."""
    right, wrong, missed = counts
    return right / max(1, right + wrong), right / max(1, right + missed), 2 * right / max(1, 2 * right + wrong + missed)


def row(name: str, texts: Sequence[Compared]) -> list[object]:
    """A line of a table: texts, names found, precision, recall and F1."""
    counts = np.array([[len(names) for names in each] for each in texts])
    figures = precision_recall_f1(counts.sum(axis=0).tolist())
    draws = np.random.default_rng(0).integers(len(texts), size=(RESAMPLES, len(texts)))
    resampled = [precision_recall_f1(counts[draw].sum(axis=0).tolist()) for draw in draws]
    ends = np.percentile(resampled, [2.5, 97.5], axis=0)
    shown = [f"{figure:.2f} [{low:.2f}, {high:.2f}]" for figure, low, high in zip(figures, *ends, strict=True)]
    return [name, len(texts), int(counts[:, :2].sum()), *shown]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path, nargs="?")
    options = parser.parse_args()
    print_machine()
    header = ["texts", "n", "found", "precision", "recall", "F1"]
    rows = []
    sentences: list[dict[str, Any]] = [json.loads(line) for line in HELD_OUT.read_text(encoding="utf-8").splitlines()]
    for language in LANGUAGES:
        its = [each for each in sentences if each["language"] == language]
        comparisons = [compared(each["text"], each["components"], language) for each in its]
        rows.append(row(f"{language}, all", comparisons))
    print_table("Components in held-out sentences", header, rows)
    if options.docs is None:
        return
    rows = []
    pages = [json.loads(line) for line in (options.docs / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    for language in LANGUAGES:
        its = [page for page in pages if page["language"] == language and page.get("ui_components")]
        for markup in (True, False):
            comparisons = [_page(page, options.docs, markup=markup) for page in its]
            rows.append(row(f"{language}, {'as it is' if markup else 'without markup'}", comparisons))
    print_table("Components against the publishers' markup", header, rows)


def _page(page: dict[str, Any], docs: Path, *, markup: bool) -> Compared:
    text = (docs / page["path"]).read_text(encoding="utf-8")
    names = page["ui_components"]
    return compared(text if markup else _MARKUP.sub("", text), names, page["language"])


if __name__ == "__main__":
    main()
