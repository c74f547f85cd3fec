"""The sections of a language pack, a model for each of its YAML files."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

GROUP = re.compile(r"(?<!\?P)<(\w+)>")
"""A group's name in a pattern."""
_MOST_EXPANSIONS = 5  # groups within groups

MessageType = Literal["error", "general", "reasoning", "instruction", "binary", "action", "unspecified"]
EntityKind = Literal["phone", "email", "date", "hours", "amount", "address"]


def stated(pattern: str) -> str:
    """Refuses an empty pattern."""
    if not pattern:
        raise ValueError("'' is empty, and matches everywhere; write a pattern, or remove it")
    return pattern


def checked(pattern: str) -> str:
    """Refuses what is no regular expression."""
    return _compile(pattern, re.NOFLAG).pattern


def _compile(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from error


def _compiled(flags: re.RegexFlag) -> BeforeValidator:
    return BeforeValidator(lambda pattern: _compile(stated(pattern), flags) if isinstance(pattern, str) else pattern)


def _with_group(name: str) -> Callable[[re.Pattern[str]], re.Pattern[str]]:
    """Refuses a pattern without a group of that name."""

    def check(pattern: re.Pattern[str]) -> re.Pattern[str]:
        if name not in pattern.groupindex:
            raise ValueError(f"{pattern.pattern!r} has no group (?P<{name}>...)")
        return pattern

    return check


def _naming(*fields: str) -> Callable[[str], str]:
    """Refuses a statement that does not have each `{field}` once, and nothing else in braces."""

    def check(statement: str) -> str:
        if sorted(re.findall(r"\{\w*\}|[{}]", statement)) != sorted("{" + field + "}" for field in fields):
            names = " and ".join("{" + field + "}" for field in fields)
            raise ValueError(f"{statement!r} does not have {names} exactly once, and no other braces")
        return statement

    return check


Checked = Annotated[str, AfterValidator(stated), AfterValidator(checked)]
"""A regular expression, as text, because other texts are filled into it before it is used."""
Pattern = Annotated[re.Pattern[str], _compiled(re.NOFLAG)]
CaselessPattern = Annotated[re.Pattern[str], _compiled(re.IGNORECASE)]
VerbosePattern = Annotated[re.Pattern[str], _compiled(re.VERBOSE)]
ComponentPattern = Annotated[Pattern, AfterValidator(_with_group("component"))]
ValuePattern = Annotated[CaselessPattern, AfterValidator(_with_group("value"))]


def any_pattern(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    """Joins caseless patterns into one that matches where any of them does; none matches nothing."""
    return re.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns) or r"(?!)", re.IGNORECASE)


if TYPE_CHECKING:
    AnyPattern = re.Pattern[str]
    StatedPattern = re.Pattern[str]
else:
    AnyPattern = Annotated[tuple[CaselessPattern, ...], AfterValidator(any_pattern)]
    """A list of patterns in the file, of which any may match."""
    StatedPattern = Annotated[tuple[CaselessPattern, ...], Field(min_length=1), AfterValidator(any_pattern)]
    """One that has to be there."""
NO_PATTERN = any_pattern(())


class PackFile(BaseModel):
    """One file of a pack. An unknown key is an error, so that a misspelt one is seen."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class GroupedSection(PackFile):
    """A section whose patterns may name a group of alternatives: `<name>` stands for any of `groups[name]`."""

    groups: dict[str, tuple[Checked, ...]] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("groups"), dict):
            return data
        groups = data["groups"]
        return {key: value if key == "groups" else _with_groups(value, groups) for key, value in data.items()}


def _with_groups(value: Any, groups: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _with_groups(inner, groups) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_groups(inner, groups) for inner in value]
    if not isinstance(value, str):
        return value
    for _ in range(_MOST_EXPANSIONS):
        expanded = GROUP.sub(lambda name: _alternatives(name[1], groups), value)
        if expanded == value:
            break
        value = expanded
    return value


def _alternatives(name: str, groups: dict[str, Any]) -> str:
    """Any of a group's; a name that is no group stays, and is refused where it stands."""
    return f"(?:{'|'.join(map(str, groups[name]))})" if name in groups else f"<{name}>"


