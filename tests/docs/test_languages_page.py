"""The table of languages in `docs/your-data.md` says what the language packs can do."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
