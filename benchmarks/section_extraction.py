"""Measures how well sections are extracted: headings against the publisher's own, text lost or doubled.

    python benchmarks/section_extraction.py --data FOLDER

FOLDER holds pdf_index.json (path and outline of each PDF), index.jsonl (path and headings of each Markdown file), and
the documents. Needs the extra `generation`.
"""

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table

from assay.generation import Section, extract_sections

_NUMBER = re.compile(
    r"^\s*(?:hoofdstuk|chapter|appendix|bijlage)?\s*(?:[\dA-Z](?:[.\d]*\d)?[.)]?)?\s+(?=\S)", re.IGNORECASE
)
_LIGATURES = str.maketrans({"ﬁ": "fi", "ﬂ": "fl", "’": "'", "‘": "'", "”": '"', "“": '"'})


class HeadingCounts(NamedTuple):
    """Headings of one document: how many were extracted, how many of these are right, and how many are marked."""

    right: int
    extracted: int
    marked: int


def main() -> None:
    """Prints a table for each kind of document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, required=True, help="Folder with pdf_index.json, index.jsonl and the documents."
    )
    data = parser.parse_args().data
    print_machine()
    outlines = {each["path"]: each["outline"] for each in json.loads((data / "pdf_index.json").read_text())}
    rows = []
    for path, outline in outlines.items():
        sections, seconds = timed(data / path)
        wanted = [entry["title"] for entry in outline]
        rows.append(
            [
                path,
                *headings_row(sections, wanted),
                *coverage_row(sections, raw_pdf(data / path)),
                coverage_row(sections, body_pdf(data / path))[0],
                len(sections),
                seconds,
            ]
        )
    print_table(
        "PDF: headings against the outline, characters against PDFium's own text",
        (*_HEADER[:8], "lost in body", *_HEADER[8:]),
        rows,
    )
    index = [json.loads(line) for line in (data / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    marked = [each for each in index if each["path"].endswith(".md")]
    print_table(
        "Markdown: headings against index.jsonl, characters against the file",
        _HEADER,
        kinds(data, marked, as_html=False),
    )
    print_table("The same as HTML (by markdown-it), read as HTML", _HEADER, kinds(data, marked, as_html=True))


_HEADER = ("document", "headings", "found", "precision", "recall", "F1")
_HEADER += ("letters lost", "doubled", "sections", "seconds")


def kinds(data: Path, marked: Sequence[dict[str, object]], *, as_html: bool) -> list[list[object]]:
    """Builds one row per kind of document, with sums over its files."""
    from markdown_it import MarkdownIt

    sums: dict[str, list[tuple[HeadingCounts, tuple[int, int, int], int, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for each in marked:
            path = data / str(each["path"])
            text = path.read_text(encoding="utf-8")
            if as_html:
                html_file = Path(folder) / f"{path.stem}.html"
                html_file.write_text(
                    f"<html><body><main>{MarkdownIt('commonmark').enable('table').render(text)}</main></body></html>",
                    encoding="utf-8",
                )
                path = html_file
            sections, seconds = timed(path)
            wanted = [str(heading) for heading in each["headings"]]  # type: ignore[attr-defined]
            counts = match_headings(list_headings(sections), wanted)
            sums.setdefault(str(each["kind"]), []).append((counts, coverage(sections, text), len(sections), seconds))
    rows = []
    for kind, counts in sums.items():
        right, extracted, in_file = (sum(getattr(f[0], name) for f in counts) for name in HeadingCounts._fields)
        lost, doubled, letters = (sum(f[1][place] for f in counts) for place in range(3))
        rows.append(
            [
                *(f"{kind} ({len(counts)})", in_file, extracted, *rates(HeadingCounts(right, extracted, in_file))),
                *(f"{lost / letters:.2%}", f"{doubled / letters:.2%}"),
                *(sum(f[2] for f in counts), sum(f[3] for f in counts)),
            ]
        )
    return rows


def timed(path: Path) -> tuple[list[Section], float]:
    """The sections of a document, and the seconds that they took."""
    begun = time.perf_counter()
    (document,) = extract_sections([path])
    if document.error is not None:
        raise SystemExit(str(document.error))
    return document.sections, time.perf_counter() - begun


def list_headings(sections: Iterable[Section]) -> list[str]:
    """Every heading that was found, once a place where it stands."""
    headings: list[str] = []
    open_: tuple[str, ...] = ()
    for section in sections:
        path = (*section.above, section.heading) if section.heading else section.above
        shared = next(
            (n for n, (a, b) in enumerate(zip(path, open_, strict=False)) if a != b), min(len(path), len(open_))
        )
        headings += path[shared:] if path != open_ else path[-1:]
        open_ = path
    return headings


def match_headings(headings: Sequence[str], wanted: Sequence[str]) -> HeadingCounts:
    """How many headings are right, letters only and numbering aside, each wanted one once."""
    left = Counter(map(plain, wanted))
    right = 0
    for heading in headings:
        for form in dict.fromkeys((plain(heading), plain(_NUMBER.sub("", heading, count=1)))):
            if left[form] > 0:
                left[form] -= 1
                right += 1
                break
    return HeadingCounts(right, len(headings), len(wanted))


def plain(heading: str) -> str:
    """A heading's letters and digits in lower case."""
    return re.sub(r"[\W_]+", "", heading.translate(_LIGATURES).casefold())