_INNERMOST_BRACKETS = re.compile(r"\(([^()]*)\)")
_MOST_PHRASES = 3_000  # that one entry may stand for


@cache  # what checks a pack and what reads it expand the same entries
def expand_phrase(entry: str) -> frozenset[str]:
    """The phrases that an entry of a pack stands for: one of the alternatives of each bracket.

    Example:
        >>> sorted(expand_phrase("thank you (very much|)"))
        ['thank you', 'thank you very much']
    """
    entries = {entry}
    while brackets := [(one, match) for one in entries if (match := _INNERMOST_BRACKETS.search(one))]:
        for one, match in brackets:
            entries.remove(one)
            entries |= {f"{one[: match.start()]}{chosen}{one[match.end() :]}" for chosen in match[1].split("|")}
    return frozenset(" ".join(one.split()) for one in entries)


def _expandable(entry: str) -> str:
    phrases = expand_phrase(stated(entry))
    if len(phrases) > _MOST_PHRASES:
        raise ValueError(f"{entry!r} stands for {len(phrases)} phrases; write it as several entries")
    if bad := sorted(phrase for phrase in phrases if not phrase or set(phrase) & set("()|")):
        raise ValueError(f"{entry!r} is no list of phrases: {bad[0]!r}; close each bracket, and write words beside it")
    return entry


Phrases = tuple[Annotated[str, AfterValidator(_expandable)], ...]
"""Phrases of words, case apart: `thank you (very much|)` stands for two."""


class Profile(PackFile):
    """`language.yaml`: the language itself."""

    name: str  # its English name, as messages print it
    # the two words that a judge answers a yes/no question with, as the prompts of this language ask for
    yes_no: tuple[str, str]
    decimal_mark: Literal[".", ","]  # what stands before the decimals: `1.234,5` or `1,234.5`
    parsers: tuple[str, ...] = ()  # families of spaCy pipelines, the preferred first (`nl_core_news`)
    plural: Pattern = re.compile(r"(?!)")  # regular expression of the endings that lemmatisation leaves on compounds
    doubled_vowels: bool = False  # whether a vowel is doubled in a closed syllable (`loon`, `lonen`)
    # words that say of a yes before them that it does not hold ("Yes is wrong"), in lower case
    denials: frozenset[str] = frozenset()
    linking_verbs: frozenset[str] = frozenset()  # verbs between the two
    negators: frozenset[str] = frozenset()  # words that negate what a judge says beside its yes, in lower case
    hedges: frozenset[str] = frozenset()  # words and phrases by which a judge means its word in part, or is not sure
    of_statement: Phrases = ()  # by which it goes on to say whether the statement holds ("it is")
    retracts: Phrases = ()  # by which it takes its word back ("scratch that"), or has none ("I cannot tell")
    clears: Phrases = ()  # by which it takes a no back, as it finds nothing wrong: "No. There is no doubt"
    goes_on: frozenset[str] = frozenset()  # what may follow its word without a pause: "Yes it does", but not "No doubt"
    affirms: frozenset[str] = frozenset()  # words that then say that it does: "No. It is fully supported"
    refutes: frozenset[str] = frozenset()  # words that then say that it does not, beside the denials
    # whether texts are compared with their function words, as in Dutch (Lassche et al., 2024, VI-A)
    function_words_in_lemmas: bool = True


