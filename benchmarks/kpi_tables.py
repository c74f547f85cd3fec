"""The tables of the bundled sets kpi_nl and kpi_en: seeded series of network KPIs and payroll, with gaps and anomalies.

All figures are invented. Each anomaly and gap is planted, so that the facts about a table are known.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

import checkout  # noqa: F401
from pydantic import BaseModel, ConfigDict

from assay.languages import read_yaml

SEED = 20260301
TEXTS = Path(__file__).parent / "kpi_texts"


@dataclass(frozen=True)
class KpiTable:
    """A table of a set: its columns, of which the first holds times or row names.

    `series` maps this module's keys to the names of the columns; `planted` has the rows with an anomaly, by key.
    """

    name: str
    columns: Mapping[str, Sequence[str | float | None]]
    units: Mapping[str, str]
    planted: Mapping[str, tuple[str, ...]]
    series: Mapping[str, str]

    @property
    def keys(self) -> list[str]:
        """The cells of the first column."""
        return [str(cell) for cell in next(iter(self.columns.values()))]


class TableNames(BaseModel):
    """The names of a table and its columns in a language; a column without a name keeps its key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    columns: dict[str, str]


class TableTexts(BaseModel):
    """`kpi_texts/LANGUAGE.tables.yaml`: a language's names of tables, columns and rows.

    `about` is the context that describes a table, with {name}, {rows}, {first}, {last} and {series}.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    rows: dict[str, list[str]]
    tables: dict[str, TableNames]


def table_languages() -> list[str]:
    """Lists the languages that have names for the tables, sorted."""
    return sorted(file.name.partition(".")[0] for file in TEXTS.glob("*.tables.yaml"))


def load_table_texts(language: str) -> TableTexts:
    """Loads a language's names of the tables."""
    return read_yaml(TEXTS / f"{language}.tables.yaml", TableTexts)


def kpi_tables(language: str) -> dict[str, KpiTable]:
    """Makes the seven tables, by key, with names in the language. The figures differ between languages."""
    texts = load_table_texts(language)
    tables = {}
    for key, make in _MAKERS.items():
        columns, planted = make(random.Random(f"{SEED}-{language}-{key}"), texts.rows)
        names = texts.tables[key].columns
        tables[key] = KpiTable(
            texts.tables[key].name,
            {names.get(column, column): cells for column, cells in columns.items()},
            {names[column]: unit for column, unit in _UNITS[key].items()},
            planted,
            {column: names.get(column, column) for column in columns},
        )
    return tables


_Columns = dict[str, list[str | float | None]]
_Made = tuple[_Columns, dict[str, tuple[str, ...]]]


def _noisy(rng: random.Random, mean: float, spread: float, decimals: int) -> float:
    return round(rng.gauss(mean, spread), decimals)


def _cell(rng: random.Random, _: Mapping[str, list[str]]) -> _Made:
    """61 days of a radio cell: weekends busier, latency creeping up, two dips, one spike, gaps."""
    days = [date(2026, 3, 1) + timedelta(days=number) for number in range(61)]
    table: _Columns = {"date": [day.isoformat() for day in days], "throughput": [], "latency": [], "loss": []}
    for number, day in enumerate(days):
        weekend = day.weekday() >= 5
        table["throughput"].append(_noisy(rng, 46.0 if not weekend else 41.5, 0.9, 1))
        table["latency"].append(_noisy(rng, 18.0 + 0.09 * number + (1.5 if weekend else 0), 0.6, 1))
        table["loss"].append(max(0.05, _noisy(rng, 0.42, 0.05, 2)))
    for place, value in ((11, 12.3), (43, 17.8)):
        table["throughput"][place] = value
    table["loss"][25] = 3.9
    for place in (18, 19):
        table["throughput"][place] = None
    table["latency"][33] = None
    dates = [str(cell) for cell in table["date"]]
    return table, {"throughput": (dates[11], dates[43]), "loss": (dates[25],), "latency": ()}


def _gateway(rng: random.Random, _: Mapping[str, list[str]]) -> _Made:
    """A week of a gateway by the hour: quiet nights, an evening peak, one night-time surge of users."""
    hours = [datetime(2026, 5, 4) + timedelta(hours=number) for number in range(168)]
    table: _Columns = {"time": [hour.strftime("%Y-%m-%d %H:%M") for hour in hours], "users": [], "load": []}
    for hour in hours:
        busy = 120 + 9 * hour.hour if hour.hour < 21 else 220
        busy = busy if hour.hour >= 6 else 60
        users = max(5, round(rng.gauss(busy, 8)))
        table["users"].append(users)
        table["load"].append(round(12 + users * 0.21 + rng.gauss(0, 1.2), 1))
    table["users"][75] = 690
    table["load"][75] = 97.4
    table["load"][40] = None
    return table, {"users": (str(table["time"][75]),), "load": (str(table["time"][75]),)}


