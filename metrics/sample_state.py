"""A sample as a judge is shown it: its fields, or its conversation with all that was known before the answer."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from ..errors import JudgeError
from ..eval_sets.conversation import earlier_messages, message_line
from ..eval_sets.message import Message, find_turns, tool_label, tool_names
from ..eval_sets.sample import Sample
from ..judges import Judge, JudgeSettings, Question, Request
from ..judges.run import context_need
from ..languages import Language, language_or_fallback
from ..text.sentence_kinds import CLAIM, QUESTION, TO_JUDGE
from ..text.sentences import NO_SENTENCES, answer_sentences, passages_without_words_to_judge, without_words_to_judge
from ..text.text_matching import Place, find_nearest_sentence, tokens
from ..text.wording import count_of
from .score import Claim, QuotedDocument

STATE_PARTS = {
    "retrieved_contexts": "documentation",
    "user_input": "question",
    "response": "answer",
    "reference": "reference",
}
"""The part of the state that shows a field; a judge reads them in this order, what samples share first."""


def sample_state(sample: Sample, fields: Collection[str]) -> dict[str, str]:
    """Shows fields of a sample as the parts of a state.

    Example:
        >>> sample = Sample(id="1", user_input="Is it free?", response="Yes.", retrieved_contexts=("A.", "B."))
        >>> sample_state(sample, ("response", "retrieved_contexts"))
        {'documentation': 'A.\\n\\nB.', 'answer': 'Yes.'}
    """
    state = {}
    for field, part in STATE_PARTS.items():
        if field in fields:
            value = shown_contexts(sample) if field == "retrieved_contexts" else getattr(sample, field) or ""
            state[part] = value if isinstance(value, str) else "\n\n".join(value)
    return state


class TableContext(str):
    """A context that is a table of the sample as text."""

    __slots__ = ()


def shown_contexts(sample: Sample) -> tuple[str, ...]:
    """The contexts of a sample as a judge is shown them: without what in them speaks to whoever assesses an answer."""
    return passages_without_words_to_judge(sample.retrieved_contexts, language_or_fallback(sample.language))


def read_fields(typed: str) -> tuple[str, ...]:
    """Reads the names of a sample's fields, joined by `+`.

    Raises:
        ValueError: One is no field that a judge can be shown.

    Example:
        >>> read_fields("user_input + response")
        ('user_input', 'response')
    """
    fields = tuple(name.strip() for name in typed.split("+"))
    if unknown := [name for name in fields if name not in STATE_PARTS]:
        raise ValueError(f"{unknown[0]!r} is no field that a judge can be shown; these are {', '.join(STATE_PARTS)}")
    return tuple(dict.fromkeys(fields))


def earlier_turns(sample: Sample) -> dict[str, str]:
    """Shows the turns before a sample's message as the part `conversation`; nothing where the sample has none.

    Each message is one line, so that no message can pass for another speaker's. What speaks to a judge is left out.

    Example:
        >>> history = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi, how can I help?"}]
        >>> earlier_turns(Sample(id="1", user_input="How?", response="So.", metadata={"history": history}))
        {'conversation': 'user: Hello.\\nassistant: Hi, how can I help?'}
    """
    if not sample.messages:
        return {}
    language = language_or_fallback(sample.language)
    texts = [(message.role, without_words_to_judge(message.text, language)) for message in earlier_messages(sample)]
    lines = [message_line(role, text) for role, text in texts if text]
    return {"conversation": "\n".join(lines)} if lines else {}


T = TypeVar("T")

_SHORTEST = 120
_SHORTER = (None, 2_000, 500, _SHORTEST)
"""The most characters of a tool's result that a judge is shown; each is tried before the next."""


class Thread(NamedTuple):
    """A conversation as a judge is shown it."""

    text: str  # one line per message, which begins with its turn in brackets
    shortened: int = 0
    most_characters: int | None = None  # to how many characters; None where none was
    addressed: tuple[int, ...] = ()  # the turns out of which words to the judge were left

    def evidence(self) -> dict[str, Any]:
        """What was cut, for the evidence; empty where nothing was."""
        addressed = {"words_to_the_judge_in": [*self.addressed]} if self.addressed else {}
        return describe_shortened(self.shortened, self.most_characters) | addressed


def describe_shortened(count: int, most_characters: int | None) -> dict[str, Any]:
    """Says in the evidence how many results of tools were cut, and to how many characters; empty where none was."""
    return {"shortened": {"tool_results": count, "to_characters": most_characters}} if count else {}


