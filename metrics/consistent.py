"""Consistent: the share of the assistant's claims that contradict no earlier one of its own."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..eval_sets.message import Message, ToolCall
from ..eval_sets.sample import Sample
from ..installation import require_packages
from ..judges import JudgeLike, Predicate, Request, open_judge
from ..judges.usage import NO_USAGE
from ..languages import Language, language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.markdown_lines import blank_comments
from ..text.pattern_screen import any_pattern
from ..text.sentence_kinds import CLAIM, YES_NO
from ..text.sentences import AnswerSentence, answer_sentences
from ..text.wording import count_of, verb_of
from .claim_comparison import ClaimContent, Difference, compare, find_subject, find_talk, merge_families, read_statement
from .claim_support import require_answers
from .conversation_state import Thread, fitting_thread
from .metric import Metric
from .score import Score, scored, skipped
from .worker import compute_for

MOST_CLAIMS = 400
"""At most so many claims are compared: each is compared with every earlier one."""
MOST_PAIRS = 20
"""At most so many pairs are put to the judge, unless `pairs` says otherwise."""
_ITEM = re.compile(r"(?<![ \t])[ \t]*(?:[-*+•–|]|\d{1,3}[.)]|#{1,6})[ \t]*[*_]{0,8}$")
_MOST_QUESTION_WORDS = 12
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DATE_OR_TIME = re.compile(r"(?=(?<!\d)(\d\d[-:]\d\d)(?!\d))")
_SMALL_NUMBER = 32  # smaller ones stand in any result of a tool by chance
# names of functions, which are English in programs of any language
_READS = re.compile(
    r"(?:get|search|find|list|check|look_?up|read|fetch|calculate|think|query|view|show|retrieve|status)", re.IGNORECASE
)


class ClaimPair(NamedTuple):
    """Two claims about the same thing.

    Attributes:
        earlier: The claim that was made first.
        difference: In what rules see that they differ; "" where they leave it to a judge.
        likeness: How much they share, in [0, 1].
    """

    earlier: ClaimContent
    later: ClaimContent
    difference: Difference | str
    likeness: float


class ComparedClaims(NamedTuple):
    """The claims of a conversation and what rules find between them.

    Attributes:
        contradictions: Pairs that rules decide, at most one per later claim.
        open: Pairs that rules leave open, the most alike first, at most one per later claim.
    """

    total: int
    contradictions: list[ClaimPair]
    open: list[ClaimPair]
    corrected: frozenset[int]


def compare_claims(sample: Sample) -> ComparedClaims:
    """Compares each claim of the assistant with its earlier ones, by rules.

    Example:
        >>> said = ["How long does a refund take?", "A refund takes 5 days.", "Sure?", "A refund takes 10 days."]
        >>> messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
        >>> compared = compare_claims(Sample(id="1", messages=messages, language="en"))
        >>> [pair.difference for pair in compared.contradictions]
        ['number']
    """
    reader = _ClaimReader(language_or_fallback(sample.language, "consistency"))
    for turn, message in enumerate(sample.messages):
        if message.role == "user" and message.text.strip():
            reader.read_question(message.text)
        elif message.is_answer:
            reader.read_answer(message.text, turn)
    statements = merge_families(reader.statements)
    contradictions: dict[tuple[int, str], ClaimPair] = {}
    left_open: dict[tuple[int, str], ClaimPair] = {}
    record = _Record(sample.messages)
    for place, later in enumerate(statements):
        key = later.turn, later.text
        for pair in _pairs(statements[:place], later, record):
            if pair.difference:
                contradictions.setdefault(key, pair)
                break
            if key not in left_open or pair.likeness > left_open[key].likeness:
                left_open[key] = pair
    still_open = [pair for key, pair in left_open.items() if key not in contradictions]
    still_open.sort(key=lambda pair: -pair.likeness)
    return ComparedClaims(len(reader.claims), [*contradictions.values()], still_open, frozenset(reader.corrected))


class _ClaimReader:
    """Reads the claims of a conversation, message by message.

    Attributes:
        statements: What the first claims say.
        claims: All claims, each with its turn.
    """

    def __init__(self, language: Language) -> None:
        self.statements: list[ClaimContent] = []
        self.claims: set[tuple[int, str]] = set()
        self.corrected: set[int] = set()
        self._language = language
        self._corrects = any_pattern(language.consistency.corrections)
        self._question = ""
        self._talk: frozenset[str] = frozenset()
        self._about: frozenset[str] = frozenset()  # also of "And how long does it take?", which says it before

    def read_question(self, message: str) -> None:
        """Reads what the customer asks: the last question of a message, or all of a short one."""
        parts = [part.written for part in answer_sentences(message, self._language)]
        asking = [part for part in parts if part.rstrip().endswith("?")]
        is_short = len(message.split()) <= _MOST_QUESTION_WORDS
        self._question = asking[-1] if asking else message if is_short else ""
        self._about = find_subject(self._question, self._language) or self._about
        self._talk = find_talk(message, self._language) or self._talk

    def read_answer(self, answer: str, turn: int) -> None:
        """Reads the claims of an answer, until there are `MOST_CLAIMS`."""
        answer = blank_comments(answer)
        if self._corrects.search(answer.replace("’", "'")):
            self.corrected.add(turn)
        about, is_first = self._about, True
        for sentence in answer_sentences(answer, self._language):
            is_claim = sentence.kind == CLAIM and (turn, sentence.text) not in self.claims
            if len(self.statements) >= MOST_CLAIMS:
                self.claims |= {(turn, sentence.text)} if is_claim else set()
                continue
            if is_first and (opening := _opening(sentence, self._language)):
                self._read_opening(sentence, opening, turn)
            is_first = is_first and sentence.kind not in {CLAIM, YES_NO}
            if not is_claim:
                continue
            line = answer[max(answer.rfind("\n", 0, sentence.start), 0) : sentence.start].lstrip("\n")
            is_listed = _ITEM.search(line) is not None
            statement = read_statement(
                sentence.text, turn, self._language, about=about, is_listed=is_listed, talk=self._talk
            )
            about = statement.strong or about
            self.statements.append(statement)
            self.claims.add((turn, sentence.text))

    def _read_opening(self, sentence: AnswerSentence, opening: str, turn: int) -> None:
        """Reads a yes or no: the question, affirmed or denied."""
        if not find_subject(self._question, self._language):
            return
        asked = read_statement(self._question, turn, self._language, opening=opening)
        is_denied = asked.is_denied != (opening == "no")
        marks = asked.marks - {"of_assistant", "own_case"}
        self.statements.append(asked._replace(text=sentence.text, is_denied=is_denied, marks=marks))
        if sentence.kind != CLAIM:
            self.claims.add((turn, sentence.text))


def _opening(sentence: AnswerSentence, language: Language) -> str:
    """`yes` or `no`, where a sentence begins with that."""
    begins = sentence.answer_word if sentence.kind == CLAIM else sentence.written if sentence.kind == YES_NO else ""
    first = (begins or sentence.text).casefold().lstrip("*_ ")
    yes, no = (word.casefold() for word in language.profile.yes_no)
    return next((name for name, word in (("yes", yes), ("no", no)) if re.match(rf"{word}\b", first)), "")


class _Record:
    """What tools returned and the customer said, and which tools did more than read, by turn."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._turns: dict[tuple[str, str], list[int]] = {}
        self._calls = [(turn, bool(_READS.match(call.function.name))) for turn, call in _calls(messages)]
        for turn, message in enumerate(messages):
            if message.role in {"tool", "user"}:
                for token in {*_NUMBER.findall(message.text), *_DATE_OR_TIME.findall(message.text)}:
                    self._turns.setdefault((message.role, token.removesuffix(".0")), []).append(turn)

    def has(self, role: str, statement: ClaimContent, after: int, until: int, least: float = 0.0) -> bool:
        """Whether all numbers and dates of a claim stand in messages of a role, each number of at least a size."""
        numbers = [value.high for value in statement.values if value.kind != "time" and value.high != float("inf")]
        if any(number < least and number == int(number) for number in numbers):
            return False
        tokens = [f"{number:.15g}" for number in numbers]
        tokens += [fact.split()[0] for facts in statement.facts.values() for fact in facts]
        return bool(tokens) and all(self._is_between(role, token, after, until) for token in tokens)

    def _is_between(self, role: str, token: str, after: int, until: int) -> bool:
        turns = self._turns.get((role, token), [])
        place = bisect_right(turns, after)
        return place < len(turns) and turns[place] <= until

    def calls_between(self, after: int, until: int) -> list[bool]:
        """Of each call of a tool, whether it only reads."""
        return [reads for turn, reads in self._calls if after < turn <= until]


