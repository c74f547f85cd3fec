"""One answer: its claims, figures and ratings, and what the judge was asked."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..eval_sets import Sample
from ..eval_sets.conversation import count_turns, is_turn, turn_samples
from ..eval_sets.message import find_turns, turn_id
from ..languages import FALLBACK, load_language
from ..metrics.specification import ALL_BASELINES
from ..presentation.figure import Figure
from ..presentation.page import typeset
from ..presentation.rendered_markdown import RenderedText
from ..runs import Store
from ..runs.answers.rating_join import describe_rating, find_rated_sample, rated_ids
from ..runs.ratings.judgement import find_judgements, read_answer_queues
from ..runs.score.reply_audit import ReplyAudit, audit_replies
from ..runs.store.answer_index import AnswerIndex
from ..runs.store.database import Database
from ..runs.store.store import answer_url
from .answer_view import view_answer
from .thread_view import ThreadView, find_tested_turn, view_thread
from .viewer import READER, Viewer, for_visitors


class AnswerPages:
    """The pages of single answers."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.routes = [
            Route("/run/{run}/answer", self._show),
            Route("/run/{run}/replies", self._replies),
        ]

    @for_visitors
    async def _show(self, request: Request) -> Response:
        sample, by = request.query_params.get("id", ""), request.query_params.get("by", "")

        def read(store: Store) -> dict[str, Any]:
            run = store.run(request.path_params["run"])
            answered = find_rated_sample(store, run.id, sample)
            scores = [(metric, score) for _, metric, score in store.scores(run.id, sample)]
            index = AnswerIndex(store.database)
            before, after = index.neighbours(run.id, sample)
            answer = view_answer(answered, scores, by)
            of_turns = _find_turn_scores(index, run.id, answered)
            rated = [answered, *_rated_parts(store.database, answered)]
            return {
                "run": run,
                "sample": answered,
                "set_sample": store.sample(run.id, sample),
                "answer": answer,
                "thread": _view_conversation(answered, answer["text"], of_turns),
                "conversation": _find_conversation(index, run.id, answered),
                "ratings": find_judgements(store.database, [one.fingerprint for one in rated]),
                "scales": {name: queue.settings.scale for name, queue in read_answer_queues(store.database).items()},
                "before": before,
                "after": after,
            }

        page = await self.viewer.in_store(read)
        run = page["run"].id
        path = answer_url(run, sample)
        is_conversation = count_turns(page["sample"]) > 0
        content = page | {
            "title": f"{'Conversation' if is_conversation else 'Answer'} {sample}",
            "thread_words": load_language(FALLBACK).rating_page,
            "is_conversation": is_conversation,
            "rating": describe_rating(page["sample"]),
            "turn_count": count_turns(page["sample"]),
            "turn_url": _turn_url(page["thread"]),
            "answer_url": lambda other: answer_url(run, other),
            "by_url": lambda metric: f"{path}&{urlencode({'by': metric})}",
            "shared_path": (await self.viewer.sessions.access(request)).link_path(READER, READER, path),
        }
        return self.viewer.render(request, "answer_page.html", content)

    @for_visitors
    async def _replies(self, request: Request) -> Response:
        sample, metric = request.query_params.get("id", ""), request.query_params.get("metric", "")

        def audit(store: Store) -> ReplyAudit:
            run = store.run(request.path_params["run"])
            return audit_replies(store, run, store.sample(run.id, sample), metric)

        return self.viewer.render(request, "replies.html", {"audit": await self.viewer.in_store(audit)})


def _view_conversation(
    sample: Sample, answer: RenderedText, scores: Mapping[int, tuple[str, str]]
) -> ThreadView | None:
    """The thread of a conversation with the scores of its turns; None for an answer without messages."""
    if not sample.messages:
        return None
    language, tested = load_language(FALLBACK), find_tested_turn(sample)
    return view_thread(sample, language, tested=tested, answer=answer, scores=scores, has_ratings=True)


def _find_turn_scores(index: AnswerIndex, run: str, sample: Sample) -> dict[int, tuple[str, str]]:
    """What the turns of a conversation scored by themselves, and the page of each, by the turn's place."""
    names = {turn_id(sample.id, place): place for place in _places(sample)}
    return {
        names[name]: (_write_scores(values), answer_url(run, name))
        for name, values in index.values(run, list(names)).items()
    }


def _write_scores(values: Mapping[str, tuple[float | None, str]]) -> str:
    return "; ".join(
        f"{metric} {status if value is None else typeset(Figure('value', value))}"
        for metric, (value, status) in sorted(values.items())
        if metric not in ALL_BASELINES
    )


def _find_conversation(index: AnswerIndex, run: str, sample: Sample) -> tuple[str, str | None] | None:
    """The conversation that a turn is of, and its page where the run has it; None for what is no turn."""
    if not is_turn(sample):
        return None
    name = str(sample.metadata["conversation"])
    url = f"{answer_url(run, name)}#turn-{sample.metadata['turn']}" if index.values(run, [name]) else None
    return name, url


def _turn_url(thread: ThreadView | None) -> Callable[[int], str]:
    """Gives the address of a turn on this page; "" for one that the thread does not have."""
    count = len(thread or ())
    return lambda turn: f"#turn-{turn}" if 0 <= turn < count else ""


def _places(sample: Sample) -> list[int]:
    """The places of a conversation's answers; none for an answer, or for one turn."""
    return [] if is_turn(sample) else [turn.answer for turn in find_turns(sample.messages)]


def _rated_parts(database: Database, sample: Sample) -> list[Sample]:
    """The answers of a conversation that people rated by themselves."""
    names = {turn_id(sample.id, place): place for place in _places(sample)}
    return turn_samples(sample, {names[name] for name in rated_ids(database, list(names))})
