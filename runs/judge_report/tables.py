"""The tables and sentences of a comparison of judges."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...meta_eval.estimate import Estimate
from ...presentation.figure import Figure, format_p, format_price
from ...presentation.result_table import Block, Column, Paragraph, ResultTable
from ..judge_comparison import JudgeComparison, JudgeFindings, Unit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_SAME = "* every reply about these claims is the same to the letter: as a rule no question had the change"


def comparison_block(comparison: JudgeComparison) -> Block:
    """The advice, the judges, how their agreement differs, and what panels and probes give."""
    parts: list[Paragraph | ResultTable] = [_line(comparison.advice), judge_table(comparison)]
    parts += map(_line, _pair_lines(comparison))
    parts += _claim_lines(comparison)
    parts += map(_line, _panel_lines(comparison))
    if comparison.probes:
        parts.append(probe_table(comparison))
    return Block(tuple(parts))


def _line(text: str) -> Paragraph:
    return Paragraph(text, is_whole=True)


def judge_table(comparison: JudgeComparison, keys: Mapping[str, str] | None = None) -> ResultTable:
    """What is known of each judge.

    Args:
        comparison: The comparison.
        keys: The letter of each judge in the chart; left out without a chart.
    """
    columns = (
        *([Column("", "text")] if keys is not None else []),
        Column("judge", "name"),
        Column("n", detail="wide"),
        Column("failed"),
        Column("unparsable", detail="wide"),
        Column("Spearman with rating", "estimate"),
        Column("same when asked again", detail="wide"),
        Column("tokens", detail="wide"),
        Column("USD"),
        Column("s"),
        Column("frontier", detail="wide"),
    )
    rows = tuple(
        (
            *([keys.get(judge.judge, "")] if keys is not None else []),
            judge.judge,
            Figure("count", judge.samples),
            Figure("share", judge.failed),
            _unparsable(judge),
            _agreement(judge.agreement),
            "not asked" if judge.consistency is None else Figure("share", judge.consistency),
            Figure("count", judge.tokens),
            Figure("price", judge.usd),
            Figure("count", judge.seconds),
            "yes" if judge.on_frontier else "",
        )
        for judge in comparison.judges
    )
    caption = f"Judges by {comparison.metric}; cost and time of 1,000 answers"
    return ResultTable(caption, columns, rows, tuple("chosen" if one.on_frontier else "" for one in comparison.judges))


def _unparsable(judge: JudgeFindings) -> str:
    if judge.unparsable is None:
        return "no reply"
    return str(Figure("rate", judge.unparsable)) + (f" ({Figure('rate', judge.lost)} lost)" if judge.lost else "")


def _agreement(rho: Estimate) -> str:
    figure = str(Figure.from_estimate("correlation", rho))
    return figure if rho.value is None else f"{figure} (n = {rho.n})"


def panel_table(comparison: JudgeComparison, keys: Mapping[str, str], beyond: "Collection[str]") -> ResultTable:
    """What several judges reach together.

    Args:
        comparison: The comparison.
        keys: The letter of each panel in the chart.
        beyond: The panels that agree more than any judge of their cost.
    """
    columns = (
        Column("", "text"),
        Column("panel", "name"),
        Column("Spearman with rating", "estimate"),
        Column("n"),
        Column(_unit_name(comparison.unit)),
        Column("asks the expensive judge"),
        Column("saves"),
        Column("agrees more than any judge of that cost", "text"),
    )
    rows = tuple(
        (
            keys.get(panel.name, ""),
            panel.name,
            Figure.from_estimate("correlation", panel.agreement),
            Figure("count", panel.agreement.n),
            format_price(panel.cost, comparison.unit),
            Figure("share", panel.expensive_share),
            Figure("share", panel.saving),
            "yes" if panel.name in beyond else "no",
        )
        for panel in comparison.panels
    )
    return ResultTable("Judges together", columns, rows)


def _unit_name(unit: Unit) -> str:
    return "USD" if unit == "usd" else unit


def probe_table(comparison: JudgeComparison) -> ResultTable:
    """What each probe changed, per judge."""
    columns = (
        Column("judge", "name"),
        Column("probe", "text"),
        Column("claims", detail="wide"),
        Column("flipped [95%]"),
        Column("to supported"),
        Column("samples", detail="wide"),
        Column("shift of the score [95%]", detail="wide"),
    )
    rows = tuple(
        (
            probe.judge,
            probe.probe + ("*" if probe.identical else ""),
            Figure("count", probe.claims),
            Figure.from_estimate("share", probe.flips),
            Figure("count", probe.to_supported),
            Figure("count", probe.shift.n),
            Figure.from_estimate("change", probe.shift),
        )
        for probe in comparison.probes
    )
    note = _SAME if any(probe.identical for probe in comparison.probes) else ""
    return ResultTable("Verdicts that flip under probes, of claims that stand in both", columns, rows, note=note)


def pair_table(comparison: JudgeComparison) -> ResultTable:
    """How the agreement of two judges differs, and how far they give the same verdicts."""
    columns = (
        Column("judges", "name"),
        Column("n"),
        Column("difference of agreement", "estimate"),
        Column("p, groups"),
        Column("kappa of the claims"),
    )
    kappas = {(first, second): kappa for first, second, kappa in comparison.claims.kappas}
    rows = tuple(
        (
            f"{pair.first} − {pair.second}",
            Figure("count", pair.n),
            pair.problem or Figure.from_estimate("correlation", pair.difference),
            Figure("p", pair.p_permutation),
            Figure("coefficient", kappas.get((pair.first, pair.second))),
        )
        for pair in comparison.pairs
    )
    return ResultTable("Between the judges", columns, rows)


def _pair_lines(comparison: JudgeComparison) -> "Iterator[str]":
    for pair in comparison.pairs:
        difference = pair.problem or Figure.from_estimate("correlation", pair.difference)
        p = "" if pair.p_permutation is None else f", {format_p(pair.p_permutation)}"
        yield f"rho({pair.first}) - rho({pair.second}) = {difference}{p} (n = {pair.n})"


def _claim_lines(comparison: JudgeComparison) -> "Iterator[Paragraph]":
    claims = comparison.claims
    yield _line(f"{claims.claims} claims that all judged: Krippendorff's alpha {_coefficient(claims.alpha)}")
    for first, second, kappa in claims.kappas:
        yield Paragraph(f"{first} and {second}: kappa {_coefficient(kappa)}", indent=2, is_whole=True)


def _coefficient(value: float | None) -> str:
    return "undefined" if value is None else str(Figure("coefficient", value))


def _panel_lines(comparison: JudgeComparison) -> "Iterator[str]":
    for panel in comparison.panels:
        cost = format_price(panel.cost, comparison.unit)
        line = f"panel, {panel.name}: {_agreement(panel.agreement)}, {cost}"
        if panel.expensive_share is not None:
            line += f"; {Figure('share', panel.expensive_share)} went to the expensive judge"
        if panel.saving is not None:
            line += f", saving {Figure('share', panel.saving)}"
        yield line
