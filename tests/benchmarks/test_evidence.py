"""The page on what was found is what the results say: its text, its links, and each sentence's outcome."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import evidence
import pytest
from card_evidence import read_judged_sets
from finding import decide, write_findings
from measurement import Measurement, Quote, anchor, read_measurements

from assay.meta_eval import Estimate
from assay.runs import CardAgreement
from assay.runs.judging import JudgeCard, SetCard

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
TABLES = (ROOT / evidence.TABLES).read_text(encoding="utf-8")
HEADINGS = re.findall(r"^#+ (.+)$", TABLES, re.MULTILINE)
NOTHING = Estimate(None, problem="not measured")


@pytest.mark.parametrize("path", [evidence.PAGE, evidence.TABLES, evidence.README], ids=str)
def test_pages_are_what_the_command_writes(path):
    """If this fails: python benchmarks/evidence.py"""
    assert (ROOT / path).read_text(encoding="utf-8") == evidence.make_pages()[path]


def test_the_readme_says_what_was_found_before_it_asks_for_your_own_file():
    """The table stands further below."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("](docs/evidence.md)") < readme.index("## Your own answers") < readme.index(evidence.BEGIN)


def test_each_heading_stands_once_and_each_link_leads_somewhere():
    assert len(set(map(anchor, HEADINGS))) == len(HEADINGS)
    anchors = set(map(anchor, HEADINGS))
    count = 0
    for page, text in ((evidence.PAGE, PAGE), (evidence.TABLES, TABLES)):
        for link in re.findall(r"\]\(([^)]+)\)", text):
            count += 1
            file, _, place = link.partition("#")
            assert (ROOT / page.parent / file).exists(), link
            if file.endswith(evidence.TABLES.name) and place:
                assert place in anchors, link
    assert count > 50


