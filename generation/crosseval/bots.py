"""The chatbot under test: a model behind Assay's retrieval, an HTTP endpoint, or your own function."""

import asyncio
import hashlib
import importlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import CassetteMiss, InputError, JudgeError, UsageError
from ...json_text import parse_json
from ...judges import Cassette, LiteLLMJudge, PlainText, Question, RawReply
from ...judges.cassette import Recording, short_hash
from ...judges.secrets import Scrubber, recordable_url
from ...prompts import BUNDLED, Prompts
from ...regular_files import read_text_file
from ...worker_threads import call_beside
from .pages import Page

if TYPE_CHECKING:
    import httpx

DEFAULT_TEMPLATE = {"question": "$question", "pages": "$pages"}
_FUNCTION = re.compile(r"(?!gguf:)[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_TIMEOUT = 120.0  # seconds per answer
_TRIES = 3
_LONGEST_QUOTE = 300  # characters of a reply in an error


@dataclass(frozen=True)
class BotQuestion:
    """What a bot is question."""

    question: str
    pages: Sequence[Page]  # the pages that retrieval found for it, the nearest first
    fold: int
    language: str
    sample: str = ""


@dataclass(frozen=True)
class BotAnswer:
    """A bot's answer."""

    text: str
    contexts: tuple[str, ...] | None = None  # the contexts that the bot says it used; None where it does not say


class Bot(Protocol):
    """A chatbot; reports show its `name`."""

    name: str

    async def answer(self, question: BotQuestion) -> BotAnswer:
        """Answers a question."""
        ...


class ModelBot:
    """A model that answers from the retrieved pages only; without pages it declines without a call (5.5.2)."""

    def __init__(self, model: LiteLLMJudge, prompts: Prompts = BUNDLED) -> None:
        self.name = model.name
        self._model = model
        self._prompts = prompts

    async def answer(self, question: BotQuestion) -> BotAnswer:
        """Asks the model."""
        if not question.pages:
            return BotAnswer("")
        prompt = self._prompts.load("chatbot", question.language)
        pages = "\n\n".join(page.text for page in question.pages)
        user = prompt.render({"pages": pages, "question": question.question})
        reply = await self._model.ask(
            Question(prompt, user, PlainText, f"{question.sample} with fold {question.fold}", prompts=self._prompts)
        )
        return BotAnswer(reply.value.text.strip())


class HttpBot:
    """An HTTP endpoint that takes JSON and returns JSON with the answer in it."""

    def __init__(self, url: str, template: Any, answer_path: str, cassette: Cassette | None = None) -> None:
        self.name = recordable_url(url)
        if self.name != url:
            self.name += f" {short_hash(url)}"  # bots that differ in what is withheld stay apart
        self._url = url
        self._template = template
        self._path = answer_path
        self._scrubber = Scrubber(url, {"template": template})
        self._recorded = _RecordedAnswers(self.name, cassette, Scrubber(url), key=url)

    async def answer(self, question: BotQuestion) -> BotAnswer:
        """Sends the question."""
        body = fill_template(self._template, question)
        return await self._recorded.answer(json.dumps(body, sort_keys=True), question, lambda: self._post(body))

    async def _post(self, body: Any) -> Any:
        import httpx

        async with httpx.AsyncClient(timeout=_TIMEOUT) as client:
            for attempt in range(1, _TRIES + 1):
                try:
                    response = await client.post(self._url, json=body)
                except httpx.HTTPError as error:
                    problem = f"{type(error).__name__}: {error}"
                else:
                    if response.is_success:
                        return self._value_in(response)
                    problem = f"status {response.status_code}: {response.text}"
                    if response.status_code < 500 and response.status_code != 429:
                        break
                if attempt < _TRIES:
                    await asyncio.sleep(0.2 * attempt)
        raise JudgeError(f"{self.name} gave no answer: {self._scrubber.scrub_error(problem)[:_LONGEST_QUOTE]}")

    def _value_in(self, response: "httpx.Response") -> Any:
        try:
            value = response.json()
            for step in self._path.split("."):
                value = value[int(step)] if isinstance(value, list) else value[step]
        except (ValueError, KeyError, IndexError, TypeError) as error:
            reply = self._scrubber.scrub_error(response.text)[:_LONGEST_QUOTE]
            raise JudgeError(
                f"{self.name} gave a reply without {self._path!r} (--bot-answer): {reply!r} ({type(error).__name__})"
            ) from error
        return value


class FunctionBot:
    """A function `(question, pages)`, async or not, that returns a text, or a dict with `answer` and `contexts`."""

    def __init__(self, specification: str, cassette: Cassette | None = None) -> None:
        self.name = specification
        self._function = _import_function(specification)
        self._scrubber = Scrubber()
        self._recorded = _RecordedAnswers(specification, cassette, self._scrubber)

    async def answer(self, question: BotQuestion) -> BotAnswer:
        """Calls the function."""
        pages = [page.text for page in question.pages]
        key = json.dumps([question.question, pages], ensure_ascii=False)
        return await self._recorded.answer(key, question, lambda: self._call(question.question, pages))

    async def _call(self, question: str, pages: list[str]) -> Any:
        try:
            if inspect.iscoroutinefunction(self._function):
                return await self._function(question, pages)
            return await call_beside(self._function, question, pages)
        except Exception as error:  # it is the user's code: its error fails one answer, not the run
            reason = self._scrubber.scrub_error(str(error))
            raise JudgeError(f"{self.name} broke: {type(error).__name__}: {reason}") from error


class _RecordedAnswers:
    """Answers of a bot that is no model, recorded and replayed as replies of a model are."""

    def __init__(self, bot: str, cassette: Cassette | None, scrubber: Scrubber, key: str | None = None) -> None:
        """`key` is what tells the bot from others, hashed into the keys of its answers; its name if left out."""
        self._bot = bot
        self._scrubber = scrubber
        self._key = key or bot
        self._cassette = cassette

    async def answer(self, content: str, question: BotQuestion, ask: Callable[[], Any]) -> BotAnswer:
        key = hashlib.sha256(f"{self._key}\x1e{content}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        recording = self._cassette.get(key) if self._cassette else None
        if recording is not None:
            return _parse_answer(json.loads(recording.reply.text), self._bot)
        if self._cassette is not None and self._cassette.mode == "replay":
            raise CassetteMiss(f"no recording in {self._cassette.path} of {self._bot} for sample {question.sample}")
        raw = await ask()
        _parse_answer(raw, self._bot)
        text = self._scrubber.scrub(json.dumps(raw, ensure_ascii=False))
        answer = _parse_answer(json.loads(text), self._bot)
        if self._cassette is not None:
            reply = RawReply(model=self._bot, text=text)
            about = question.question[-160:]
            self._cassette.put(Recording(key, "bot", question.sample, {}, "answer", short_hash(content), about, reply))
        return answer


def load_bot(
    specification: str,
    model: Callable[[str], LiteLLMJudge],
    cassette: Cassette | None = None,
    template: Path | None = None,
    answer_path: str = "answer",
) -> Bot:
    """Loads a bot by its name."""
    if specification.startswith(("http://", "https://")):
        return HttpBot(specification, _read_template(template), answer_path, cassette)
    if _FUNCTION.fullmatch(specification):
        return FunctionBot(specification, cassette)
    return ModelBot(model(specification))


def fill_template(template: Any, question: BotQuestion) -> Any:
    """Fills in a template.

    Returns:
        The JSON with these values replaced; a text cannot break it.

    Example:
        >>> fill_template({"q": "$question", "n": 3}, BotQuestion("How?", [], fold=1, language="en"))
        {'q': 'How?', 'n': 3}
    """
    values: Mapping[str, Any] = {
        "$question": question.question,
        "$pages": [page.text for page in question.pages],
        "$fold": question.fold,
        "$language": question.language,
    }
    if isinstance(template, dict):
        return {name: fill_template(value, question) for name, value in template.items()}
    if isinstance(template, list):
        return [fill_template(value, question) for value in template]
    return values.get(template, template) if isinstance(template, str) else template


def _read_template(path: Path | None) -> Any:
    if path is None:
        return DEFAULT_TEMPLATE
    try:
        template = parse_json(read_text_file(path, "the template"))
    except ValueError as error:
        raise InputError(f"{path}: the template {error}; correct it there") from error
    if '"$question"' not in json.dumps(template):
        raise InputError(f'{path}: no value of the template is "$question"; write one such as {DEFAULT_TEMPLATE}')
    return template


def _parse_answer(raw: Any, bot: str) -> BotAnswer:
    contexts = raw.get("contexts") if isinstance(raw, dict) else None
    text = raw.get("answer") if isinstance(raw, dict) else raw
    if not isinstance(text, str) or not isinstance(contexts, list | None):
        raise JudgeError(
            f"{bot} returned {str(raw)[:100]!r}; it should return a text, or a dict with answer and contexts"
        )
    clean = text.encode("utf-8", "replace").decode().replace("\0", "").strip()
    return BotAnswer(clean, None if contexts is None else tuple(map(str, contexts)))


def _import_function(specification: str) -> Callable[..., Any]:
    module, _, name = specification.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # the function may be in a file in the current folder, as with `python -m`
    try:
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the bot {specification} cannot be imported: {error}; write module:function") from error
    if not callable(function):
        raise UsageError(f"the bot {specification} is not a function")
    return function
