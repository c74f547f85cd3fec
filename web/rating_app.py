"""The application behind `assay rate`: the raters' pages and the coordinator's, on one queue."""

from typing import Any
from urllib.parse import urlencode

from ..errors import UsageError
from ..eval_sets import Sample
from ..eval_sets.message import Message
from ..languages import Language
from ..presentation.rendered_markdown import render_markdown
from ..runs.ratings.answer_pair import Side
from ..runs.ratings.rating_queue import RatingQueue, read_queue_secret
from ..runs.store.database import Database
from .connections import Connections
from .rater_pages import CANNOT_TELL, RATER, RATER_HOME, RaterPages, contexts_beside, count_progress, read_reason
from .rating_meaning import MeaningOfRatings
from .sessions import Form, Sessions
from .site_address import THIS_MACHINE, SiteAddress
from .team_pages import COORDINATOR, TEAM_HOME, TeamPages
from .thread_view import ThreadView, view_thread

_SIDES: dict[str, Side] = {"1": "left", "2": "same", "3": "right"}  # by the key


class RatingApp:
    """The rating application; `asgi` is what a server runs."""

    def __init__(
        self,
        connections: Connections,
        queue: str,
        site: SiteAddress = THIS_MACHINE,
        meaning: MeaningOfRatings | None = None,
    ) -> None:
        self._connections = connections
        self._queue = queue
        opened = connections.run(lambda database: RatingQueue(database, queue))
        self._raters = opened.settings.raters
        pages = PairPages if opened.kind == "pairs" else RaterPages
        self._sessions = Sessions(
            lambda: connections.run(lambda database: read_queue_secret(database, queue)),
            {RATER: RATER_HOME, COORDINATOR: TEAM_HOME},
        )
        parts = [pages(connections, queue, self._sessions), TeamPages(connections, queue, self._sessions, meaning)]
        self.asgi = self._sessions.application(parts, site)

    def end_links(self) -> None:
        """Makes a new secret: all links and sessions of the queue so far end."""
        self._connections.run(lambda database: RatingQueue(database, self._queue).renew_secret())

    def rater_paths(self) -> dict[str, str]:
        """The path of each rater's link, by name."""
        access = self._sessions.present_access()
        return {rater: access.link_path(RATER, rater) for rater in self._raters}

    def coordinator_path(self) -> str:
        """The path of the coordinator's link."""
        return self._sessions.present_access().link_path(COORDINATOR, COORDINATOR)


class PairPages(RaterPages):
    """The pages of the raters of one queue of pairs."""

    def _read_page(self, database: Database, rater: str, language: Language, around: int | None) -> dict[str, Any]:
        queue, words = RatingQueue(database, self._queue), language.rating_page
        assignment = queue.next_item(rater)
        if assignment is None:
            return {"done": words.compare_done}
        sides = assignment.sides
        content: dict[str, Any] = {
            "template": "pair.html",
            "title": words.compare_title,
            "showing": assignment.showing,
            "question": sides[0].user_input,
            "choices": (words.a_better, words.about_the_same, words.b_better),
            "has_turn": assignment.is_of_turns,
            "guideline": queue.guideline,
            "reason_hint": words.compare_reason_hint,
            "no_contexts": words.no_contexts_of_pair,
            "contexts": list(dict.fromkeys(context for side in sides for context in contexts_beside(side))),
            "threads": [],
            "turn_url": lambda turn: f"{RATER_HOME}?{urlencode({'turn': turn})}#a-turn-{turn}",
        }
        if any(side.messages for side in sides):
            content["no_contexts"] = words.no_contexts_of_turn
            content["threads"] = [
                _view_side(side, language, around, is_of_turns=assignment.is_of_turns) for side in sides
            ]
        else:
            content["answers"] = [render_markdown(side.response) for side in sides]
        return content | count_progress(queue, rater, words.compared_yours, words.compared_team)

    def _save_form(self, database: Database, rater: str, form: Form) -> None:
        value = form.text("value")
        if value != CANNOT_TELL and value not in _SIDES:
            raise UsageError("choose 1 (A is better), 2 (about the same) or 3 (B is better)")
        queue, showing = RatingQueue(database, self._queue), form.text("showing")
        pair = queue.shown_item(rater, showing)
        queue.choose(rater, pair, _SIDES.get(value), reason=read_reason(form), showing=showing)


def _view_side(answer: Sample, language: Language, around: int | None, *, is_of_turns: bool) -> ThreadView:
    """The thread of one side. Of turns the ends are compared; else the whole, from its beginning."""
    if not answer.messages:  # the other version has a conversation
        spoken = (Message(role="user", content=answer.user_input), Message(role="assistant", content=answer.response))
        answer = answer.model_copy(update={"messages": spoken})
    tested = len(answer.messages) - 1 if is_of_turns else None
    return view_thread(answer, language, tested=tested, around=0 if around is None and tested is None else around)