def write_thread(sample: Sample, most_characters: int | None = None) -> Thread:
    """Writes a conversation, one line per message and per call of a tool, without the policy.

    Words to the judge are left out of messages and results of tools, as far as the language pack knows them.

    Example:
        >>> messages = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
        >>> print(write_thread(Sample(id="1", messages=messages, language="en")).text)
        [0] Customer: Free?
        [1] Assistant: Yes.
    """
    language = language_or_fallback(sample.language, "statements")
    words = language.statements
    tools = tool_names(sample.messages)
    lines, shortened, addressed = [], 0, list[int]()
    for turn, message in enumerate(sample.messages):
        text = "" if message.role == "system" else without_words_to_judge(message.text, language)
        if message.role != "system" and text != message.text:
            addressed.append(turn)
            text = text or "[...]"
        if message.role == "tool":
            text, is_cut = _cut(text, most_characters)
            shortened += is_cut
            lines.append(message_line(f"[{turn}] {words.tool_result.format(tool=tool_label(tools[turn]))}", text))
        elif message.role != "system" and text.strip():
            speaker = words.customer if message.role == "user" else words.assistant
            lines.append(message_line(f"[{turn}] {speaker}", text))
        for call in message.tool_calls:
            speaker = words.tool_call.format(tool=tool_label(call.function.name))
            lines.append(message_line(f"[{turn}] {speaker}", call.function.arguments))
    return Thread("\n".join(lines), shortened, most_characters if shortened else None, tuple(addressed))


def _cut(text: str, most_characters: int | None) -> tuple[str, bool]:
    """A tool's result with at most so many characters, and whether it was cut."""
    if most_characters is None or len(text) <= most_characters:
        return text, False
    return f"{text[:most_characters]} [...]", True


def fitting_thread(sample: Sample, judge: Judge, ask: Callable[[str], Request | Question[Any]]) -> Thread:
    """Writes a conversation as long as the judge can read it: results of tools are cut where all does not fit."""
    return fit_results(lambda most: write_thread(sample, most), judge, lambda thread: ask(thread.text))


def fit_results(write: Callable[[int | None], T], judge: Judge, ask: Callable[[T], Request | Question[Any]]) -> T:
    """Writes a conversation with results of tools as long as the judge can read them."""
    settings = getattr(judge, "settings", None)
    if not isinstance(settings, JudgeSettings):
        return write(None)
    need = limit = 0
    for most in _SHORTER:
        written = write(most)
        need, known = context_need(ask(written), settings)
        if known is None or need <= known:
            return written
        limit = known
    length = count_of(_SHORTEST, "character")
    cut = "" if write(_SHORTEST) == write(None) else f" with every result of a tool cut to {length}"
    cure = "raise context_tokens in the judge's settings, or " if settings.states_context else ""
    raise JudgeError(
        f"the conversation takes about {count_of(need, 'token')}{cut}, and the judge reads {limit:,}; "
        f"{cure}take a judge with a longer context"
    )


DocumentKind = Literal["context", "earlier context", "tool result", "customer", "table"]
_LONGEST_QUOTE = 300  # characters of a tool's result that are quoted
_RESULT_WORD = re.compile(r"\w+")


class Document(NamedTuple):
    """A text that may support a claim."""

    kind: DocumentKind
    turn: int | None  # the message that it came with, counted from 0; None for a table, which came with none
    text: str
    line: str  # it as the judge reads it: what a tool returned or the customer said is one line that says so


class Documentation(NamedTuple):
    """All that may support an answer."""

    # the contexts of the sample in their order, earlier ones, results of tools, the customer's messages
    documents: tuple[Document, ...]
    shortened: int = 0
    most_characters: int | None = None  # to how many characters; None where none was
    states_fact: bool = True  # whether one of them may support a claim: the customer may only have asked

    @property
    def lines(self) -> tuple[str, ...]:
        """Each document as the judge reads it."""
        return tuple([document.line for document in self.documents])

    @property
    def text(self) -> str:
        """The documentation as the judge reads it."""
        return "\n\n".join(self.lines)

    def evidence(self) -> dict[str, Any]:
        """What counted as documentation, and what of it was cut."""
        kinds = [{"kind": document.kind, "turn": document.turn} for document in self.documents]
        return {"documentation": kinds} | describe_shortened(self.shortened, self.most_characters)


def collect_documents(
    sample: Sample, most_characters: int | None = None, *, shows_tables: bool = False
) -> Documentation:
    """Collects what was known when the answer under test was given.

    Example:
        >>> asked = {"role": "user", "content": "I have 3 bags. Are those free of charge?"}
        >>> messages = [asked, {"role": "assistant", "content": "Yes."}]
        >>> sample = Sample(id="1", messages=messages, retrieved_contexts=["Bags are free."], language="en")
        >>> [(document.kind, document.turn, document.text) for document in collect_documents(sample).documents]
        [('context', 1, 'Bags are free.'), ('customer', 0, 'I have 3 bags.')]
    """
    language = language_or_fallback(sample.language, "statements")
    answer = sample.turn if sample.turn is not None else len(sample.messages)
    start = next((turn.start for turn in find_turns(sample.messages) if turn.answer == answer), answer)
    contexts = _contexts(sample, start, answer)
    if shows_tables:
        count = len(sample.retrieved_contexts)
        tables = [document._replace(kind="table", turn=None) for document in contexts[:count]]
        contexts = [*tables, *contexts[count:]]
    results, shortened = _results(sample.messages[:answer], language, most_characters)
    customer = [
        document
        for turn, message in enumerate(sample.messages[:answer])
        if message.role == "user" and (document := _read_customer(turn, message, language))
    ]
    states_fact = bool(contexts or results) or any(
        part.kind == CLAIM for document in customer for part in answer_sentences(document.text, language)
    )
    documents = (*contexts, *results, *customer)
    return Documentation(documents, shortened, most_characters if shortened else None, states_fact)


