"""Watches: a list of them, one with its estimates, alarms and segments, and the answers behind one look."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
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
from ..runs.answer_address import answer_url
from ..traces.origin import TraceOrigin
from ..traces.server_url import trace_page_url
from ..traces.watch.alarms import ALARMS_AND_BANDS, describe_bound
from ..traces.watch.rater_answers import watch_queues
from ..traces.watch.watch_state import StoredAlarm, StoredLook, WatchedAnswer, WatchRow, WatchState
from ..traces.watch.watch_verdict import give_watch_verdict, read_levels
from .viewer import Viewer, for_visitors, number_of

_MOST_POINTS = 150  # of a chart; looks between them are on the pages of looks
_LOOKS_PER_PAGE = 25
_ANSWERS_PER_PAGE = 50
_ALARMS_SHOWN = 20
_LONGEST_QUERY = 300


@dataclass(frozen=True, slots=True)
class ListedWatch:
    """A watch in the list."""

    row: WatchRow
    look: StoredLook | None  # its newest look; None before the first
    alarms: int


@dataclass(frozen=True, slots=True)
class AnswerToRead:
    """An answer behind a look or an alarm, with where to read it."""

    name: str
    question: str
    answer: str
    score: float | None  # the judge's score; None where it has none
    rating: float | None  # the mean of its ratings; None without any
    reason: str  # why, by the judge or a rater
    page: str  # the path of the answer's page; empty where it is in no run
    trace_page: str  # the address of the trace's page in its tool; empty where that has none
    segments: str
    time: str


@dataclass(frozen=True, slots=True)
class ShownAlarm:
    """An alarm with its answers to read."""

    alarm: StoredAlarm
    answers: tuple[AnswerToRead, ...]


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far the raters of a queue of the watch are."""

    name: str
    raters: tuple[str, ...]
    answers: int
    done: int
    wanted: int