def _calls(messages: Sequence[Message]) -> Iterator[tuple[int, ToolCall]]:
    return ((turn, call) for turn, message in enumerate(messages) for call in message.tool_calls)


def _pairs(earlier: Sequence[ClaimContent], later: ClaimContent, record: _Record) -> Iterator[ClaimPair]:
    """The pairs of a claim with earlier ones that are about the same thing, the last of them first."""
    for one in reversed(earlier):
        if one.text == later.text or (one.turn == later.turn and (one.is_listed or later.is_listed)):
            continue
        comparison = compare(one, later)
        if not comparison.is_open:
            continue
        difference = comparison.difference
        if difference and _may_have_changed(one, later, record):
            difference = ""
        if difference or one.turn != later.turn:
            yield ClaimPair(one, later, difference, comparison.likeness)


def _may_have_changed(earlier: ClaimContent, later: ClaimContent, record: _Record) -> bool:
    """Whether what two claims are about may have changed between them, or be two things that tools returned.

    The customer's own case changes by a call of a tool that does more than read, and by what the customer says.
    """
    if all(record.has("tool", one, -1, one.turn, _SMALL_NUMBER) for one in (earlier, later)):
        return True
    if "own_case" not in earlier.marks | later.marks:
        return False
    calls = record.calls_between(earlier.turn, later.turn)
    if not all(calls) or (calls and earlier.is_denied != later.is_denied):
        return True
    return record.has("user", later, earlier.turn, later.turn)


