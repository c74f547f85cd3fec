"""Component extraction against publishers' own markup: precision and recall, by language, with markup and without.

    python benchmarks/heuristic_components.py ../shared/data/docs

DOCS holds `index.jsonl`, of which each line names a page (`path`), its `language` and its `ui_components`. A page's own
Markdown bold is an easy case; `without markup` takes the bold, code and quote marks off before it extracts.
Pages whose publisher marked no component are left out: nobody says what they name.
"""

import argparse
import json
import re
from pathlib import Path

from printed import print_machine, print_table

from assay.metrics.heuristic.components import find_components, normal

_MARKUP = re.compile(r"\*\*|__|`|[\"“”„]")


def main() -> None:
    """Prints precision, recall and examples of what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N wrong and N missed names a language")
    options = parser.parse_args()
    pages = [json.loads(line) for line in (options.docs / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    pages = [page for page in pages if page.get("ui_components") and page["language"] in {"nl", "en"}]
    print_machine()
    rows = []
    for language in ("nl", "en"):
        its = [page for page in pages if page["language"] == language]
        for markup in (True, False):
            right, wrong, missed = _compared(its, options.docs, language, markup=markup)
            found = len(right) + len(wrong)
            precision, recall = len(right) / max(1, found), len(right) / max(1, len(right) + len(missed))
            f1 = 2 * precision * recall / max(1e-9, precision + recall)
            rows.append(
                [f"{language}, {'as it is' if markup else 'without markup'}", len(its), found, precision, recall, f1]
            )
            if options.show:
                print(f"{rows[-1][0]}: wrong: {'; '.join(wrong[: options.show])}")
                print(f"{rows[-1][0]}: missed: {'; '.join(missed[: options.show])}")
    print_table("Components against the publishers' markup", ["pages", "n", "found", "precision", "recall", "F1"], rows)


def _compared(pages: list[dict[str, object]], docs: Path, language: str, *, markup: bool) -> tuple[list[str], ...]:
    """The names found rightly, found wrongly and missed, over pages; compared in their normal form."""
    right, wrong, missed = [], [], []
    for page in pages:
        text = (docs / str(page["path"])).read_text(encoding="utf-8")
        found = find_components(text if markup else _MARKUP.sub("", text), language)
        marked = {normal(name, language): str(name) for name in page["ui_components"]}  # type: ignore[attr-defined]
        marked = {key: name for key, name in marked.items() if key}
        reached = set()
        for component in found:
            forms = [normal(form, language) for form in (component.name, *component.shorter)]
            if hit := next((form for form in forms if form in marked), None):
                reached.add(hit)
                right.append(component.name)
            else:
                wrong.append(component.name)
        missed += [name for key, name in marked.items() if key not in reached]
    return right, wrong, missed


if __name__ == "__main__":
    main()
