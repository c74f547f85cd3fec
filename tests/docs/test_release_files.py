"""What a release needs agrees: the version everywhere, the changelog's order, the citation's fields, the policy."""

import re
import tomllib
from datetime import date
from itertools import pairwise
from pathlib import Path

import yaml

from assay import __version__

ROOT = Path(__file__).parents[2]
HEADINGS = re.findall(r"^## (?!Unreleased$)(.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_version_stands_in_one_place():
    """`pyproject.toml` reads it from the sources."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)
    assert "version" not in settings["project"]
    assert settings["project"]["dynamic"] == ["version"]
    assert settings["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "assay.__version__"}


def test_the_changelog_is_by_version_the_newest_first():
    matches = [re.fullmatch(r"(\d+\.\d+\.\d+)(?: - (\d{4}-\d\d-\d\d))?", heading) for heading in HEADINGS]
    assert all(matches), HEADINGS
    versions = [tuple(map(int, match[1].split("."))) for match in matches if match]
    assert all(newer > older for newer, older in pairwise(versions))
    assert HEADINGS[0].startswith(f"{__version__} - ")


def test_the_citation_has_the_fields_of_its_format():
    """The required fields of CFF 1.2.0 and those given, with their types; the version and the day of the changelog."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    fields = {"cff-version", "message", "title", "authors"}
    optional = {"type", "abstract", "version", "date-released", "license", "keywords"}
    assert fields <= citation.keys() <= fields | optional
    assert (citation["cff-version"], citation["type"], citation["license"]) == ("1.2.0", "software", "Apache-2.0")
    assert [list(author) for author in citation["authors"]] == [["name"]]
    assert len(citation["keywords"]) == len(set(citation["keywords"])) > 0
    assert str(citation["version"]) == __version__
    day = date.fromisoformat(citation["date-released"])
    assert HEADINGS[0] == f"{__version__} - {day.isoformat()}"