def headings_row(sections: Sequence[Section], wanted: Sequence[str]) -> list[object]:
    """Headings there, found, precision, recall, F1; the last three not said where none are marked."""
    counts = match_headings(list_headings(sections), wanted)
    return [counts.marked, counts.extracted, *(rates(counts) if wanted else (None, None, None))]


def rates(counts: HeadingCounts) -> tuple[float, float, float]:
    """Precision, recall, F1."""
    return (
        counts.right / max(1, counts.extracted),
        counts.right / max(1, counts.marked),
        2 * counts.right / max(1, counts.extracted + counts.marked),
    )


def coverage_row(sections: Sequence[Section], raw: str) -> list[object]:
    """Shares of the raw text's letters that are lost, and that come twice."""
    lost, doubled, letters = coverage(sections, raw)
    return [f"{lost / letters:.2%}", f"{doubled / letters:.2%}"]


def coverage(sections: Sequence[Section], raw: str) -> tuple[int, int, int]:
    """Letters and digits lost, those too many, and all of the raw text: by words, each as often as it stands there."""
    extracted_words = words("\n".join([*list_headings(sections), *(section.text for section in sections)]))
    there = words(raw)
    return size(there - extracted_words), size(extracted_words - there), size(there)


def words(text: str) -> Counter[str]:
    """The text's words; those parted by a hyphen at a line's end as one."""
    joined = re.sub(r"(?<=\w)(?:-|\u00ad|\x02|\ufffe)\s*\n\s*(?=\w)", "", text.translate(_LIGATURES))
    return Counter(re.findall(r"[^\W_]+", re.sub(r"[\u00ad\x02\ufffe]|(?<=\w)-(?=\w)", "", joined).casefold()))


def size(counted: Counter[str]) -> int:
    """The letters of counted words."""
    return sum(len(word) * count for word, count in counted.items())


def raw_pdf(path: Path) -> str:
    """All text of a PDF as PDFium gives it."""
    return "\n".join(pdf_pages(path))


def body_pdf(path: Path) -> str:
    """The same without pages with a table of contents, and without each page's first and last line."""
    pages = [page.strip().splitlines() for page in pdf_pages(path)]
    contents = re.compile(r"(?:\.\s?){4,}\s*\d+\s*$")
    return "\n".join("\n".join(lines[1:-1]) for lines in pages if sum(bool(contents.search(x)) for x in lines) < 3)


def pdf_pages(path: Path) -> list[str]:
    """The text of each page."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        return [page.get_textpage().get_text_range() for page in document]


if __name__ == "__main__":
    main()
