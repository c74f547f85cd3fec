"""Writes docs/evidence.md, its tables and that of the README from the committed results, or checks them.

    python benchmarks/evidence.py [--check] [--older]

The results are `benchmarks/results/*.json`, one file per measurement (`measurement.py` describes the form), and
`benchmarks/results/cards/*.json`, the cards that `assay judges card` writes. After measuring something again, change
its file and run this command. Whether a sentence says better, worse, or that nobody can tell yet is derived from the
figures, so change figures and words, never the page. A figure that is older than the code that it is about says so
wherever it stands: after a change of code, run this command too. `--check` writes nothing and ends with 1 if a page
differs; `--older` lists the commands that measure the older ones again.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import checkout  # noqa: F401
from card_evidence import CARDS, JudgedSet, read_judged_sets, tabulate_judges, tabulate_set
from finding import FindingSentence, Outcome, write_findings
from measurement import NOT_RECORDED, RESULTS, ROOT, Measurement, Topic, anchor, describe_age, read_measurements

from assay.errors import InputError
from assay.presentation import Column, Content, Figure, ResultTable, as_text, table_lines

PAGE = Path("docs/evidence.md")
TABLES = Path("benchmarks/results/tables.md")
README = Path("README.md")
BEGIN, END = "<!-- evidence: begin -->", "<!-- evidence: end -->"
README_JUDGE = "qwen1.5b"  # the judge of the README's demo
_OUTCOMES: dict[Outcome, str] = {
    "holds": "What holds",
    "fails": "What does not hold",
    "open": "What nobody can tell yet",
}
_TOPICS: dict[Topic, str] = {
    "people": "Answers that people rated",
    "conversations": "Conversations",
    "decisions": "Decisions between versions",
    "numbers": "Numerical claims",
    "constructed": "Planted faults and labels of our own",
    "speed": "Speed and cost",
    "elsewhere": "Figures on other pages",
}
_VERDICTS: dict[Outcome, str] = {"holds": "the judge", "fails": "token overlap", "open": "nobody can tell yet"}
_INTRODUCTION = """# Evidence

What was found of Assay's metrics and of small judges: what holds, what does not, and what nobody can tell yet. Only
your own ratings tell what holds for your chatbot: [`assay meta`](meta.md).

- A sentence says *better* or *worse* only where the interval of the difference leaves out 0 (or the bound that the
  sentence names). Agreement is Spearman's rho with the ratings, from -1 to 1. Square brackets are 95% intervals, each
  by itself.
- Most rated sets were used for development, so that a figure may be too good. Cards are of the halves called `dev`.
- The judges are small models on a processor. Nothing here is about large ones; [`assay judges compare`](judges.md)
  tells how yours does.
- *Older than its code*: measured before the last change of the code that it is about; what changed stands under the
  table.
- [The tables](../benchmarks/results/tables.md) have the data, date, commit and command of each figure. Both pages are
  made by `python benchmarks/evidence.py`.
"""
_TABLES_INTRODUCTION = """# Tables of the evidence

