"""Watches: a list of them, one with its estimates, alarms and segments, and the answers behind one look."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..errors import AssayError
from ..meta_eval.estimate import Estimate
from ..meta_eval.monitoring.look import BoundState
from ..presentation.charts import Band, draw_band
from ..presentation.figure import Figure, Kind
from ..runs import Store
from ..runs.store.answer_address import answer_url
from ..traces.address import trace_page_url
from ..traces.source import TraceOrigin
from ..traces.times import read_utc
from ..traces.watch.alarms import ALARMS_AND_BANDS, AlarmAnswer, describe_bound
from ..traces.watch.rater_answers import watch_queues
from ..traces.watch.watch_state import StoredAlarm, StoredLook, WatchedAnswer, WatchRow, WatchState
from ..traces.watch.watch_verdict import give_watch_verdict, read_levels
from .viewer import Viewer, for_visitors, number_of

_MOST_POINTS = 150  # of a chart; looks between them are on the pages of looks
_LOOKS_PER_PAGE = 25
_ANSWERS_PER_PAGE = 50
_ALARMS_SHOWN = 20
_LONGEST_QUERY = 300
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
Answer = dict[str, Any]
"""What a page shows of an answer, by name."""


class WatchPages:
    """The pages of watches."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.routes = [
            Route("/watches", self._list),
            Route("/watch", self._show),
            Route("/watch/look", self._show_look),
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

        def read_frame(store: Store) -> tuple[WatchRow, list[WatchRow], int, list[StoredLook]]:
            state = WatchState(store)
            row = state.watch(name)
            count = state.count_looks(row.id)
            numbers = range(count - (page - 1) * _LOOKS_PER_PAGE, max(count - page * _LOOKS_PER_PAGE, 0), -1)
            looks = [look for number in numbers if number > 0 and (look := state.look(row.id, number))]
            return row, state.series(row.name), count, looks

        row, series, count, looks = await self.viewer.in_store(read_frame)
        key = ("watch", row.id, row.stepped_at, count)
        charted, every_alarm = await self.viewer.kept(key, lambda store: _read_history(store, row.id))

        def read_rest(store: Store) -> tuple[list[tuple[StoredAlarm, list[Answer]]], list[tuple[Any, ...]]]:
            queues = [(queue, queue.size(), *queue.counts()) for queue in watch_queues(store, row.id)]
            return _show_alarms(store, row, every_alarm), queues

        alarms, queues = await self.viewer.in_store(read_rest)
        newest = charted[-1] if charted else None
        firing = [alarm for alarm, _ in alarms if alarm.stands]
        content = {
            "title": row.name,
            "row": row,
            "verdict": None if newest is None else give_watch_verdict(row, newest, firing),
            "series": [one for one in series if one.id != row.id],
            "newest": newest,
            "charts": _draw_charts(row, charted, every_alarm),
            "bounds": [] if newest is None else [(describe_bound(one.bound), one) for one in newest.look.bounds],
            "bound_figure": _bound_figure,
            "alarms_and_bands": ALARMS_AND_BANDS,
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
            "watch_url": watch_url,
            "look_url": lambda number: look_url(row.id, number),
        }
        return self.viewer.render(request, "watch.html", content)

    @for_visitors
    async def _show_look(self, request: Request) -> Response:
        name = request.query_params.get("name", "")[:_LONGEST_QUERY]
        number, page = number_of(request.query_params.get("number")), number_of(request.query_params.get("page"))

        def read(store: Store) -> tuple[WatchRow, StoredLook | None, int, int, list[Answer]]:
            state = WatchState(store)
            row = state.watch(name)
            look = state.look(row.id, number)
            offset = (page - 1) * _ANSWERS_PER_PAGE
            answers = state.answers_of_look(row.id, number, limit=_ANSWERS_PER_PAGE, offset=offset)
            shown = _read_answers(store, row, answers)
            return row, look, state.count_looks(row.id), state.count_answers_of_look(row.id, number), shown

        row, look, count, total, answers = await self.viewer.in_store(read)
        content = {
            "title": f"{row.name}, look {number}",
            "row": row,
            "look": look,
            "number": number,
            "count": count,
            "total": total,
            "answers": answers,
            "page": page,
            "pages": max(-(-total // _ANSWERS_PER_PAGE), 1),
            "page_url": lambda other: look_url(row.id, number, page=other),
            "look_url": lambda other: look_url(row.id, other),
            "watch_url": watch_url,
        }
        return self.viewer.render(request, "watch_look.html", content)


def watch_url(watch: str, page: int = 1) -> str:
    """The address of a watch's page."""
    return f"/watch?{urlencode({'name': watch} | ({'page': page} if page > 1 else {}))}{'#looks' if page > 1 else ''}"


def look_url(watch: str, number: int, page: int = 1) -> str:
    """The address of the page with the answers of a look."""
    return f"/watch/look?{urlencode({'name': watch, 'number': number} | ({'page': page} if page > 1 else {}))}"


def _list_watches(store: Store, text: str) -> list[tuple[WatchRow, StoredLook | None, int]]:
    """The watches whose names have a text, each with its newest look and how many alarms stand."""
    state = WatchState(store)
    rows = [row for row in state.watches() if text.casefold() in row.name.casefold()]
    return [(row, next(iter(state.looks(row.id, 1)), None), len(state.alarms(row.id, standing=True))) for row in rows]


def _read_history(store: Store, watch: str) -> tuple[list[StoredLook], list[StoredAlarm]]:
    """What the charts show: looks at about equal distances and those at which an alarm changed; and all alarms."""
    state = WatchState(store)
    count, alarms = state.count_looks(watch), state.alarms(watch)
    numbers = set(range(1, count + 1))
    if count > _MOST_POINTS:
        numbers = {1 + round(place * (count - 1) / (_MOST_POINTS - 1)) for place in range(_MOST_POINTS)}
        newest = alarms[:_ALARMS_SHOWN]
        numbers |= {number for alarm in newest for number in (alarm.fired_look, alarm.cleared_look) if number}
    looks = (state.look(watch, number) for number in sorted(numbers))
    return [look for look in looks if look], alarms


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
            rows.append((read_utc(look.at) or _NEVER, estimate, text, look_url(row.id, look.number)))
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
    is_share = alarm.bound.startswith("bad share")
    return not alarm.bound.startswith("drift of") and is_share == (kind == "bad_share")


def _scale(row: WatchRow) -> str:
    levels = read_levels(row)
    return "in the raters' scale" if levels is None else f"{levels[0]:g} to {levels[1]:g}"


def _show_alarms(store: Store, row: WatchRow, alarms: Sequence[StoredAlarm]) -> list[tuple[StoredAlarm, list[Answer]]]:
    """The standing alarms and the newest others, each with its answers and where they are."""
    state = WatchState(store)
    shown = sorted(alarms, key=lambda alarm: (not alarm.stands, -alarm.number))[:_ALARMS_SHOWN]
    traces = list(dict.fromkeys(answer.id for alarm in shown for answer in alarm.answers))
    places = {place.trace: place for place in state.answers_of_traces(row.id, traces)} if traces else {}
    address = str(row.settings.get("source", ""))

    def show(answer: AlarmAnswer) -> Answer:
        place, texts = places.get(answer.id), (answer.question, answer.answer, answer.reason)
        return _show_answer(answer.id, place, address, texts) | {"score": answer.score}

    return [(alarm, [show(answer) for answer in alarm.answers]) for alarm in shown]


def _read_answers(store: Store, row: WatchRow, answers: Sequence[WatchedAnswer]) -> list[Answer]:
    """Answers with their texts, as the run that judged them has them."""
    read = []
    for answer in answers:
        question, text, address = "", "", str(row.settings.get("source", ""))
        if answer.run is not None:
            try:
                sample = store.sample(answer.run, answer.sample)
            except AssayError as error:  # a run that is gone
                question = str(error)
            else:
                question, text = sample.user_input, sample.response
                origin = TraceOrigin.of_sample(sample)
                address = origin.address if origin else address
        read.append(_show_answer(answer.trace, answer, address, (question, text, "")))
    return read


def _show_answer(name: str, place: WatchedAnswer | None, address: str, texts: tuple[str, str, str]) -> Answer:
    """An answer behind a look or an alarm, with where to read it."""
    question, text, reason = texts
    ratings = list(place.ratings.values()) if place else []
    segments = place.segments if place else {}
    return {
        "name": name,
        "question": question,
        "answer": text,
        "score": place.judged if place else None,
        "rating": sum(ratings) / len(ratings) if ratings else None,
        "reason": reason,
        "page": answer_url(place.run, place.sample) if place and place.run else "",
        "trace_page": trace_page_url(address, name),
        "segments": ", ".join(f"{field} {value}" for field, value in segments.items() if value),
        "time": place.time if place else "",
    }
