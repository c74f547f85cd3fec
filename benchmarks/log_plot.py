"""Draws lines on two logarithmic axes as an SVG, with the axes of Assay's own charts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

import checkout  # noqa: F401

from assay.presentation.axes import Axis

_WIDTH, _HEIGHT, _COLUMNS = 300, 200, 2  # of a panel's plot
_LEFT, _TOP, _RIGHT, _BOTTOM = 60, 34, 90, 46
_LEAST, _MOST = 0.001, 1e300  # seconds; what takes less stands at the axis
_MOST_TICKS = 10


class Line(NamedTuple):
    """A line through points (x, y), above 0; one that is named stands out."""

    name: str
    points: Sequence[tuple[float, float]]
    is_named: bool


def draw_log_plots(panels: Mapping[str, Sequence[Line]], x_title: str, y_title: str) -> str:
    """Draws one panel per title, two beside each other, all with the same axes.

    Args:
        panels: The lines by the title of their panel.
        x_title: What the x axis shows.
        y_title: What the y axis shows.

    Returns:
        The SVG.
    """
    points = [point for lines in panels.values() for line in lines for point in line.points]
    x, y = _log_axis(x for x, _ in points), _log_axis(y for _, y in points)
    wide, high = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    drawn = [
        f'<g transform="translate({place % _COLUMNS * wide + _LEFT},{place // _COLUMNS * high + _TOP})">'
        f"{_panel(title, lines, x, y)}{_titles(x_title, y_title)}</g>"
        for place, (title, lines) in enumerate(panels.items())
    ]
    size = f"{wide * _COLUMNS} {high * math.ceil(len(panels) / _COLUMNS)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" font-size="11">\n'
        '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def _titles(x_title: str, y_title: str) -> str:
    middle = f'x="{-_HEIGHT / 2}" y="-44" text-anchor="middle"'
    return (
        f'<text x="{_WIDTH / 2}" y="{_HEIGHT + 32}" text-anchor="middle">{escape(x_title)}</text>'
        f'<text transform="rotate(-90)" {middle}>{escape(y_title)}</text>'
    )


def _panel(title: str, lines: Sequence[Line], x: Axis, y: Axis) -> str:
    parts = [f'<text y="-12" font-size="13" font-weight="bold">{escape(title)}</text>']
    for tick in x.ticks:
        at = _across(x, 10**tick)
        parts.append(f'<path d="M{at} 0V{_HEIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{at}" y="{_HEIGHT + 15}" text-anchor="middle">{_write_power(10**tick)}</text>')
    for tick in y.ticks:
        at = _down(y, 10**tick)
        parts.append(f'<path d="M0 {at}H{_WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="-5" y="{at + 4}" text-anchor="end">{_write_power(10**tick)}</text>')
    for line in sorted(lines, key=lambda line: line.is_named):
        path = " ".join(f"{_across(x, at)},{_down(y, value)}" for at, value in line.points)
        style = 'stroke="#c2410c" stroke-width="2"' if line.is_named else 'stroke="#64748b" stroke-opacity="0.35"'
        parts.append(f'<polyline points="{path}" fill="none" {style}><title>{escape(line.name)}</title></polyline>')
        if line.is_named and line.points:
            end = _down(y, line.points[-1][1])
            parts.append(f'<text x="{_WIDTH + 4}" y="{end + 4}" fill="#c2410c">{escape(line.name)}</text>')
    return "".join(parts)


def _log_axis(values: Iterable[float]) -> Axis:
    """An axis of the powers of ten around values."""
    logs = [_log(value) for value in values] or [0.0]
    low, high = math.floor(min(logs)), max(math.ceil(max(logs)), math.floor(min(logs)) + 1)
    ticks = range(low, high + 1, math.ceil((high - low) / _MOST_TICKS))
    return Axis(low, high, tuple(map(float, ticks)))


def _log(value: float) -> float:
    return math.log10(min(_MOST, max(value, _LEAST)))


def _across(axis: Axis, value: float) -> float:
    return round(axis.percent(_log(value)) / 100 * _WIDTH, 1)


def _down(axis: Axis, value: float) -> float:
    return round(_HEIGHT - axis.percent(_log(value)) / 100 * _HEIGHT, 1)


def _write_power(value: float) -> str:
    """A power of ten in full where it is short: 0.001, 1,000, 1e-12."""
    if not 1e-4 <= value < 1e9:
        return f"{value:g}"
    return f"{value:,.{max(0, -math.floor(math.log10(value) + 1e-9))}f}"