Every table behind [the evidence](../../docs/evidence.md), made by `python benchmarks/evidence.py`;
[figures](figures.md) of other pages are kept by hand. A figure that is older than the last change of its code says so
in the line under it.
"""


def write_page(measurements: Sequence[Measurement], judged: Sequence[Sequence[JudgedSet]]) -> str:
    """The page on what was found, as Markdown."""
    of_cards = [_with_age(one.sentence, measurements) for judges in judged for one in judges]
    parts = [_INTRODUCTION]
    for outcome, heading in _OUTCOMES.items():
        parts.append(f"## {heading}\n")
        parts += _list_sentences("Cards of judges", of_cards, outcome)
        for topic, group in groupby(measurements, key=lambda one: one.topic):
            sentences = [_with_age(sentence, [one]) for one in group for sentence in write_findings(one)]
            parts += _list_sentences(_TOPICS[topic], sentences, outcome)
    return "\n".join(parts)


def write_tables(measurements: Sequence[Measurement], judged: Sequence[Sequence[JudgedSet]]) -> str:
    """Every table, as Markdown."""
    parts = [_TABLES_INTRODUCTION, "## Cards of judges\n"]
    parts += _write_cards(judged, [one for one in measurements if one.cards])
    for topic, group in groupby(measurements, key=lambda one: one.topic):
        parts.append(f"## {_TOPICS[topic]}\n")
        if topic == "elsewhere":
            parts.append("\n".join(map(_quote_line, sorted(group, key=lambda one: one.quotes[0].page))) + "\n")
        else:
            parts += [_write_measurement(one) for one in group if one.tables]
    return "\n".join(parts)


def write_readme_table(measurements: Sequence[Measurement], judged: Sequence[Sequence[JudgedSet]]) -> str:
    """The README's table: agreement with people of the demo's judge beside token overlap, one row per set."""
    cards = [one for judges in judged for one in judges if one.card.judge == README_JUDGE and one.is_rated_by_people]
    rows: list[tuple[Content, ...]] = [
        (
            one.name,
            f"{one.entry.answers:,} in {one.entry.groups:,}",
            Figure.from_estimate("coefficient", one.entry.judge.spearman),
            Figure.from_estimate("coefficient", one.overlap.spearman) if one.overlap else "",
            _VERDICTS[one.outcome],
        )
        for one in cards
    ]
    heads = ("rated by people", "answers, groups", f"judge {README_JUDGE}", "token overlap", "which agrees better")
    columns = tuple(Column(head, "figure" if 1 < place < 4 else "name") for place, head in enumerate(heads))
    return "\n".join(
        [
            BEGIN,
            "How far a small judge agrees with other people's ratings, beside counting shared words (Spearman's rho,",
            f"95% intervals; [what else was found, and what was not]({PAGE.as_posix()})):",
            "",
            *table_lines(ResultTable("", columns, tuple(rows))),
            *_ages_of_readme(measurements),
            END,
        ]
    )


def replace_block(text: str, block: str, name: str) -> str:
    """Puts the table between the markers of a page."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in after or END in after:
        raise InputError(
            f"{name}: the lines {BEGIN} and {END} do not stand there once each; write them where the table goes"
        )
    return f"{before}{block}{after}"


def make_pages(root: Path = ROOT, results: Path = RESULTS, cards: Path = CARDS) -> dict[Path, str]:
    """The pages as they should be: path below the checkout, and text."""
    measurements, judged = read_measurements(results), read_judged_sets(cards)
    named = {name for measurement in measurements for name in measurement.cards}
    for file in sorted(cards.glob("*.json")):
        if file.name not in named:
            raise InputError(f"{file}: no measurement names it; add it to the field cards of judge-cards.json")
    block = write_readme_table(measurements, judged)
    readme = replace_block((root / README).read_text(encoding="utf-8"), block, README.name)
    return {
        PAGE: write_page(measurements, judged),
        TABLES: write_tables(measurements, judged),
        README: readme,
    }


def _ages_of_readme(measurements: Sequence[Measurement]) -> list[str]:
    ages = dict.fromkeys(filter(None, (describe_age(one) for one in measurements if one.cards)))
    return ["", *(f"{age[0].upper()}{age[1:]}." for age in ages)] if ages else []


def _with_age(sentence: FindingSentence, sources: Sequence[Measurement]) -> FindingSentence:
    """The sentence of a measurement, or of the measurement that made the cards, with whether its code has changed."""
    is_older = any(describe_age(one) for one in sources if one.cards or len(sources) == 1)
    return replace(sentence, text=f"{sentence.text} Older than its code.") if is_older else sentence


