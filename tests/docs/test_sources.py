"""The page of sources has every paper that the documentation and the code name, and none that they do not."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "sources.md"
_NAME = r"[A-ZÀ-Ž][\wÀ-ž'’-]+"
_CITED = re.compile(
    rf"({_NAME})(?:,? {_NAME})*(?:,? (?:and {_NAME}(?: {_NAME})?|et al\.?))?,? \(?((?:18|19|20)\d\d)\)?(?!\d)"
)
_FEWEST_SIGNS = re.compile(r" and | et al|\(\d{4}\)|, \d{4}")  # "March 2024" is no paper
_NO_AUTHORS = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December|Q[1-4]|FY|KP|Run|In|For)\b"
)


_NO_NAMES = {"CR2", "G-Eval", "How", "Mondrian"}  # what stands before a citation and reads like its first author


def cited(text):
    """(first author, year) of each paper that a text names."""
    for match in _CITED.finditer(" ".join(text.split())):
        if _FEWEST_SIGNS.search(match[0]) and not _NO_AUTHORS.search(match[0]):
            authors = [name for name in re.findall(_NAME, match[0]) if name not in _NO_NAMES]
            yield authors[0].removesuffix("'s"), match[2]


def sources():
    """(first author, year) of each entry of the page."""
    entries = re.findall(r"^(?:\*\*|\| )(.+?\(\d{4}\))(?:\*\*| \|)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {next(cited(entry)) for entry in entries}


@cache
def papers():
    """(file, first author, year) of each paper that a file names."""
    return [(path, name, year) for path, text in texts() for name, year in cited(text)]


def texts():
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in {"tests", "build", "site"}]
    for folder in folders:
        for path in [*folder.rglob("*.py"), *folder.rglob("*.md")]:
            if (
                path != PAGE
                and not path.name.startswith(".")
                and folder.name[0] != "."
                and "leaflets" not in path.parts
            ):
                yield path, path.read_text(encoding="utf-8")


def test_a_citation_is_read_as_its_first_author_and_year():
    text = "as Fong, Holmes and Walker (2023) do (Tukey, 1958; Es et al., 2023), in March 2024, on May 3, 2025"
    assert [*cited(text)] == [("Fong", "2023"), ("Tukey", "1958"), ("Es", "2023")]


def test_the_page_of_sources_has_every_paper_that_is_named():
    known = sources()
    assert len(known) > 80
    unknown = {
        f"{path.relative_to(ROOT)}: {name} ({year})" for path, name, year in papers() if (name, year) not in known
    }
    assert unknown == set()


def test_every_source_is_named_somewhere():
    assert sources() - {(name, year) for _, name, year in papers()} == set()