class Sentences(GroupedSection):
    """`sentences.yaml`: what a support answer says without stating anything, and what tells a statement.

    All but `to_judge`, `addressed` and `judge_words` are phrases of words (`text/sentence_kinds.py`): no patterns.
    `to_judge` speaks to whoever assesses the answer, `addressed` does where another phrase of its sentence is a
    `to_judge`: patterns from the beginning of a phrase to its end (`text/phrases.py`), of which none is looked
    for without one of `judge_words` (parts of words). `groups` are what a `<name>` in them stands for.
    """

    # greetings, thanks, closings and fillers by kind: a sentence of them, of `courtesy` phrases and of names is idle
    idle: dict[str, Phrases] = Field(min_length=1)
    named_after: frozenset[str] = frozenset({"greeting", "thanks", "sign_off", "closing"})  # kinds before a name
    idle_not: Phrases = ()  # longer than one of these, and none: "thanks to"
    courtesy: Phrases = ()
    # words in small letters within a name below a sign-off ("Pim van Dam", "The support team"), and words of no name
    named: frozenset[str] = frozenset()
    no_names: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()  # words by which such a line is no name, but says who signs
    # "yes" and "no", alone: judged as the question turned into a statement, with `{question}`
    answer_yes: Phrases = Field(min_length=1)
    answer_no: Phrases = Field(min_length=1)
    yes_statement: Annotated[str, AfterValidator(_naming("question"))]
    no_statement: Annotated[str, AfterValidator(_naming("question"))]
    answer_words: Phrases = ()  # "of course": claims something where nothing else of the answer does
    before_statement: frozenset[str] = frozenset()  # a yes or no before a sentence that says the same whole: left out
    asks: frozenset[str] = frozenset()  # what a question, or the name of a subject ("How it works"), begins with
    presumes: Phrases = ()  # in a question: it says something while it asks; not so the longer `presumes_not`
    presumes_not: Phrases = ()
    adds: Phrases = ()  # after a pause in a question: it says something by the way; not so the longer `adds_not`
    adds_not: Phrases = ()
    refusals: Phrases = ()  # the answer is not known, or not found
    asked: frozenset[str] = frozenset()  # after a refusal: what is asked, and not said ("I do not know what it costs")
    joins: frozenset[str] = frozenset()  # words that begin another clause
    contrasts: frozenset[str] = frozenset()  # those of them after which a refusal has ended: "but"
    facts: Phrases = ()  # verbs by which a few words state something
    asserts: Phrases = ()  # other words that do ("free")
    numbers: frozenset[str] = frozenset()  # in words
    units: frozenset[str] = frozenset()  # after a number: an amount
    announces: Phrases = ()  # a lead-in with one of them says nothing by itself: "as follows"
    unfinished: Phrases = ()  # no fact in a lead-in: "you can", and at its end "by"
    after_ordinal: frozenset[str] = frozenset()  # follow a number that begins no list item: "1. maart"
    before_ordinal: frozenset[str] = frozenset()  # stand before a number that is one: "die 2. Mahnung"
    # abbreviations, without their last dot, that a word always follows ("incl. shipping"), and those that may also end
    # a sentence ("24 hrs."); both as they are written, and with a capital
    abbreviations: frozenset[str] = frozenset()
    final_abbreviations: frozenset[str] = frozenset()
    # those of them that are words too, as they are written: these end a sentence before a capital ("in the app. Ask")
    words_or_abbreviations: frozenset[str] = frozenset()
    # units that are written with a dot: one after a number ends a sentence before a word with a capital ("40 m. Boats")
    unit_abbreviations: frozenset[str] = frozenset()
    refers_back: Phrases = ()  # begin a sentence that is understood by those before it alone
    to_judge: tuple[CaselessPattern, ...] = ()
    addressed: tuple[CaselessPattern, ...] = ()
    judge_words: tuple[str, ...] = ()


class DeclinedWords(PackFile):
    """`declined.yaml`: how an answer says that it cannot answer, and what may stand beside that; searched.

    `statement` is what a judge is asked about an answer.
    """

    statement: str
    declines: StatedPattern
    beside: AnyPattern = NO_PATTERN
    conditional: AnyPattern = NO_PATTERN  # a rule for a case ("without a ticket we cannot ..."), which answers


class ThanksWords(PackFile):
    """`thanks.yaml`: how a customer thanks; searched in a message."""

    thanks: StatedPattern


class CitationWords(PackFile):
    """`citations.yaml`."""

    # names of the lines at the top of a retrieved text that name it: "Title: Returns", in lower case
    fields: tuple[str, ...] = Field(min_length=1)