def _list_sentences(heading: str, sentences: Iterable[FindingSentence], outcome: Outcome) -> list[str]:
    """The sentences with one outcome as a list under their heading; nothing where there is none."""
    tables = f"../{TABLES.as_posix()}"
    lines = [f"- {one.text} [Table]({tables}#{anchor(one.title)})" for one in sentences if one.outcome == outcome]
    return [f"**{heading}**\n", "\n".join(lines) + "\n"] if lines else []


def _write_cards(judged: Sequence[Sequence[JudgedSet]], sources: Sequence[Measurement]) -> Iterator[str]:
    for source in sources:
        if source.about:
            yield f"{source.about}\n"
        yield f"{_provenance(source)}\n"
    for judges in judged:
        first = judges[0]
        yield f"### {first.title}\n"
        yield f"{as_text(first.entry.rated, 400)}\n"
        table = tabulate_set(judges)
        yield "\n".join(table_lines(table)) + "\n"
        if table.note:
            yield f"{as_text(table.note, 400)}\n"
        made = "; ".join(
            f"{as_text(one.card.judge)} {one.card.date}, Assay {as_text(one.card.assay)}" for one in judges
        )
        scored = "; ".join(f"{one.entry.scored} of {one.entry.answers} by {as_text(one.card.judge)}" for one in judges)
        yield f"**scored** {scored} · **groups** {first.entry.groups} · **cards** {made}\n"
    for table in tabulate_judges(one for judges in judged for one in judges):
        yield f"### {table.caption} by judge and set\n"
        yield "\n".join(table_lines(table)) + f"\n\n{as_text(table.note, 600)}\n"


def _write_measurement(one: Measurement) -> str:
    parts = [f"### {one.title}\n"]
    if one.about:
        parts.append(f"{one.about}\n")
    for table in one.tables:
        if table.caption:
            parts.append(f"{table.caption}:\n")
        parts.append("\n".join(table_lines(table.as_result_table())) + "\n")
    return "\n".join([*parts, f"{_provenance(one)}\n"])


def _provenance(one: Measurement) -> str:
    """The line under a table: what it is of, and how it was measured."""
    fields = {"data": one.set, "n": one.n, "groups": one.groups, "intervals": one.interval, "machine": one.machine}
    facts = [f"**{name}** {NOT_RECORDED if value in (None, '') else value}" for name, value in fields.items()]
    facts += [f"**development** {one.development.rstrip('.')}"] if one.development else []
    return " · ".join([*facts, f"**measured** {_measured_at(one)}", f"`{one.command}`"])


def _measured_at(one: Measurement) -> str:
    day = NOT_RECORDED if one.date is None else one.date.isoformat()
    changed = f", {describe_age(one).partition(', ')[2]}" if one.commit and describe_age(one) else ""
    return f"{day}, commit {NOT_RECORDED if one.commit is None else f'`{one.commit}`'}{changed}"


def _quote_line(one: Measurement) -> str:
    page = Path(one.quotes[0].page)
    link = page.name if page.parent == TABLES.parent else f"../../{page.as_posix()}"
    return f"- [{page.stem}]({link}): {one.title}; {_measured_at(one)}; `{one.command}`"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a page differs")
    parser.add_argument("--older", action="store_true", help="list what is older than the code that it is about")
    options = parser.parse_args()
    try:
        if options.older:
            print(
                *(f"{one.command}  # {one.id}: {age}" for one in read_measurements() if (age := describe_age(one))),
                sep="\n",
            )
            return
        pages = make_pages()
    except InputError as error:
        sys.exit(f"evidence.py: {error}")
    old = [path for path, text in pages.items() if not _is_file_with(ROOT / path, text)]
    for path in old:
        if options.check:
            print(f"{path}: differs from what the results say; run python benchmarks/evidence.py")
        else:
            (ROOT / path).write_text(pages[path], encoding="utf-8")
            print(f"{path}: written")
    if not old:
        print("the pages are up to date")
    sys.exit(1 if old and options.check else 0)


def _is_file_with(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    main()