@dataclass(frozen=True, slots=True)
class WatchHistory:
    """What charts and tables of a watch show over time."""

    looks: tuple[StoredLook, ...]  # looks at about equal distances, the oldest first
    alarms: tuple[StoredAlarm, ...]  # all its alarms, the newest first
    count: int


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
        rows = await self.viewer.in_store(lambda store: list_watches(store, text))
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
        history = await self.viewer.kept(key, lambda store: read_history(store, row.id))
        alarms, queues = await self.viewer.in_store(
            lambda store: (_show_alarms(store, row, history.alarms), _read_queues(store, row.id))
        )
        newest = history.looks[-1] if history.looks else None
        firing = [one.alarm for one in alarms if one.alarm.stands]
        content = {
            "title": row.name,
            "row": row,
            "verdict": None if newest is None else give_watch_verdict(row, newest, firing),
            "series": [one for one in series if one.id != row.id],
            "newest": newest,
            "charts": draw_charts(row, history),
            "bounds": [] if newest is None else [(describe_bound(one.bound), one) for one in newest.look.bounds],
            "bound_figure": bound_figure,
            "alarms_and_bands": ALARMS_AND_BANDS,
            "since": lambda bound: "" if newest is None else day_of(newest, bound),
            "standing": [one for one in alarms if one.alarm.stands],
            "cleared": [one for one in alarms if not one.alarm.stands],
            "more_alarms": max(len(history.alarms) - len(alarms), 0),
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

        def read(store: Store) -> tuple[WatchRow, StoredLook | None, int, int, list[AnswerToRead]]:
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
    """The address of a watch's page.

    Example:
        >>> watch_url("support nl"), watch_url("bot", 2)
        ('/watch?name=support+nl', '/watch?name=bot&page=2#looks')
    """
    return f"/watch?{urlencode({'name': watch} | ({'page': page} if page > 1 else {}))}{'#looks' if page > 1 else ''}"


def look_url(watch: str, number: int, page: int = 1) -> str:
    """The address of the page with the answers of a look."""
    return f"/watch/look?{urlencode({'name': watch, 'number': number} | ({'page': page} if page > 1 else {}))}"


def list_watches(store: Store, text: str = "") -> list[ListedWatch]:
    """Lists the watches whose names have a text, each with its newest look."""
    state = WatchState(store)
    listed = []
    for row in state.watches():
        if text.casefold() in row.name.casefold():
            looks = state.looks(row.id, 1)
            listed.append(ListedWatch(row, looks[0] if looks else None, len(state.alarms(row.id, standing=True))))
    return listed


def read_history(store: Store, watch: str) -> WatchHistory:
    """Reads what the charts show: looks at about equal distances, and those at which an alarm fired or cleared."""
    state = WatchState(store)
    count, alarms = state.count_looks(watch), state.alarms(watch)
    numbers = set(range(1, count + 1))
    if count > _MOST_POINTS:
        numbers = {1 + round(place * (count - 1) / (_MOST_POINTS - 1)) for place in range(_MOST_POINTS)}
        newest = alarms[:_ALARMS_SHOWN]
        numbers |= {number for alarm in newest for number in (alarm.fired_look, alarm.cleared_look) if number}
    looks = (state.look(watch, number) for number in sorted(numbers))
    return WatchHistory(tuple(look for look in looks if look), tuple(alarms), count)


def draw_charts(row: WatchRow, history: WatchHistory) -> list[Band]:
    """Draws the mean and the share of bad answers over time, each with its bounds and the times of its alarms."""
    charts = []
    for kind, title, within in (
        ("mean", f"Mean rating, {_scale(row)}", read_levels(row)),
        ("bad_share", "Share of bad answers", (0.0, 1.0)),
    ):
        figure: Kind = "mean" if kind == "mean" else "rate"
        rows = []
        for look in history.looks:
            estimate: Estimate = getattr(look.look, kind)
            text = str(Figure.from_estimate(figure, estimate))
            rows.append((read_moment(look.at), estimate, text, look_url(row.id, look.number)))
        limits = _limits(history, kind)
        spans = [
            (read_moment(alarm.fired_at), read_moment(alarm.cleared_at) if alarm.cleared_at else None, alarm.sentence)
            for alarm in history.alarms
            if _is_of(alarm, kind)
        ]
        if chart := draw_band(title, rows, limits=limits, spans=spans, within=within):
            charts.append(chart)
    return charts


def read_moment(text: str) -> datetime:
    """Reads a moment of the store; the beginning of time where it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return datetime(1970, 1, 1, tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def bound_figure(state: BoundState) -> Figure:
    """The figure of a bound as it is written: a share in percent, a fall or a mean in the raters' scale."""
    kind: Kind = "rate" if state.bound.kind == "bad_share" else "mean"
    return Figure.from_estimate(kind, state.estimate)


def day_of(look: StoredLook, state: BoundState) -> str:
    """The date since which a bound is broken; empty where nothing changed."""
    if state.since is None:
        return ""
    try:
        return (date.fromisoformat(look.first_day) + timedelta(days=state.since)).isoformat()
    except (ValueError, OverflowError):
        return ""


def _limits(history: WatchHistory, kind: str) -> list[tuple[float, str]]:
    """The bounds of the newest look that are lines in the chart of a figure."""
    if not history.looks:
        return []
    bounds = (state.bound for state in history.looks[-1].look.bounds)
    return [(bound.limit, describe_bound(bound)) for bound in bounds if bound.kind == kind]


def _is_of(alarm: StoredAlarm, kind: str) -> bool:
    is_share = alarm.bound.startswith("bad share")
    return not alarm.bound.startswith("drift of") and is_share == (kind == "bad_share")


def _scale(row: WatchRow) -> str:
    levels = read_levels(row)
    return "in the raters' scale" if levels is None else f"{levels[0]:g} to {levels[1]:g}"


def _show_alarms(store: Store, row: WatchRow, alarms: Sequence[StoredAlarm]) -> list[ShownAlarm]:
    """The standing alarms and the newest others, each with its answers and where they are."""
    state = WatchState(store)
    shown = sorted(alarms, key=lambda alarm: (not alarm.stands, -alarm.number))[:_ALARMS_SHOWN]
    traces = list(dict.fromkeys(answer.id for alarm in shown for answer in alarm.answers))
    places = {one.trace: one for one in state.answers_of_traces(row.id, traces)} if traces else {}
    address = str(row.settings.get("source", ""))
    listed = []
    for alarm in shown:
        answers = []
        for answer in alarm.answers:
            place = places.get(answer.id)
            answers.append(
                AnswerToRead(
                    answer.id,
                    answer.question,
                    answer.answer,
                    answer.score,
                    _mean_rating(place),
                    answer.reason,
                    answer_url(place.run, place.sample) if place and place.run else "",
                    trace_page_url(address, answer.id),
                    _segments(place),
                    place.time if place else "",
                )
            )
        listed.append(ShownAlarm(alarm, tuple(answers)))
    return listed


def _read_answers(store: Store, row: WatchRow, answers: Sequence[WatchedAnswer]) -> list[AnswerToRead]:
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
        read.append(
            AnswerToRead(
                answer.trace,
                question,
                text,
                answer.judged,
                _mean_rating(answer),
                "",
                answer_url(answer.run, answer.sample) if answer.run else "",
                trace_page_url(address, answer.trace),
                _segments(answer),
                answer.time,
            )
        )
    return read


def _mean_rating(answer: WatchedAnswer | None) -> float | None:
    ratings = [] if answer is None else list(answer.ratings.values())
    return sum(ratings) / len(ratings) if ratings else None


def _segments(answer: WatchedAnswer | None) -> str:
    return "" if answer is None else ", ".join(f"{name} {value}" for name, value in answer.segments.items() if value)


def _read_queues(store: Store, watch: str) -> list[QueueProgress]:
    return [
        QueueProgress(queue.id, tuple(queue.settings.raters), queue.size(), *queue.counts())
        for queue in watch_queues(store, watch)
    ]