class HandoverWords(GroupedSection):
    """`handover.yaml`: how a customer is handed over to a person; patterns, case apart, searched in a sentence."""

    question: str  # what a judge is asked: who should help the customer from here on
    # the two answers with their descriptions; the first is a person
    options: dict[str, str] = Field(min_length=2, max_length=2)
    tools: tuple[str, ...] = Field(min_length=1)  # words of the names of tools that hand over, in order
    little_words: frozenset[str] = frozenset()  # words in such names that may stand between them
    # first words of names of tools that do something else, such as looking up
    looking_tools: frozenset[str] = frozenset()
    # words anywhere in the name of a tool that say that it does not hand over
    negating_tools: frozenset[str] = frozenset()
    # the assistant hands over now, or has done so; unless what stands before it in its sentence matches
    # `unless_before`, or what stands after it `unless_after`: a condition, an offer, what a rule says
    happens: StatedPattern
    unless_before: AnyPattern = NO_PATTERN
    unless_after: AnyPattern = NO_PATTERN
    # the assistant may hand over; `accepts` is how a customer's message begins who takes the offer
    offers: AnyPattern = NO_PATTERN
    accepts: AnyPattern = NO_PATTERN
    # the customer asks for a person; `asks_not` stands right before it where the customer does not want one, or a word
    # of `negations` in it
    asks: StatedPattern
    asks_not: AnyPattern = NO_PATTERN
    negations: frozenset[str] = frozenset()
    cannot: AnyPattern = NO_PATTERN  # the assistant says that it cannot help


class FactWords(PackFile):
    """A kind of fact that a chatbot asks for, and how it is said."""

    name: str  # what it is called, with its article, for a judge
    noun: CaselessPattern  # how a question calls it; a pattern, case apart
    asked: AnyPattern = NO_PATTERN  # questions that ask for it without naming it ("when did you buy it")
    # how a customer gives it unasked; patterns with a group `value`, case apart but for `(?-i:...)`
    stated: tuple[ValuePattern, ...] = ()
    value: ValuePattern  # what an answer to the question looks like; a pattern with a group `value`
    keys: tuple[str, ...] = ()  # the keys under which a tool returns it


class EffortWords(GroupedSection):
    """`effort.yaml`: what a customer has to say twice; patterns, case apart."""

    # what a judge is asked of a question of the chatbot that rules propose: with `{turn}` for its message, `{fact}` for
    # the kind of fact, `{said_turn}` for the message that gave it, and `{value}`
    asked_again: Annotated[str, AfterValidator(_naming("turn", "fact", "said_turn", "value"))]
    asked_choice: Annotated[str, AfterValidator(_naming("turn", "value", "said_turn"))]  # the same of a choice
    # where a sentence begins to ask the customer for something; the noun of a fact stands after it
    asks: StatedPattern
    # A sentence with one of these asks for no fact: it confirms one, or says where to find it
    asks_not: AnyPattern = NO_PATTERN
    # what does not stand between `asks` and the noun: there another clause begins
    between_not: AnyPattern = NO_PATTERN
    invalid: AnyPattern = NO_PATTERN  # A message with one of these says that what was given cannot be used
    # what says that another thing is meant than before, right before the noun; `other_after` the same right after it;
    # `another` in a message of the customer after the fact was given
    other: AnyPattern = NO_PATTERN
    other_after: AnyPattern = NO_PATTERN
    another: AnyPattern = NO_PATTERN
    facts: dict[str, FactWords] = Field(min_length=1)  # the kinds of facts, by name
    choice: tuple[CaselessPattern, ...] = ()  # A question that offers a choice, with the groups `first` and `second`
    # A sentence of the customer with one of these, or a question mark, asks for something
    wants: AnyPattern = NO_PATTERN
    # A sentence of the customer that asks for nothing, whole: "Can you help me?"
    idle: AnyPattern = NO_PATTERN


class Speakers(PackFile):
    """`speakers.yaml`: who speaks, as chat logs name them; compared in lower case."""

    user: tuple[str, ...] = ()
    assistant: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    system: tuple[str, ...] = ()