def test_each_table_has_its_provenance():
    """The line under a table, and the command; the sections in their order."""
    shown = [one for one in read_measurements() if one.tables or one.cards]
    assert TABLES.count("**measured** ") == len(shown)
    places = [
        PAGE.index(f"\n## {heading}\n") for heading in ("What holds", "What does not hold", "What nobody can tell yet")
    ]
    assert places == sorted(places)
    for one in shown:
        assert f"`{one.command}`" in TABLES
        assert f"\n### {one.title}\n" in TABLES or one.cards  # which are a section with a heading for each set


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with the pages as they are, for the command."""
    (tmp_path / "docs").mkdir()
    (tmp_path / evidence.TABLES.parent).mkdir(parents=True)
    for path in (evidence.PAGE, evidence.TABLES, evidence.README):
        (tmp_path / path).write_text((ROOT / path).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(evidence, "ROOT", tmp_path)
    return tmp_path


def run_command(monkeypatch, *words):
    """Runs the command; its exit code."""
    monkeypatch.setattr("sys.argv", ["evidence.py", *words])
    with pytest.raises(SystemExit) as end:
        evidence.main()
    return end.value.code


def test_a_stale_page_fails_the_check_and_is_written_anew(checkout, monkeypatch, capsys):
    assert run_command(monkeypatch, "--check") == 0
    page = checkout / evidence.PAGE
    page.write_text(PAGE.replace("0.70 [0.53, 0.80]", "0.80 [0.63, 0.90]"), encoding="utf-8")
    assert run_command(monkeypatch, "--check") == 1
    assert (
        "docs/evidence.md: differs from what the results say; run python benchmarks/evidence.py"
        in capsys.readouterr().out
    )
    assert page.read_text(encoding="utf-8") != PAGE, "a check writes nothing"
    assert run_command(monkeypatch) == 0
    assert page.read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize(
    ("low", "high", "bound", "wanted", "outcome"),
    [
        (0.02, 0.20, 0, "above", "holds"),
        (-0.20, -0.02, 0, "above", "fails"),
        (-0.02, 0.20, 0, "above", "open"),
        (0.00, 0.20, 0, "above", "open"),  # an end on the bound decides nothing
        (-0.20, 0.00, 0, "above", "open"),
        (None, None, 0, "above", "open"),
        (-0.20, -0.02, 0, "below", "holds"),
        (0.00, 0.012, 0.05, "below", "holds"),  # at most 1.2% false alarms, where 5% are allowed
        (0.34, 0.62, 0.05, "below", "fails"),
        (0.04, 0.22, 0.05, "below", "open"),
        (0.59, 0.75, 0.95, "above", "fails"),  # coverage below its target
        (0.87, 0.97, 0.95, "above", "open"),
    ],
)
def test_the_interval_decides(low, high, bound, wanted, outcome):
    assert decide(low, high, bound, wanted) == outcome


def measure(low, high):
    """A measurement of one difference, 60 answers in 7 groups, with a claim about it and one without an interval."""
    place = {"row": "judge", "column": "less", "label": "difference"}
    words = {
        "subject": "the judge",
        "holds": "agrees better",
        "fails": "agrees worse",
        "question": "agrees better or worse",
        "where": "on A",
    }
    columns = [{"head": "metric"}, {"head": "less", "kind": "correlation"}, {"head": "rho", "kind": "coefficient"}]
    value = {"value": (low + high) / 2, "low": low, "high": high}
    fields: dict[str, Any] = {
        "id": "a",
        "title": "A",
        "topic": "people",
        "command": "assay run",
        "commit": None,
        "date": None,
        "code": ["metrics"],
        "n": 60,
        "groups": 7,
        "tables": [{"columns": columns, "rows": [["judge", value, 0.5], ["overlap", None, 0.25]]}],
        "findings": [
            words | {"estimate": place},
            words | {"beside": [{"row": name, "column": "rho", "label": name} for name in ("judge", "overlap")]},
        ],
    }
    return Measurement(**fields)


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [
        (0.1, 0.3, "The judge agrees better on A: difference +0.20 [+0.10, +0.30] (n = 60 in 7 groups)."),
        (-0.3, -0.1, "The judge agrees worse on A: difference -0.20 [-0.30, -0.10] (n = 60 in 7 groups)."),
        (
            -0.1,
            0.3,
            "Nobody can tell yet whether the judge agrees better or worse on A: difference +0.10 [-0.10, +0.30] "
            "(n = 60 in 7 groups).",
        ),
    ],
)
def test_the_words_follow_from_the_figures(low, high, sentence):
    assert write_findings(measure(low, high))[0].text == sentence


def test_a_figure_older_than_its_code_says_so_wherever_it_stands(monkeypatch, tmp_path):
    """In its sentence, under its table, in the list of other pages' figures, and under the README's table: when it was
    measured, and what changed, but in the sentence only that it is older."""
    age = "measured at `0123456`, before `metrics` changed"
    monkeypatch.setattr(evidence, "describe_age", lambda one: age)
    dated = measure(0.1, 0.3).model_copy(update={"commit": "0123456", "date": date(2026, 1, 1)})
    quoted = dated.model_copy(
        update={
            "topic": "elsewhere",
            "tables": [],
            "findings": [],
            "quotes": [Quote(page="docs/a.md", text="a figure")],
        }
    )
    page = evidence.write_page([dated, quoted], [])
    assert "(n = 60 in 7 groups). Older than its code. [Table](../benchmarks/results/tables.md#a)" in page
    tables = evidence.write_tables([dated, quoted], [])
    assert tables.count("2026-01-01, commit `0123456`, before `metrics` changed") == 2
    (tmp_path / "a.json").write_text(judge_card("qwen1.5b", 0.5, BETTER).model_dump_json())
    made_cards = dated.model_copy(update={"cards": ["a.json"]})
    judged = read_judged_sets(tmp_path)
    readme = evidence.write_readme_table([made_cards], judged)
    assert "\nMeasured at `0123456`, before `metrics` changed.\n" in readme
    assert "groups). Older than its code. [Table]" in evidence.write_page([made_cards], judged)


def test_without_the_interval_of_the_difference_nobody_can_tell():
    """However far apart the two figures are."""
    assert write_findings(measure(0.1, 0.3))[1].text == (
        "Nobody can tell yet whether the judge agrees better or worse on A: judge 0.50; overlap 0.25 "
        "(n = 60 in 7 groups; no interval of the difference was recorded)."
    )


def agreement(name, value):
    """An agreement on 60 answers in 7 groups."""
    rho = NOTHING if value is None else Estimate(value, value - 0.1, value + 0.1, n=60, groups=7)
    return CardAgreement(name=name, spearman=rho)


def judge_card(judge, rho, difference, name="public:mtrag:dev"):
    """A card of one set, on which token overlap agrees by 0.4."""
    entry = SetCard(
        set_name=name,
        rated="answers, rated 1 to 4 by people",
        metric="faithfulness",
        digest="0123456789abcdef",
        most=60,
        answers=60,
        groups=7,
        scored=60,
        skipped=0,
        failed=0,
        judge=agreement("faithfulness", rho),
        baselines=(agreement("answer_length", -0.2), agreement("token_overlap", 0.4)),
        difference=difference,
        ceiling=Estimate(0.84, n=60, groups=7),
        one_rater=Estimate(0.48, n=60, groups=7),
        position=NOTHING,
        style=NOTHING,
        flips=NOTHING,
        injections=None,
        cost=None,
        unparsable=NOTHING,
        lost=NOTHING,
    )
    day = date(2026, 11, 28)
    return JudgeCard(judge=judge, model=judge, assay="0.2.0", date=day, seed=0, probed=20, sets=(entry,))


BETTER = Estimate(0.1, 0.02, 0.18, n=60, groups=7)
WORSE = Estimate(-0.2, -0.3, -0.1, n=60, groups=7)
TOO_FEW = Estimate(0.1, n=60, groups=3, problem="an interval needs 5 groups that differ")


@pytest.mark.parametrize(
    ("difference", "heading", "sentence"),
    [
        (BETTER, "What holds", "Faithfulness by qwen1.5b agrees better with the ratings than token overlap on "),
        (WORSE, "What does not hold", "Faithfulness by qwen1.5b agrees worse with the ratings than token overlap on "),
        (
            TOO_FEW,
            "What nobody can tell yet",
            "Nobody can tell yet whether faithfulness by qwen1.5b agrees better or worse with the ratings than token "
            "overlap on ",
        ),
    ],
)
def test_a_card_gives_its_sentence_and_its_table(tmp_path, difference, heading, sentence):
    (tmp_path / "a.json").write_text(judge_card("qwen1.5b", 0.5, difference).model_dump_json())
    judged = read_judged_sets(tmp_path)
    page = evidence.write_page([], judged)
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    assert f"- {sentence}" in section
    assert "(n = 60 in " in section
    assert "[Table](../benchmarks/results/tables.md#judges-by-faithfulness-on-public-mtrag-dev)" in section
    tables = evidence.write_tables([], judged)
    assert "\n### Judges by faithfulness on public mtrag dev\n" in tables
    assert "| qwen1.5b | 0.50 [0.40, 0.60] |" in tables
    assert "| token overlap | 0.40 [0.30, 0.50] |" in tables
    assert page.count(sentence.removeprefix("Nobody can tell yet whether ")) == 1


def test_the_readme_shows_the_demos_judge_on_what_people_rated(tmp_path):
    """Not the other judge, and not the conversations whose ratings are computed."""
    (tmp_path / "a.json").write_text(judge_card("qwen1.5b", 0.5, BETTER).model_dump_json())
    (tmp_path / "b.json").write_text(judge_card("qwen0.5b", 0.2, WORSE).model_dump_json())
    (tmp_path / "c.json").write_text(judge_card("qwen1.5b", 0.3, WORSE, name="public:tau:dev").model_dump_json())
    table = evidence.write_readme_table(read_measurements(), read_judged_sets(tmp_path))
    rows = [line for line in table.splitlines() if line.startswith("| public")]
    assert rows == ["| public:mtrag:dev | 60 in 7 | 0.50 [0.40, 0.60] | 0.40 [0.30, 0.50] | the judge |"]


def test_names_on_a_card_do_nothing_in_the_page(tmp_path):
    (tmp_path / "a.json").write_text(judge_card("<b>|x", 0.5, BETTER, name="[a](http://b.example)").model_dump_json())
    page = evidence.write_page([], judged := read_judged_sets(tmp_path)) + evidence.write_tables([], judged)
    assert "<b>" not in page
    assert "[a](" not in page
