"""Watches: a list of them, and one with its estimates, alarms and segments."""

from collections.abc import Sequence
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
from ..runs import Store
from ..runs.store.answer_address import answer_url
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
Answer = tuple[AlarmAnswer, str]
"""An answer of an alarm, and its page; an empty text where there is none."""


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
        text = request.query_params.get("q", "")[:_LONGEST_QUERY]
        rows = await self.viewer.in_store(lambda store: _list_watches(store, text))
        content = {"title": "Watches", "text": text, "rows": rows, "watch_url": watch_url}
        return self.viewer.render(request, "watches.html", content)

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

        def read_rest(store: Store) -> tuple[list[tuple[StoredAlarm, list[Answer]]], list[tuple[Any, ...]]]:
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
            "bounds": [] if newest is None else [(describe_bound(one.bound), one) for one in newest.look.bounds],
            "bound_figure": _bound_figure,
            "since": lambda bound: "" if newest is None else _day_of(newest, bound),
            "standing": [(alarm, answers) for alarm, answers in alarms if alarm.stands],
            "cleared": [(alarm, answers) for alarm, answers in alarms if not alarm.stands],
            "more_alarms": max(len(every_alarm) - len(alarms), 0),
            "queues": queues,
            "looks": looks,
            "page": page,
            "pages": max(-(-count // _LOOKS_PER_PAGE), 1),
            "count": count,
            "page_url": lambda number: watch_url(row.id, page=number),
        }
        return self.viewer.render(request, "watch.html", content)


def watch_url(watch: str, page: int = 1) -> str:
    """The address of a watch's page."""
    return f"/watch?{urlencode({'name': watch} | ({'page': page} if page > 1 else {}))}{'#looks' if page > 1 else ''}"


def _list_watches(store: Store, text: str) -> list[tuple[WatchRow, StoredLook | None, int]]:
    """The watches whose names have a text, each with its newest look and how many alarms stand."""
    state = WatchState(store)
    rows = [row for row in state.watches() if text.casefold() in row.name.casefold()]
    return [(row, state.newest_look(row.id), len(state.alarms(row.id, standing=True))) for row in rows]


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


def _bound_figure(state: BoundState) -> Figure:
    """The figure of a bound as it is written: a share in percent, a fall or a mean in the raters' scale."""
    kind: Kind = "rate" if state.bound.kind == "bad_share" else "mean"
    return Figure.from_estimate(kind, state.estimate)


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


def _show_alarms(store: Store, row: WatchRow, alarms: Sequence[StoredAlarm]) -> list[tuple[StoredAlarm, list[Answer]]]:
    """The standing alarms and the newest others, each with its answers and where they are."""
    state = WatchState(store)
    shown = sorted(alarms, key=lambda alarm: (not alarm.stands, -alarm.number))[:_ALARMS_SHOWN]
    traces = list(dict.fromkeys(answer.id for alarm in shown for answer in alarm.answers))
    places = {place.trace: place for place in state.answers_of_traces(row.id, traces)} if traces else {}

    def link(answer: AlarmAnswer) -> str:
        place = places.get(answer.id)
        return answer_url(place.run, place.sample) if place and place.run else ""

    return [(alarm, [(answer, link(answer)) for answer in alarm.answers]) for alarm in shown]