class Entities(PackFile):
    """`entities.yaml`: how facts are written that stand in a text word for word."""

    region: str  # whose telephone numbers need no country code (ISO 3166-1)
    email: tuple[VerbosePattern, ...]
    date: tuple[VerbosePattern, ...]
    hours: tuple[VerbosePattern, ...]
    amount: tuple[VerbosePattern, ...]
    address: tuple[VerbosePattern, ...]
    days: dict[str, int]  # A weekday's first two letters, and its number (1 is Monday)
    not_days: frozenset[str] = frozenset()  # words that begin like a weekday and are none
    day_ranges: dict[str, tuple[int, ...]]  # words for several weekdays
    day_range: VerbosePattern  # what stands between two weekdays and means all from one to the other


class SignalWords(PackFile):
    """Signal words of the four kinds of Complex Answer (Lassche et al., 2024, V-B)."""

    perspective: tuple[str, ...]
    comparison: tuple[str, ...]
    examples: tuple[str, ...]
    reasoning: tuple[str, ...]


class Words(PackFile):
    """`words.yaml`: what the heuristics go by, in lower case; single words where the key does not say phrases."""

    signal_words: SignalWords
    function_words: frozenset[str]
    negations: frozenset[str]
    affirmative: tuple[str, ...]
    negative: tuple[str, ...]
    imperatives: frozenset[str]  # verbs that begin an instruction
    step_words: tuple[str, ...]  # what may stand before the number of a step


CAPITAL = r"[A-ZÀ-ÖØ-Þ]"
# a name begins a word: else each capital of a long run would be tried as the first
_NAME = rf"(?<![\w&-]){CAPITAL}[\w&-]*(?: (?:{CAPITAL}[\w&-]*|\d+)){{0,3}}"


def _with_name(pattern: Any) -> Any:
    return pattern.replace("{capital}", CAPITAL).replace("{name}", _NAME) if isinstance(pattern, str) else pattern


NamePattern = Annotated[Pattern, BeforeValidator(_with_name)]
"""A regular expression in which `{capital}` stands for a capital letter and `{name}` for a capitalised name."""


class Components(PackFile):
    """`components.yaml`: how help pages name menus, buttons and settings."""

    marked: dict[str, ComponentPattern]
    colon: tuple[NamePattern, ...]
    cued: dict[str, NamePattern]
    after: tuple[NamePattern, ...]
    suffix: Pattern
    separators: Pattern
    boundaries: frozenset[str]
    lead_in: frozenset[str]
    not_components: frozenset[str]


class PaperRule(PackFile):
    """One of the paper's ordered lists of substrings (Lassche et al., 2024, V-A)."""

    type: MessageType
    patterns: tuple[str, ...]
    no_question_mark: bool = False


class TypedPatterns(PackFile):
    """Regular expressions that decide for one message type."""

    type: MessageType
    patterns: tuple[Checked, ...]


class PositionalRules(PackFile):
    """Regular expressions of the positional rules; `<name>` in one stands for the expression `words[name]`."""

    words: dict[str, Checked]
    lead: tuple[Checked, ...]
    frames: tuple[Checked, ...]
    error: tuple[Checked, ...]
    action: tuple[Checked, ...]
    chat: tuple[Checked, ...]
    question: tuple[TypedPatterns, ...]
    marked: tuple[Checked, ...]
    embedded_binary: tuple[Checked, ...]
    wish: tuple[Checked, ...]
    complaint: tuple[Checked, ...]
    inside: tuple[TypedPatterns, ...]


class Messages(PackFile):
    """`messages.yaml`: how customers' messages of each type are worded, in lower case."""

    paper: tuple[PaperRule, ...]
    positional: PositionalRules


