"""Watches: a list of them, and one with its estimates, alarms and segments."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..meta_eval.estimate import Estimate
from ..meta_eval.monitoring.look import BoundState
from ..presentation.charts import Band, draw_band
from ..presentation.figure import Figure, Kind
from ..presentation.rendered_markdown import shorten_seen
from ..presentation.result_table import Field, ResultTable, TableCell, tabulate
from ..presentation.texts import format_time, shorten
from ..runs import Store
from ..runs.store.store import answer_url
from ..text.wording import count_of
from ..traces.source import read_utc
from ..traces.watch.alarms import AlarmAnswer
from ..traces.watch.judging import watch_queues
from ..traces.watch.watch_look import give_watch_verdict, read_levels
from ..traces.watch.watch_settings import describe_bound
from ..traces.watch.watch_state import StoredAlarm, StoredLook, WatchRow, WatchState
from .viewer import Viewer, for_visitors, number_of

_MOST_POINTS = 150  # of a chart; looks between them are on the pages of looks
_LOOKS_PER_PAGE = 25
_ALARMS_SHOWN = 20
_LONGEST_QUERY = 300
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class WatchPages:
    """The pages of watches."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.routes = [
            Route("/watches", self._list),
            Route("/watch", self._show),
        ]

    @for_visitors
    async def _list(self, request: Request) -> Response:
        rows = await self.viewer.in_store(_list_watches)
        return self.viewer.render(request, "watches.html", {"title": "Watches", "table": tabulate("", rows, _WATCHES)})

    @for_visitors
    async def _show(self, request: Request) -> Response:
        name = request.query_params.get("name", "")[:_LONGEST_QUERY]
        page = number_of(request.query_params.get("page"))

        def read_frame(store: Store) -> tuple[WatchRow, int, list[StoredLook]]:
            state = WatchState(store)
            row = state.watch(name)
            count = state.count_looks(row.id)
            numbers = range(count - (page - 1) * _LOOKS_PER_PAGE, max(count - page * _LOOKS_PER_PAGE, 0), -1)
            return row, count, state.looks(row.id, numbers)[::-1]

        row, count, looks = await self.viewer.in_store(read_frame)
        key = ("watch", row.id, row.stepped_at, count)
        charted, every_alarm = await self.viewer.kept(key, lambda store: _read_history(store, row.id))

        def read_rest(store: Store) -> tuple[list[tuple[StoredAlarm, ResultTable]], list[tuple[Any, ...]]]:
            queues = [(queue, len(queue.names()), *queue.counts()) for queue in watch_queues(store, row.id)]
            return _show_alarms(store, row, every_alarm), queues

        alarms, queues = await self.viewer.in_store(read_rest)
        newest = charted[-1] if charted else None
        firing = [alarm for alarm, _ in alarms if alarm.stands]
        content = {
            "title": row.name,
            "row": row,
            "verdict": None if newest is None else give_watch_verdict(row, newest, firing),
            "newest": newest,
            "charts": _draw_charts(row, charted, every_alarm),
            "tables": {} if newest is None else _tabulate(newest, looks),
            "standing": [(alarm, answers) for alarm, answers in alarms if alarm.stands],
            "cleared": [(alarm, answers) for alarm, answers in alarms if not alarm.stands],
            "more_alarms": max(len(every_alarm) - len(alarms), 0),
            "queues": queues,
            "page": page,
            "pages": max(-(-count // _LOOKS_PER_PAGE), 1),
            "count": count,
            "page_url": lambda number: watch_url(row.id, page=number),
        }
        return self.viewer.render(request, "watch.html", content)


def watch_url(watch: str, page: int = 1) -> str:
    """The address of a watch's page."""
    return f"/watch?{urlencode({'name': watch} | ({'page': page} if page > 1 else {}))}{'#looks' if page > 1 else ''}"


def _list_watches(store: Store) -> list[tuple[WatchRow, StoredLook | None, int]]:
    """The watches, each with its newest look and how many alarms stand."""
    state = WatchState(store)
    return [(row, state.newest_look(row.id), len(state.alarms(row.id, standing=True))) for row in state.watches()]


def _read_history(store: Store, watch: str) -> tuple[list[StoredLook], list[StoredAlarm]]:
    """What the charts show: looks at about equal distances and those at which an alarm changed; and all alarms."""
    state = WatchState(store)
    count, alarms = state.count_looks(watch), state.alarms(watch)
    numbers = set(range(1, count + 1))
    if count > _MOST_POINTS:
        numbers = {1 + round(place * (count - 1) / (_MOST_POINTS - 1)) for place in range(_MOST_POINTS)}
        newest = alarms[:_ALARMS_SHOWN]
        numbers |= {number for alarm in newest for number in (alarm.fired_look, alarm.cleared_look) if number}
    return state.looks(watch, list(numbers)), alarms


def _draw_charts(row: WatchRow, looks: list[StoredLook], alarms: list[StoredAlarm]) -> list[Band]:
    """Draws the mean and the share of bad answers over time, each with its bounds and the times of its alarms."""
    charts = []
    for kind, title, within in (
        ("mean", f"Mean rating, {_scale(row)}", read_levels(row)),
        ("bad_share", "Share of bad answers", (0.0, 1.0)),
    ):
        figure: Kind = "mean" if kind == "mean" else "rate"
        rows = []
        for look in looks:
            estimate: Estimate = getattr(look.look, kind)
            text = str(Figure.from_estimate(figure, estimate))
            rows.append((read_utc(look.at) or _NEVER, estimate, text))
        bounds = [state.bound for state in looks[-1].look.bounds] if looks else []
        limits = [(bound.limit, describe_bound(bound)) for bound in bounds if bound.kind == kind]
        spans = [
            (read_utc(alarm.fired_at) or _NEVER, read_utc(alarm.cleared_at), alarm.sentence)
            for alarm in alarms
            if _is_of(alarm, kind)
        ]
        if chart := draw_band(title, rows, limits=limits, spans=spans, within=within):
            charts.append(chart)
    return charts


def _tabulate(newest: StoredLook, looks: Sequence[StoredLook]) -> dict[str, ResultTable]:
    """The bounds and the segments of the newest look, and some looks."""
    bounds = (
        Field("bound", "text", lambda one: describe_bound(one.bound)),
        Field("state", "text", _describe_state),
        Field("figure", "mean", lambda one: Figure.from_estimate(_FIGURES.get(one.bound.kind, "mean"), one.estimate)),
        Field("since", "text", lambda one: _day_of(newest, one)),
        Field("what it says", "prose", lambda one: shorten(one.sentence, 600)),
    )
    segments = (
        Field("segment", "text", lambda one: f"{one.field} {shorten(one.value, 80)}"),
        Field("answers", "count", lambda one: one.answers),
        Field("mean rating", "mean", lambda one: one.mean),
        Field("bad answers", "rate", lambda one: one.bad_share),
    )
    holds = "Corrected for how many there are: the intervals hold for all segments and all looks together."
    return {
        "bounds": tabulate("", newest.look.bounds, bounds),
        "segments": tabulate("", newest.look.segments, segments, note=holds),
        "looks": tabulate("", looks, _LOOKS),
    }


def _describe_state(state: BoundState) -> TableCell:
    if state.broken or not state.beyond:
        return TableCell("broken", "bad") if state.broken else TableCell("kept", "good")
    side = "below" if state.bound.kind == "mean" else "above"
    return TableCell(f"{side} the bound", "bad", note="not yet sure by days")


def _of_newest(field: Field) -> Field:
    """A column of looks in the list of watches; empty for one without a look."""
    return replace(field, read=lambda row: "" if row[1] is None else field.read(row[1]))


_FIGURES: dict[str, Kind] = {"bad_share": "rate"}  # the others are in the raters' scale
_LOOK_FIGURES = (
    Field("mean rating", "mean", lambda one: one.look.mean),
    Field("bad answers", "rate", lambda one: one.look.bad_share),
    Field("answers", "count", lambda one: one.look.answers),
    Field("judged", "count", lambda one: one.look.judged),
    Field("rated", "count", lambda one: one.look.rated),
)
_LOOKS = (
    Field("look", "text", lambda one: str(one.number)),
    Field("at", "text", lambda one: format_time(one.at)),
    *_LOOK_FIGURES,
    Field("alarms", "text", lambda one: _describe_broken(sum(state.broken for state in one.look.bounds))),
)
_WATCHES = (
    Field("watch", "text", lambda row: TableCell(shorten(row[0].name, 80), link=watch_url(row[0].id))),
    Field("state", "text", lambda row: _describe_watch(*row)),
    *(_of_newest(field) for field in _LOOK_FIGURES),
    Field("newest look", "text", lambda row: format_time(row[1].at) if row[1] else ""),
)
_ANSWERS = (
    Field("answer", "text", lambda row: TableCell(shorten(row[0].id, 40), link=row[1])),
    Field("question", "prose", lambda row: shorten(row[0].question, 200)),
    Field("text of the answer", "prose", lambda row: shorten_seen(row[0].answer, 300)),
    Field("why", "prose", lambda row: shorten(row[0].reason, 200)),
    Field("score", "value", lambda row: row[0].score),
)


def _describe_broken(count: int) -> TableCell:
    return TableCell(f"{count_of(count, 'bound')} broken" if count else "", "bad")


def _describe_watch(row: WatchRow, newest: StoredLook | None, alarms: int) -> TableCell:
    running = ", running" if row.is_running else ""
    if alarms:
        return TableCell(count_of(alarms, "alarm") + running, "bad")
    if row.problem or newest is None:
        return TableCell(("a step failed" if row.problem else "no look yet") + running, "warning")
    return TableCell(f"no alarm{running}", "good")


def _day_of(look: StoredLook, state: BoundState) -> str:
    """The date since which a bound is broken; empty where nothing changed."""
    if state.since is None:
        return ""
    return (date.fromisoformat(look.first_day) + timedelta(days=state.since)).isoformat()


def _is_of(alarm: StoredAlarm, kind: str) -> bool:
    return alarm.bound.startswith("bad share") == (kind == "bad_share")


def _scale(row: WatchRow) -> str:
    levels = read_levels(row)
    return "in the raters' scale" if levels is None else f"{levels[0]:g} to {levels[1]:g}"


def _show_alarms(store: Store, row: WatchRow, alarms: Sequence[StoredAlarm]) -> list[tuple[StoredAlarm, ResultTable]]:
    """The standing alarms and the newest others, each with its answers and where they are."""
    state = WatchState(store)
    shown = sorted(alarms, key=lambda alarm: (not alarm.stands, -alarm.number))[:_ALARMS_SHOWN]
    traces = list(dict.fromkeys(answer.id for alarm in shown for answer in alarm.answers))
    places = {place.trace: place for place in state.answers_of_traces(row.id, traces)} if traces else {}

    def link(answer: AlarmAnswer) -> str:
        place = places.get(answer.id)
        return answer_url(place.run, place.sample) if place and place.run else ""

    return [(alarm, tabulate("", [(answer, link(answer)) for answer in alarm.answers], _ANSWERS)) for alarm in shown]