def fitting_documents(
    sample: Sample,
    judge: Judge,
    ask: Callable[[Documentation], Request | Question[Any]],
    *,
    shows_tables: bool = False,
) -> Documentation:
    """Collects what was known, as much as the judge can read: results of tools are cut where all does not fit."""
    return fit_results(lambda most: collect_documents(sample, most, shows_tables=shows_tables), judge, ask)


def _contexts(sample: Sample, start: int, answer: int) -> list[Document]:
    places: dict[str, int] = {}
    for turn, message in enumerate(sample.messages[: answer + 1]):
        places |= dict.fromkeys(message.retrieved_contexts, turn)
    own = list(sample.retrieved_contexts)
    now = [text for text, turn in places.items() if turn >= start and text not in own]
    documents: list[tuple[DocumentKind, int, str]] = [
        ("context", places.get(text, answer), text) for text in (*own, *now)
    ]
    documents += [("earlier context", turn, text) for text, turn in places.items() if turn < start and text not in own]
    shown = passages_without_words_to_judge(
        tuple([text for _, _, text in documents]), language_or_fallback(sample.language)
    )
    return [Document(kind, turn, text, line) for (kind, turn, text), line in zip(documents, shown, strict=True)]


def _results(
    messages: Sequence[Message], language: Language, most_characters: int | None
) -> tuple[list[Document], int]:
    names = tool_names(messages)
    documents, shortened = [], 0
    for turn, message in enumerate(messages):
        text = without_words_to_judge(message.text, language) if message.role == "tool" else ""
        if not text.strip():
            continue
        text, is_cut = _cut(text, most_characters)
        shortened += is_cut
        label = language.statements.tool_result.format(tool=tool_label(names[turn]))
        documents.append(Document("tool result", turn, text, message_line(f"[{turn}] {label}", text)))
    return documents, shortened


def _read_customer(turn: int, message: Message, language: Language) -> Document | None:
    """What the customer said and did not only ask, without what speaks to a judge; a question with a number says it."""
    left_out = {TO_JUDGE, *NO_SENTENCES}
    sentences = [part for part in answer_sentences(message.text, language) if part.kind not in left_out]
    stated = [part.written for part in sentences if part.kind != QUESTION or any(map(str.isdigit, part.written))]
    text = " ".join(" ".join(sentence.split()) for sentence in stated)
    if not text:
        return None
    return Document("customer", turn, text, message_line(f"[{turn}] {language.statements.customer}", text))


def quote_documents(claims: Sequence[Claim], sample: Sample, documentation: Documentation) -> list[Claim]:
    """Gives each supported claim the sentence that shares most of its words, and says what that stands in.

    Returns:
        The claims; `document` says in which kind of document a quote stands, and with which message that came. `place`
        is there for a quote in the sample's own contexts: it counts these.
    """
    texts = tuple(document.text for document in documentation.documents)
    of_company = tuple("" if document.kind == "customer" else document.text for document in documentation.documents)
    quoted = []
    for claim in claims:
        place = None
        if claim.verdict == "supported":  # what the customer said is the quote of what nothing else says
            place = find_nearest_sentence(claim.text, of_company) or find_nearest_sentence(claim.text, texts)
        if place is None:
            quoted.append(claim)
            continue
        document = documentation.documents[place.context]
        if document.kind == "tool result":
            place = _narrow(claim.text, document.text, place)
        is_own = document.kind == "context" and place.context < len(sample.retrieved_contexts)
        source = QuotedDocument(document.kind, document.turn)
        quoted.append(claim.with_quote(document.text[place.start : place.end], place if is_own else None, source))
    return quoted


def _narrow(claim: str, text: str, place: Place) -> Place:
    """The part of a long result, such as JSON, that has the most different words of the claim."""
    if place.end - place.start <= _LONGEST_QUOTE:
        return place
    wanted = set(tokens(claim))
    hits = [
        (match.start(), match[0].casefold())
        for match in _RESULT_WORD.finditer(text, place.start, place.end)
        if match[0].casefold() in wanted
    ]
    best, start, first = 0, place.start, 0
    window: dict[str, int] = {}
    for at, word in hits:
        window[word] = window.get(word, 0) + 1
        while hits[first][0] < at - _LONGEST_QUOTE:
            gone = hits[first][1]
            window[gone] -= 1
            if not window[gone]:
                del window[gone]
            first += 1
        if len(window) > best:
            best, start = len(window), hits[first][0]
    return Place(place.context, start, min(start + _LONGEST_QUOTE, place.end))