class NumberPhrases(PackFile):
    """Numbers in words that are no whole numbers, by kind; regular expressions with {number}, {parts} and {units}."""

    fraction: tuple[Checked, ...] = ()
    one_in: tuple[Checked, ...] = ()
    half_more: tuple[Checked, ...] = ()
    half_share: tuple[Checked, ...] = ()
    half_of: tuple[Checked, ...] = ()
    one_and_half: tuple[Checked, ...] = ()
    dozen: tuple[Checked, ...] = ()
    half_dozen: tuple[Checked, ...] = ()
    one_of: tuple[Checked, ...] = ()
    pronoun: tuple[Checked, ...] = ()
    minutes: dict[Checked, float] = {}


class Notation(PackFile):
    """`notation.yaml`: how numbers, units and times are written."""

    # words after a number and the power of ten that they multiply it by; `touching_scales` only where they touch it
    # ("12k")
    scales: dict[str, int]
    touching_scales: dict[str, int]
    percent: tuple[str, ...]
    percentage_points: tuple[str, ...]
    currencies: tuple[str, ...]  # ISO codes. `currency_words`: what Babel does not call them, and their ISO codes.
    currency_words: dict[str, str] = Field(default_factory=dict)
    units: dict[str, tuple[str, ...]]  # the pint unit, and how it is written
    name_units: dict[str, str]  # words that follow a unit in a column's name
    # scales in the unit of a column ("k€"); `header_plurals` are understood only beside a currency
    header_scales: dict[str, int] = Field(default_factory=dict)
    header_plurals: dict[str, int] = Field(default_factory=dict)
    # what may stand beside them ("in thousands of EUR"); `header_in` before them, `header_per` before what a rate is of
    header_words: tuple[str, ...] = ()
    header_in: tuple[str, ...] = ()
    header_per: tuple[str, ...] = ()
    minus: tuple[str, ...]
    ordinals: tuple[str, ...]
    counts: tuple[str, ...]
    missing: tuple[str, ...]
    quarters: tuple[str, ...]
    weeks: tuple[str, ...]
    time_columns: tuple[str, ...]
    # words for 1 that text2num does not know. `parts`: words for fractions, and their denominators.
    ones: frozenset[str]
    parts: dict[str, int]
    another_part: Checked
    phrases: NumberPhrases


class Questions(PackFile):
    """`questions.yaml`: the words that generated questions are asked for with."""

    domain: str  # what the documents are about, where nothing is said
    roles: tuple[str, ...] = Field(min_length=1)  # who asks; one is drawn for each section
    fact_kinds: dict[str, str]  # what a fact of each kind is called

    @model_validator(mode="after")
    def _names_all_kinds(self) -> "Questions":
        kinds = set(get_args(EntityKind))
        if missing := sorted(kinds - self.fact_kinds.keys()):
            raise ValueError(f"fact_kinds has no {', '.join(missing)}")
        if unknown := sorted(self.fact_kinds.keys() - kinds):
            raise ValueError(f"fact_kinds has {', '.join(unknown)}, which is no kind of fact")
        return self


class RatingQuestions(PackFile):
    """What a judge is asked about an answer: how far it fulfils each requirement of Lassche et al. (2024), III."""

    truthfulness: str
    relatedness: str
    completeness: str


class Statements(PackFile):
    """`statements.yaml`: what metrics have a judge check, in the words of the language."""

    customer: str  # who asks, in a conversation; `assistant` who answers
    assistant: str
    tool_call: Annotated[str, AfterValidator(_naming("tool"))]  # who calls `{tool}`, in a conversation
    # where what `{tool}` returned stands, in a conversation
    tool_result: Annotated[str, AfterValidator(_naming("tool"))]
    # that a passage helps to give the answer; `{number}` is the passage's
    useful_passage: Annotated[str, AfterValidator(_naming("number"))]
    relevance_question: str  # how far the documentation holds what the question asks for
    # three levels of that, the lowest first: each label with its description
    relevance_levels: dict[str, str] = Field(min_length=3, max_length=3)
    better_answer: str  # what is asked of two answers to one question
    # what it is answered with, each with its description: the first answer, the second, neither
    better_answers: dict[str, str] = Field(min_length=3, max_length=3)
    # what is asked for an answer's stars; the prompt `rating` says what each star means
    rating_questions: RatingQuestions
    answered_topic: Annotated[str, AfterValidator(_naming("topic"))]  # that the chatbot answered about `{topic}`
    topic_within: Annotated[str, AfterValidator(_naming("topic"))]  # that `{topic}` belongs to the chatbot's topics
    # that the customer's `{request}` was met at the end of the conversation
    request_met: Annotated[str, AfterValidator(_naming("request"))]
    rule_broken: Annotated[str, AfterValidator(_naming("rule"))]  # that the assistant broke `{rule}` of the policy
    turn_of_breach: Annotated[str, AfterValidator(_naming("rule"))]  # in which turn it broke `{rule}`


