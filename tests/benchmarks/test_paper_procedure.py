"""The paper's procedure and its tables, by hand, and the command."""

import json
from pathlib import Path

import numpy as np
import pytest
from paper_procedure import is_separating, main, paper_procedure, paper_tables, type_table
from tables_of_scores import score_table

from assay.meta_eval import ScoreTable


def test_separating_some_by_hand() -> None:
    ratings = np.array([1, 1, 1, 1, 1, 5, 1, 5, 5, 5.0])
    assert is_separating(np.arange(10.0), ratings, 3)  # the five lowest are all untrue
    assert is_separating(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1.0]), ratings, 3)
    assert not is_separating(np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1.0]), ratings, 3)  # four are too few
    assert not is_separating(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0]), ratings, 3)  # a true one among the low
    assert not is_separating(np.ones(10), ratings, 3)


def test_the_procedure_keeps_what_correlates_and_drops_what_ablation_does_not_miss() -> None:
    """m0 follows the ratings; m1 is m0 again, coarser, so that the sum is better without it; m2 is noise."""
    table = score_table(120, 3, signal=1.0, useful=1)
    scores = table.scores.copy()
    scores[:, 1] = np.floor(scores[:, 0] / 2) + np.random.default_rng(1).normal(scale=2, size=120)
    procedure = paper_procedure(ScoreTable(table.items, table.metrics, scores, table.ratings, table.raters), repeats=2)
    assert procedure is not None
    first, second, noise = procedure.steps
    assert (first.kept_by, second.kept_by) == ("correlation", "correlation")
    assert first.kept and not second.kept
    assert second.ablation is not None and first.rho == pytest.approx(second.ablation)  # m0 is what is left without m1
    assert (noise.kept_by, noise.ablation, noise.kept) == ("", None, False)
    assert procedure.metrics == ("m0",) and procedure.rho == pytest.approx(first.rho)
    assert procedure.out_of_fold.value and procedure.out_of_fold.value > 0.6


def test_the_procedure_says_when_it_keeps_nothing() -> None:
    generator = np.random.default_rng(4)
    ratings = generator.integers(1, 6, (60, 1)).astype(float)
    falling = -ratings + generator.normal(size=(60, 1))
    procedure = paper_procedure(ScoreTable(tuple(map(str, range(60))), ("m",), falling, ratings), repeats=1)
    assert procedure is not None
    assert (procedure.metrics, procedure.rho, procedure.p) == ((), None, None)
    assert procedure.out_of_fold.problem == "it keeps nothing in some part of the data"


def test_table_iii_by_hand() -> None:
    """Six messages. Binary: told three times, two of them rightly, of two: precision 2/3, recall 1, F1 .8."""
    true = ("binary", "binary", "instruction", "instruction", "error", "general", "")
    labels = ("binary", "binary", "instruction", "binary", "error", "error", "binary")
    rows = {row.label: row for row in type_table(true, labels)}
    binary = rows["binary"]
    assert (binary.n, binary.precision, binary.recall, binary.f1, binary.accuracy) == (
        (2, pytest.approx(2 / 3), 1.0, pytest.approx(0.8), pytest.approx(5 / 6))
    )
    assert rows["is binary or instruction"].f1 == 1.0
    assert (rows["all"].n, rows["all"].accuracy) == (6, pytest.approx(4 / 6))
    # weighted by how often a type occurs: binary .8 * 2, instruction 2/3 * 2, error 2/3 * 1, general 0
    assert rows["all"].f1 == pytest.approx((1.6 + 4 / 3 + 2 / 3) / 6)


def test_tables_iv_and_v_by_hand() -> None:
    ratings = np.array([[1.0], [1], [3], [5], [5], [5], [2]])
    scores = np.array([[1.0], [2.5], [3], [5], [4], [2], [np.nan]])
    table = ScoreTable(tuple("abcdefg"), ("heuristic",), scores, ratings)
    paper = paper_tables(table, None, "")
    assert (paper.deviations_of, paper.levels, paper.counts) == ("heuristic", (1, 2, 3, 4, 5), (2, 0, 1, 0, 3))
    shares = {row.condition: row.shares for row in paper.deviations}
    third = pytest.approx(1 / 3)
    assert shares == {
        "margin 1": (0.5, None, 1.0, None, pytest.approx(2 / 3)),
        "score == 1": (0.5, None, 0.0, None, 0.0),
        "score < 3": (1.0, None, 0.0, None, third),
        "score > 3": (0.0, None, 0.0, None, pytest.approx(2 / 3)),
        "score == 5": (0.0, None, 0.0, None, third),
    }
    (row,) = paper.correlations
    assert (row.label, row.n, row.stars) == ("all", 6, "")  # rho .78, p .07


def test_a_metric_off_the_scale_leaves_table_v_to_the_predictions() -> None:
    table = ScoreTable(
        tuple("abcdef"), ("heuristic",), np.full((6, 1), 0.5), np.array([[1.0], [2], [3], [4], [5], [5]])
    )
    paper = paper_tables(table, np.array([1.0, 2, 3, 4, 5, 5]), "faithfulness")
    assert paper.deviations_of == "faithfulness"
    assert paper.deviations[0].shares == (1.0,) * 5
    assert paper_tables(table, None, "").deviations == ()


def test_the_command_reads_scores_and_ratings_of_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty answers whose score follows the rating, as JSON and as tables."""
    rows = [f"a{number},{number % 5 + 1},{number % 5 + number / 100}" for number in range(20)]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["id,rating,good", *rows]), encoding="utf-8")
    main([str(file), "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["procedure"]["metrics"] == ["good"]
    assert report["procedure"]["steps"][0]["kept_by"] == "correlation"
    assert report["tables"]["counts"] == [4] * 5
    main([str(file)])
    shown = capsys.readouterr().out
    assert "It keeps good" in shown
    assert "Table IV" in shown and "Table V" in shown and "Table III" not in shown
