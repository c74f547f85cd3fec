"""`assay numeric facts`."""

from pathlib import Path

import pytest

CSV = "date,x_mbps,y_mbps,z\n" + "".join(f"2026-03-{day:02},{day},{2 * day},5\n" for day in range(1, 10))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "kpi.csv"
    path.write_text(CSV.replace("2026-03-04,4,", "2026-03-04,,"), encoding="utf-8")
    return path


def test_facts_of_a_series_and_a_pair(assay, table):
    done = assay("numeric", "facts", table, "--json")
    assert done.code == 0
    (facts,) = done.json["tables"]
    assert (facts["table"], facts["rows"], facts["from"], facts["to"]) == ("kpi", 9, "2026-03-01", "2026-03-09")
    x, y, _ = facts["series"]
    # 1, 2, 3, 5, ..., 9: sum 41 of 8 values
    assert (x["n"], x["missing"], x["sum"], x["mean"], x["median"]) == (8, 1, 41, 5.125, 5.5)
    assert (x["minimum"], x["minimum_at"], x["maximum_at"]) == (1, ["2026-03-01"], ["2026-03-09"])
    assert (x["first"], x["last"], x["change"], x["percent_change"]) == (1, 9, 8, 800)
    assert (y["trend"]["slope"], y["trend"]["step"], y["trend"]["direction"]) == (pytest.approx(2), "day", "up")
    assert [each["method"] for each in y["anomalies"]] == ["robust z-score", "distance from the trend (Theil-Sen)"]
    pair = facts["pairs"][0]
    assert (pair["n"], pair["mean_difference"], pair["second_higher"], pair["ratio_of_means"]) == (8, -5.125, 8, 0.5)
    assert pair["correlation"] == pytest.approx(1)
    assert facts["pairs"][1]["mean_difference"] is None  # Mbps and no unit
    assert facts["pairs"][1]["correlation"] is None  # z never changes


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("none.csv",), 1, "none.csv: cannot be read"),
        (("kpi.csv", "--series", "w"), 2, "kpi has no series 'w'; it has x_mbps, y_mbps, z"),
        (("kpi.csv", "--sheet", "w"), 2, "has no table 'w'; it has kpi"),
        (("kpi.pdf",), 1, "no table is read from `.pdf`"),
        (("empty.md",), 1, "holds no table"),
    ],
)
def test_what_goes_wrong_is_one_line(assay, table, words, code, says):
    (table.parent / "empty.md").write_text("Nothing here.")
    done = assay("numeric", "facts", *words)
    assert (done.code, done.out, says in done.err) == (code, "", True)
    assert done.err.count("\n") == 1


def test_texts_of_a_table_do_not_break_the_terminal(assay, tmp_path):
    (tmp_path / "t.csv").write_text("[bold]x\x1b[31m,y\n1,2\n3,4\n", encoding="utf-8")
    done = assay("numeric", "facts", "t.csv")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "[bold]x" in done.out