class Demands(PackFile):
    """`demands.yaml`: how a text says that somebody must or wants something; words and phrases in lower case."""

    # wherever one stands, a sentence obliges somebody or sets a limit ("must", "at most")
    obliges: tuple[str, ...] = Field(min_length=1)
    instructs: frozenset[str]  # verbs that tell what to do where a sentence or a clause begins with them
    before_instructing: frozenset[str] = frozenset()  # what may stand before those ("please", "then")
    # what a sentence begins with whose main clause comes after a comma ("if", "before")
    conditions: frozenset[str] = frozenset()
    bans: frozenset[str] = frozenset()  # what a list item that forbids something begins with ("no")
    subjects: frozenset[str] = frozenset()  # what a list item that states a fact begins with ("each", "our")
    wants: tuple[str, ...] = Field(min_length=1)  # wherever one stands, a sentence of a customer's goal wants something
    # what a sentence of a goal begins with that is wanted in some event alone ("if")
    depends: tuple[str, ...] = Field(min_length=1)
    # words that say nothing alone, and that negate, where the pack has no `words.yaml`
    function_words: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()


class Consistency(PackFile):
    """`consistency.yaml`: what a judge is asked about two statements of one conversation."""

    # that the assistant contradicts itself, with `{earlier}` and `{later}`, and their turns
    contradiction: Annotated[str, AfterValidator(_naming("earlier_turn", "earlier", "later_turn", "later"))]


class Probes(PackFile):
    """`probes.yaml`: what is added to an answer for a judge's card."""

    instructions: tuple[str, ...] = Field(min_length=1)  # what an answer says to its judge


class RatingPage(PackFile):
    """`rating_page.yaml`: the texts of the page on which people rate answers."""

    title: str
    question: str
    answer: str
    contexts: str
    guideline: str
    no_guideline: str
    no_contexts: str
    your_rating: str
    cannot_tell: str
    reason: str
    reason_hint: str
    wrong_hint: str
    sentences_apart: str
    as_written: str
    submit: str
    undo: str
    help: str
    help_levels: str
    help_cannot_tell: str
    help_undo: str
    help_submit: str
    help_help: str
    progress_yours: str  # with `{done}` for the rater's answers
    progress_team: str  # with `{done}` and `{total}` for the team's ratings
    done_title: str
    done_text: str
    lowest: str
    highest: str
    conversation: str
    rate_conversation: str
    rate_turn: str  # with `{turn}` for the place of the answer, as `turn` has it
    rated_turn: str
    no_contexts_of_turn: str
    turn: str
    policy: str
    system: str
    characters_left_out: str  # with `{count}`, as `items_left_out` and `other_parts` have it
    items_left_out: str
    other_parts: str
    compare_title: str
    answer_a: str
    answer_b: str
    which_better: str
    a_better: str
    about_the_same: str
    b_better: str
    compare_conversations: str
    compare_turns: str
    compared_turn: str
    compare_reason_hint: str
    compared_yours: str  # with `{done}` for the rater's pairs
    compared_team: str  # with `{done}` and `{total}` for the team's choices
    compare_done: str
    no_contexts_of_pair: str


class VerdictTexts(PackFile):
    """`verdict.yaml`: what verdicts say, by name."""

    texts: dict[str, str | tuple[str, str]]  # one text; or two, of one and of several
    captions: dict[str, str] = {}  # headings and heads of tables: the English one, and that of this language
