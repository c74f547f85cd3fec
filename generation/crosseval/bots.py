"""The chatbot under test: a model with our retrieval in front, an HTTP endpoint, or a function of yours."""

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
from typing import Any, Protocol

from ...errors import CassetteMiss, InputError, JudgeError, UsageError
from ...judges import Cassette, LiteLLMJudge, PlainText, Question, RawReply
from ...judges.recording import Recording, short_hash
from ...prompts import BUNDLED, Prompts
from .pages import Page

DEFAULT_TEMPLATE = {"question": "$question", "pages": "$pages"}
_FUNCTION = re.compile(r"(?!gguf:)[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_TIMEOUT = 120.0  # seconds an answer
_TRIES = 3


@dataclass(frozen=True)
class BotQuestion:
    """What a bot is asked: the question, the pages that retrieval found for it, and which fold is loaded."""

    question: str
    pages: Sequence[Page]
    fold: int
    language: str
    sample: str = ""


@dataclass(frozen=True)
class BotAnswer:
    """What a bot said, and the contexts that it says it used; None where it does not tell."""

    text: str
    contexts: tuple[str, ...] | None = None


class Bot(Protocol):
    """A chatbot. `name` stands in reports."""

    name: str

    async def answer(self, asked: BotQuestion) -> BotAnswer:
        """What it says. Raises `JudgeError` where no answer can be had."""
        ...


class ModelBot:
    """A model that is told to answer from the retrieved pages only; without pages it declines unasked (5.5.2)."""

    def __init__(self, model: LiteLLMJudge, prompts: Prompts = BUNDLED) -> None:
        self.name = model.name
        self._model = model
        self._prompts = prompts

    async def answer(self, asked: BotQuestion) -> BotAnswer:
        """The model's words."""
        if not asked.pages:
            return BotAnswer("")
        prompt = self._prompts.load("chatbot", asked.language)
        pages = "\n\n".join(page.text for page in asked.pages)
        user = prompt.render({"pages": pages, "question": asked.question})
        reply = await self._model.ask(
            Question(prompt, user, PlainText, f"{asked.sample} with fold {asked.fold}", prompts=self._prompts)
        )
        return BotAnswer(reply.value.text.strip())


class HttpBot:
    """An endpoint that takes JSON made from a template, and gives JSON with the answer in it.

    In the template `$question`, `$pages` (a list), `$fold` and `$language` are filled in where they are a whole value.
    `answer_path` leads to the answer: `choices.0.message.content`. Its replies can be kept in a cassette.
    """

    def __init__(self, url: str, template: Any, answer_path: str, cassette: Cassette | None = None) -> None:
        self.name = url
        self._template = template
        self._path = answer_path
        self._kept = _KeptAnswers(url, cassette)

    async def answer(self, asked: BotQuestion) -> BotAnswer:
        """POSTs the question. Raises `JudgeError` for a failed call or a reply without the answer."""
        body = fill_template(self._template, asked)
        return await self._kept.answer(json.dumps(body, sort_keys=True), asked, lambda: self._post(body))

    async def _post(self, body: Any) -> Any:
        import httpx

        async with httpx.AsyncClient(timeout=_TIMEOUT) as client:
            for attempt in range(1, _TRIES + 1):
                try:
                    response = await client.post(self.name, json=body)
                except httpx.HTTPError as error:
                    problem = f"{type(error).__name__}: {error}"
                else:
                    if response.is_success:
                        return _at(response, self._path, self.name)
                    problem = f"status {response.status_code}: {response.text[:200]}"
                    if response.status_code < 500 and response.status_code != 429:
                        break
                if attempt < _TRIES:
                    await asyncio.sleep(0.2 * attempt)
        raise JudgeError(f"{self.name} gave no answer: {problem}")


class FunctionBot:
    """A function `(question, pages)`, async or not, that gives a text, or a dict with `answer` and maybe `contexts`."""

    def __init__(self, specification: str, cassette: Cassette | None = None) -> None:
        self.name = specification
        self._function = _imported(specification)
        self._kept = _KeptAnswers(specification, cassette)

    async def answer(self, asked: BotQuestion) -> BotAnswer:
        """What the function gives. Raises `JudgeError` for one that raises."""
        pages = [page.text for page in asked.pages]
        key = json.dumps([asked.question, pages], ensure_ascii=False)
        return await self._kept.answer(key, asked, lambda: self._called(asked.question, pages))

    async def _called(self, question: str, pages: list[str]) -> Any:
        try:
            if inspect.iscoroutinefunction(self._function):
                return await self._function(question, pages)
            return await asyncio.to_thread(self._function, question, pages)
        except Exception as error:  # somebody else's code: its error fails an answer, not the run
            raise JudgeError(f"{self.name} broke: {type(error).__name__}: {error}") from error


class _KeptAnswers:
    """Answers of a bot that is no model, kept as replies are: replayed where the cassette has them."""

    def __init__(self, bot: str, cassette: Cassette | None) -> None:
        self._bot = bot
        self._cassette = cassette

    async def answer(self, content: str, asked: BotQuestion, ask: Callable[[], Any]) -> BotAnswer:
        key = hashlib.sha256(f"{self._bot}\x1e{content}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        kept = self._cassette.get(key) if self._cassette else None
        if kept is not None:
            return _read(json.loads(kept.reply.text), self._bot)
        if self._cassette is not None and self._cassette.mode == "replay":
            raise CassetteMiss(f"no recording in {self._cassette.path} of {self._bot} for sample {asked.sample}")
        said = await ask()
        answer = _read(said, self._bot)
        if self._cassette is not None:
            reply = RawReply(model=self._bot, text=json.dumps(said, ensure_ascii=False))
            about = asked.question[-160:]
            self._cassette.put(Recording(key, "bot", asked.sample, {}, "answer", short_hash(content), about, reply))
        return answer


def load_bot(
    specification: str,
    model: Callable[[str], LiteLLMJudge],
    cassette: Cassette | None = None,
    template: Path | None = None,
    answer_path: str = "answer",
) -> Bot:
    """The bot that was named: `http(s)://...`, `module:function`, else a model, which `model` makes of its name.

    Raises `UsageError` for one that there is not, `InputError` for a template that is no JSON.
    """
    if specification.startswith(("http://", "https://")):
        return HttpBot(specification, _template(template), answer_path, cassette)
    if _FUNCTION.fullmatch(specification):
        return FunctionBot(specification, cassette)
    return ModelBot(model(specification))


def fill_template(template: Any, asked: BotQuestion) -> Any:
    """A template with its `$names` filled in; as values, so that no text can break the JSON."""
    values: Mapping[str, Any] = {
        "$question": asked.question,
        "$pages": [page.text for page in asked.pages],
        "$fold": asked.fold,
        "$language": asked.language,
    }
    if isinstance(template, dict):
        return {name: fill_template(value, asked) for name, value in template.items()}
    if isinstance(template, list):
        return [fill_template(value, asked) for value in template]
    return values.get(template, template) if isinstance(template, str) else template


def _template(path: Path | None) -> Any:
    if path is None:
        return DEFAULT_TEMPLATE
    try:
        template = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{path}: the template cannot be read as JSON: {error}") from error
    if '"$question"' not in json.dumps(template):
        raise InputError(f'{path}: no value of the template is "$question"; write one such as {DEFAULT_TEMPLATE}')
    return template


def _at(response: Any, path: str, bot: str) -> Any:
    try:
        found = response.json()
        for step in path.split("."):
            found = found[int(step)] if isinstance(found, list) else found[step]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise JudgeError(
            f"{bot} gave a reply without {path!r} (--bot-answer): {response.text[:200]!r} ({type(error).__name__})"
        ) from error
    return found


def _read(said: Any, bot: str) -> BotAnswer:
    contexts = said.get("contexts") if isinstance(said, dict) else None
    text = said.get("answer") if isinstance(said, dict) else said
    if not isinstance(text, str) or not isinstance(contexts, list | None):
        raise JudgeError(f"{bot} gave {str(said)[:100]!r}; a text, or answer and contexts, is wanted")
    clean = text.encode("utf-8", "replace").decode().replace("\0", "").strip()
    return BotAnswer(clean, None if contexts is None else tuple(map(str, contexts)))


def _imported(specification: str) -> Callable[..., Any]:
    module, _, name = specification.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # a file of yours in the folder where you are, as with `python -m`
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the bot {specification} cannot be imported: {error}; write module:function") from error
    if not callable(found):
        raise UsageError(f"the bot {specification} is no function")
    function: Callable[..., Any] = found
    return function