def _sites(rng: random.Random, rows: Mapping[str, list[str]]) -> _Made:
    """Eight sites in one week."""
    table: _Columns = {"site": list(rows["sites"]), "uptime": [], "throughput": [], "dropped": []}
    for _ in rows["sites"]:
        table["uptime"].append(round(99.95 - abs(rng.gauss(0, 0.35)), 2))
        table["throughput"].append(_noisy(rng, 52, 9, 1))
        table["dropped"].append(rng.randint(8, 64))
    table["uptime"][5] = 96.41
    table["dropped"][5] = 131
    table["throughput"][2] = None
    return table, {"uptime": (), "dropped": ()}


def _availability(rng: random.Random, _: Mapping[str, list[str]]) -> _Made:
    """A year by the month: ever fewer incidents, repairs ever quicker, and a bad August."""
    table: _Columns = {
        "month": [f"2025-{month:02d}" for month in range(1, 13)],
        "uptime": [],
        "incidents": [],
        "repair": [],
    }
    for month in range(12):
        table["uptime"].append(_noisy(rng, 99.62 + 0.02 * month, 0.03, 2))
        table["incidents"].append(28 - 2 * month + rng.randint(0, 3))
        table["repair"].append(round(95 - 3.5 * month + rng.gauss(0, 3)))
    table["uptime"][7], table["incidents"][7] = 98.12, 41
    return table, {"uptime": ("2025-08",), "incidents": ("2025-08",), "repair": ()}


def _payroll(rng: random.Random, _: Mapping[str, list[str]]) -> _Made:
    """Two years of wage costs by the month: holiday pay in May, a bonus in December, a growing staff."""
    months = [f"{2024 + number // 12}-{number % 12 + 1:02d}" for number in range(24)]
    table: _Columns = {"month": list(months), "gross": [], "staff": [], "overtime": [], "sick": []}
    for number in range(24):
        staff = 118 + number // 2 + rng.randint(0, 1)
        extra = {4: 0.9, 11: 0.35}.get(number % 12, 0.0)
        table["staff"].append(staff)
        table["gross"].append(round(staff * 3420 * (1 + extra) * (1 + 0.003 * number) + rng.gauss(0, 1500), 2))
        table["overtime"].append(round(rng.gauss(212, 16) + (60 if number % 12 == 11 else 0), 1))
        table["sick"].append(_noisy(rng, 4.6 + (1.4 if number % 12 in (0, 1, 11) else 0), 0.2, 1))
    table["overtime"][17] = 688.5
    table["sick"][14] = None
    return table, {"overtime": (months[17],), "sick": ()}


def _departments(rng: random.Random, rows: Mapping[str, list[str]]) -> _Made:
    """Seven departments in one month."""
    table: _Columns = {"department": list(rows["departments"]), "fte": [], "wages": [], "absence": []}
    for number, _ in enumerate(rows["departments"]):
        fte = round(6 + 5.5 * ((number * 3) % 7) + rng.random() * 2, 1)
        table["fte"].append(fte)
        table["wages"].append(round(fte * rng.gauss(4150, 260)))
        table["absence"].append(round(2.5 + rng.random() * 4, 1))
    return table, {"fte": (), "wages": (), "absence": ()}


def _desk(rng: random.Random, _: Mapping[str, list[str]]) -> _Made:
    """26 weeks of a payroll desk: questions falling, hours steady, one flooded week, a week not registered."""
    weeks = [f"2025-W{number:02d}" for number in range(27, 53)]
    table: _Columns = {"week": list(weeks), "questions": [], "hours": []}
    for number in range(26):
        table["questions"].append(round(rng.gauss(330 - 4.5 * number, 7)))
        table["hours"].append(_noisy(rng, 142, 2.0, 1))
    table["questions"][13] = 612
    table["hours"][20] = None
    return table, {"questions": (weeks[13],), "hours": ()}


_MAKERS: Mapping[str, Callable[[random.Random, Mapping[str, list[str]]], _Made]] = {
    "cell": _cell,
    "gateway": _gateway,
    "sites": _sites,
    "availability": _availability,
    "payroll": _payroll,
    "departments": _departments,
    "desk": _desk,
}
_UNITS: Mapping[str, Mapping[str, str]] = {
    "cell": {"throughput": "Mbps", "latency": "ms", "loss": "%"},
    "gateway": {"load": "%"},
    "sites": {"uptime": "%", "throughput": "Mbps"},
    "availability": {"uptime": "%", "repair": "min"},
    "payroll": {"gross": "EUR", "overtime": "h", "sick": "%"},
    "departments": {"wages": "EUR", "absence": "%"},
    "desk": {"hours": "h"},
}