def contradiction_request(
    sample: Sample, pairs: Sequence[ClaimPair], thread: Thread | str, prompts: Prompts
) -> Request:
    """What a judge is asked: of each pair of claims, whether they contradict each other."""
    statement = language_or_fallback(sample.language, "consistency").consistency.contradiction
    predicates = [
        Predicate(
            str(number),
            statement.format(
                earlier_turn=pair.earlier.turn,
                earlier=" ".join(pair.earlier.text.split()),
                later_turn=pair.later.turn,
                later=" ".join(pair.later.text.split()),
            ),
        )
        for number, pair in enumerate(pairs, start=1)
    ]
    text = thread if isinstance(thread, str) else thread.text
    return Request("consistent", {"conversation": text}, predicates, sample.language, sample.id, prompts)


class Consistent(Metric):
    """1 - the share of the assistant's claims in a conversation that contradict an earlier one of its own.

    Formula: 1 - contradicting claims / claims of all its answers. Range: [0, 1]. What a claim is: see `Faithfulness`.

    Rules decide where two claims are about the same thing and differ in one slot: a number, a date, a time, a weekday,
    a name, a telephone number or e-mail address, or yes and no. A judge, where there is one, decides the pairs that
    rules leave open; one call per pair or one for all, as its setting `decide` says. No contradiction: different
    things, items of a list, a condition that only one has, and the customer's own case after a tool or the customer
    changed it.
    What the assistant corrects counts, since the customer was told two things; the evidence says so (`corrected`). An
    assistant with fewer than two claims is skipped.

    Args:
        judge: Decides what rules leave open; without one that counts as no contradiction.
        pairs: The most pairs that the judge is asked about in one conversation, the most alike first.
        prompts: Has the prompt `consistent`.

    Raises:
        ValueError: `pairs` is negative.
    """

    name = "consistent"
    needs = ("messages",)
    measures = "conversation"

    def __init__(self, judge: JudgeLike | None = None, *, pairs: int = MOST_PAIRS, prompts: Prompts = BUNDLED) -> None:
        if pairs < 0:
            raise ValueError(f"pairs is 0 or more, not {pairs}")
        self.judge = None if judge is None else open_judge(judge)
        self.pairs = pairs
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has each contradiction with both claims, their turns, and who found it.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        require_packages("numeric", "consistent, which compares words")
        compared = await compute_for(sample, compare_claims, sample)
        asked = compared.open[: self.pairs] if self.judge else []
        evidence: dict[str, Any] = {
            "contradictions": [],
            "claims_compared": min(compared.total, MOST_CLAIMS),
            "pairs_judged": len(asked),
            "pairs_left_open": len(compared.open) - len(asked),
        }
        if compared.total > MOST_CLAIMS:
            evidence["bounds"] = [f"only the first {MOST_CLAIMS:,} of {count_of(compared.total, 'claim')} are compared"]
        if compared.total < 2:
            return skipped(f"the assistant makes {count_of(compared.total, 'claim')}; two can be compared", evidence)
        contradictions = [_describe(pair, compared, "rules") for pair in compared.contradictions]
        usage = NO_USAGE
        if self.judge and asked:
            judge = self.judge

            def ask(text: str) -> Request:
                return contradiction_request(sample, asked[:1], text, self.prompts)

            thread = await compute_for(sample, fitting_thread, sample, judge, ask)
            answers = await judge.decide(contradiction_request(sample, asked, thread, self.prompts))
            for pair, answer in zip(asked, require_answers(answers).values(), strict=True):
                if answer.support >= 0.5:
                    contradictions.append(_describe(pair, compared, "judge") | {"probability": answer.probability})
            usage = answers.usage
            evidence |= (
                thread.evidence() | {"judge": judge.name} | self.prompts.evidence(["consistent"], sample.language)
            )
        contradictions.sort(key=lambda entry: (entry["later_turn"], entry["earlier_turn"]))
        evidence["contradictions"] = contradictions
        count = len({(entry["later_turn"], entry["later"]) for entry in contradictions})
        total = evidence["claims_compared"]
        reason = f"{count} of {count_of(total, 'claim')} {verb_of(count, 'contradicts', 'contradict')} an earlier one"
        if contradictions:
            first = contradictions[0]
            reason += f': "{first["later"]}" (turn {first["later_turn"]}) against "{first["earlier"]}"'
            reason += f" (turn {first['earlier_turn']})"
        return scored(1 - count / total, reason, evidence, usage)


def _describe(pair: ClaimPair, compared: ComparedClaims, by: str) -> dict[str, Any]:
    values: dict[str, Any] = {
        "earlier": pair.earlier.text,
        "later": pair.later.text,
        "earlier_turn": pair.earlier.turn,
        "later_turn": pair.later.turn,
        "by": by,
        "corrected": pair.later.turn in compared.corrected,
    }
    return values | ({"difference": pair.difference} if pair.difference else {})
