"""The roles that columns have, by their names, and what words in cells mean: one table, `columns.yaml`."""

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, NamedTuple

from ..languages.yaml_file import read_yaml
from ..value_messages import is_nothing, quote_word

_TABLE = read_yaml(resources.files(__package__).joinpath("columns.yaml"), dict[str, Any])


def _listed(names: Iterable[Any]) -> tuple[str, ...]:
    """A list of names, or of lists of them by language, as one."""
    return tuple(name for entry in names for name in (entry if isinstance(entry, list | tuple) else [entry]))


NAMES: dict[str, tuple[str, ...]] = {role: _listed(names) for role, names in _TABLE["names"].items()}
"""The usual names of the columns of each role, the surest first."""

ALIASES = {field: NAMES[field] for field in ("user_input", "response", "retrieved_contexts", "reference")}
"""Usual names of columns, read as our field where our own column is absent, whatever their case."""

OTHER_ANSWER = ("other_response", *NAMES["other_response"])
"""The columns of another answer beside a row's own."""

RATING_ALIASES = NAMES["rating"]
"""Usual names of a column of ratings, read where its values are numbers on a usual scale, or two labels."""

ID_ALIASES = ("id", *_listed(_TABLE["id"]))  # a column `ID` is read here
"""Usual names of a column that names the rows, read as `id` where no two rows have the same."""

JUDGES = frozenset(_TABLE["judges"])
"""Plain names of columns that say who judged."""

GENERAL_NAMES = frozenset(("score", "label", "value"))
"""Names of columns that may hold a metric's scores as well as people's ratings."""

ROLES: dict[str, tuple[str, ...]] = {
    "id": ("sample", "item", "item_id", "answer_id", *ID_ALIASES),
    **{role: NAMES[role] for role in ("metric", "value", "rater")},
    "rating": tuple(name for name in NAMES["rating"] if name not in GENERAL_NAMES),
    "rating_min": (),
    "rating_max": (),
    **{role: NAMES[role] for role in ("reason", "status", "error")},
    **ALIASES,
}
"""The roles of columns in rows of scores and ratings, with their usual names; the first that a file has is read."""

SCORE_NAMES = frozenset((*ROLES, *_listed(ROLES.values())))
"""All of them."""

_PEOPLES_REASONS = tuple(
    dict.fromkeys(
        (*(name for role in ("reason", "comment") for name in (role, *NAMES[role])), *_TABLE["peoples_reasons"])
    )
)

NO_RATING_WORDS = frozenset(_listed(_TABLE["no_rating"]))
"""What says in a cell, in small letters, that there is nothing."""
LONGEST_NOTHING = max(map(len, NO_RATING_WORDS))
"""In characters: a longer text is no such word."""

LABELS: dict[str, float] = dict.fromkeys(_listed(_TABLE["label_low"]), 0.0) | dict.fromkeys(
    _listed(_TABLE["label_high"]), 1.0
)
"""Labels with two values, in small letters."""

DEGREES = frozenset(_TABLE["degrees"])
"""Labels that may be a degree of more than two."""

MONTHS = {name: number for number, names in enumerate(_TABLE["months"], 1) for name in names}
"""The names of the months, in small letters."""


def _bare(name: str) -> str:
    """A name in small letters without accents: people leave them out."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", name.casefold())))


_CRITERIA = frozenset(map(_bare, _listed(_TABLE["criteria"])))
_CRITERION_ENDINGS = tuple(map(_bare, _TABLE["criterion_endings"]))
_PERSONS = frozenset(map(_bare, _listed(_TABLE["persons"])))
_METRICS = frozenset(_listed(_TABLE["metrics"]))
_LOWER_IS_BETTER = frozenset(_TABLE["lower_is_better"])
_MEANS = frozenset(_listed(_TABLE["means"]))
_BESIDE_TOGETHER = frozenset(_TABLE["beside_together"])
_TOGETHER = _MEANS.union(_TABLE["together"]) - _BESIDE_TOGETHER
_PROGRAMS = frozenset(map(_bare, _listed(_TABLE["programs"])))
_NUMBERED_PROGRAM = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_TABLE['numbered_programs'])})[\W_]*\d")
_CODE = re.compile(r"[a-z]{0,2}\d{0,2}")  # of a person: a, b, 1, r2, jd
_LANGUAGES = {name: code for code, names in _TABLE["languages"].items() for name in names}
_TOTALS = frozenset(_listed(_TABLE["totals"]))
_FIRST_OF_TOTALS = tuple({name.split()[0] for name in _TOTALS})
_STARTS_OF_TOTALS = {name[:2] for name in _FIRST_OF_TOTALS}
_NEGATIONS = frozenset(_listed(_TABLE["negations"]))
_GOOD_ENDS = _listed(_TABLE["good_ends"])
_BAD_ENDS = (*_listed(_TABLE["bad_ends"]), *(start + name for start in _TABLE["opposites"] for name in _GOOD_ENDS))
_GOOD = frozenset((*_GOOD_ENDS, *(name for name in LABELS if LABELS[name]))) - _NEGATIONS
_BAD = frozenset((*_BAD_ENDS, *(name for name in LABELS if not LABELS[name]))) - _NEGATIONS
_NUMBER_IS = re.compile(r"((?<!\d)-?\d+(?:\.\d+)?)\s*\(?([^\d,;|/()\[\]]*)", re.ASCII)  # 1 = best, 1 (best)
_IS_NUMBER = re.compile(r"([^\d,;|/()\[\]=:]*)[=:]\s*(-?\d+(?:\.\d+)?)", re.ASCII)  # best = 1
_LONGEST_TOTAL = 30  # characters, with what stands around the word
_FAILURES = {kind: "|".join(_listed(words)) for kind, words in _TABLE["failures"].items()}
_FAILURE = re.compile(
    r"\W*(?:"
    r"[\w.]*(?:error|exception|timeout)\s*(?:$|[^\w\s-]|-\s)"  # ERROR - see log; RateLimitError(...)
    rf"|(?:(?:{_FAILURES['articles']})\s+|l['’])?(?:(?:{_FAILURES['parts']})\W+)+(?:(?:{_FAILURES['says']})\b"
    rf"|(?:{_FAILURES['ends']})\s*(?:$|[^\w\s]|\b(?:{_FAILURES['after']})\b))"
    rf"|(?:{_FAILURES['begins']}))",
    re.IGNORECASE,
)
_LONGEST_FAILURE = 200  # characters: its first words tell
_FAILURE_COLUMNS = frozenset(
    (
        *(name for role in ("reason", "status", "error", "comment") for name in (role, *NAMES[role])),
        *_TABLE["failure_columns"],
    )
)
_FAILED = frozenset(_listed(_TABLE["failed_statuses"]))

CONVERSATION_KEYS = _listed(_TABLE["conversation"])
"""Usual names of a column that names the conversation of a row."""

CASE_KEYS = (*CONVERSATION_KEYS, *_TABLE["case"])
"""Those of a column in rows that are messages."""

TURN_ALIASES: dict[str, tuple[str, ...]] = {
    "role": tuple(_TABLE["role"]),
    "content": tuple(_TABLE["content"]),
    "time": _listed(_TABLE["message_time"]),
}
"""Usual names of columns in rows that are messages of conversations."""

_VIEWS: dict[str, Mapping[str, tuple[str, ...]]] = {
    "scores": ROLES,
    "messages": {
        "conversation": CASE_KEYS,
        **TURN_ALIASES,
        **dict.fromkeys(("tool_calls", "tool_call_id", "name", "retrieved_contexts"), ()),
        "rating": RATING_ALIASES,
    },
    "turns": {
        "conversation": CONVERSATION_KEYS,
        **{field: ALIASES[field] for field in ("user_input", "response", "retrieved_contexts")},
        "time": TURN_ALIASES["time"],
        "rating": RATING_ALIASES,
    },
}

PREFERENCES: dict[str, tuple[str, ...]] = {kind: _listed(names) for kind, names in _TABLE["preferences"].items()}
"""The columns and words of files with preferences, by what they hold."""
_VIEWS["preferences"] = {
    **{role: PREFERENCES[role] for role in ("choice", "first", "second")},
    "question_id": (*PREFERENCES["question_id"], *ID_ALIASES),
    "user_input": ALIASES["user_input"],
    **{role: PREFERENCES[role] for role in ("rater", "group")},
    "reason": (*_PEOPLES_REASONS, *PREFERENCES["reason"]),
}

PREFERENCE_NAMES = frozenset((*_VIEWS["preferences"], *_listed(_VIEWS["preferences"].values())))
"""All names of columns in them."""

# what a cell of a column that says whom a message is for holds where it is for colleagues alone
_FOR_COLLEAGUES = {
    **dict.fromkeys(_TABLE["internal"], frozenset((*(name for name in LABELS if LABELS[name]), "1", "1.0", "x"))),
    **dict.fromkeys(_TABLE["public"], frozenset((*(name for name in LABELS if not LABELS[name]), "0", "0.0"))),
    **dict.fromkeys(_TABLE["audience"], frozenset(_TABLE["internal"])),
    **dict.fromkeys(_TABLE["part"], frozenset(_TABLE["notes"])),
}
_LINKS = frozenset(_TABLE["links"])  # may name a source, or hold its text
MAY_BE_ANSWERS = frozenset(_TABLE["may_be_answers"])
"""Plain names of columns that may hold the chatbot's answer where another one is read as the answer."""

_CONTEXTS = frozenset(("retrieved_contexts", *NAMES["retrieved_contexts"]))
_ADDRESS = ("http:", "https:", "www.")
_BETWEEN_ADDRESSES = re.compile(r"""[\s;|,"'\[\]]+""")


_SEPARATORS = re.compile(r"[\s_-]+")
USUAL_NAMES = frozenset(
    (
        *NAMES,
        *_listed(NAMES.values()),
        *ID_ALIASES,
        *CASE_KEYS,
        *TURN_ALIASES,
        *_listed(TURN_ALIASES.values()),
        "rating",
    )
)
_RATER = re.compile(
    rf"(?:{'|'.join(_TABLE['rater_prefixes'])})(?:[\s_.:-]+|(?=\())"
    r"(?:(?-i:by|from|door|van|von|durch|por|de|par)\s+)?(?P<rater>.+)",
    re.IGNORECASE,
)
_ANSWERS = sorted(
    {"response", *NAMES["response"]} - {name for name in NAMES["response"] if name.endswith("_a")}, key=len
)
_ANSWER = re.compile(rf"(?:{'|'.join(map(re.escape, reversed(_ANSWERS)))})(?:_(?P<end>\w+))?")
_SHORT_WORD = 6  # letters: its end tells nothing
_FEWEST_ANSWERS = 2
_REMARK = re.compile(r"(.*\S)\s*[(\[](?P<remark>[^()\[\]]*)[)\]]\s*")
_VALUE = re.compile(r"(.*[^\W\d_])[\s:=]+\d[\d.,]*\s*(?:%\s*)?")  # what a row of sums may hold beside its name
_RANGE = re.compile(
    r"(.*[^\W\d_])[\s:,_]+(?P<remark>-?\d+\s*(?:-|–|\.\.|to|t/m|bis)\s*\d+|(?:/|out of|van|von|sur)\s*\d+)\s*"
)


def _small(name: str) -> str:
    return _SEPARATORS.sub("_", name.strip().rstrip(".:")).casefold()


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """A name in small letters, with _ for whatever stands between its words."""
    return re.sub(r"[\W_]+", "_", name.strip()).strip("_").casefold()


def split_remark(column: str) -> tuple[str, str]:
    """A column's name without what it says in brackets at its end, or of its scale, and that.

    Examples:
        >>> split_remark("Beoordeling (1-5)"), split_remark("Rating 1-10"), split_remark("rating")
        (('Beoordeling', '1-5'), ('Rating', '1-10'), ('rating', ''))
    """
    match = _REMARK.fullmatch(column) or _RANGE.fullmatch(column)
    return (match[1], match["remark"].strip()) if match else (column, "")


@lru_cache(maxsize=1024)
def usual_name(column: str) -> str:
    """The usual name that a column has in other letters, with spaces or with a remark in brackets; else its own name.

    Examples:
        >>> usual_name("Question"), usual_name("Ground truth"), usual_name("Agent"), usual_name("Rating (1-5)")
        ('question', 'ground_truth', 'Agent', 'rating')
        >>> usual_name("Bron / documentatie")
        'bron_documentatie'
    """
    name = _small(column)
    for known in (name, _small(column.replace("/", " "))):
        if known in USUAL_NAMES:
            return known
    base, remark = split_remark(column)
    is_about_reference = any(word in _REFERENCE_WORDS for word in _small(remark).split("_"))
    is_remark = bool(remark) and not is_about_reference and not criterion_of(column)
    return _small(base) if is_remark and _small(base) in USUAL_NAMES else column


_REFERENCE_WORDS = frozenset(
    ("gold", "golden", "ideal", "ideaal", "expected", "verwacht", "reference", "referentie", "correct", "human", "soll")
)


@lru_cache(maxsize=1024)
def rater_of(column: str) -> str:
    """The rater whose ratings a column holds by its name; empty where it names none, as what stands in brackets does.

    Examples:
        >>> rater_of("rating_ada"), rater_of("Rating by Jan"), rater_of("rating_max"), rater_of("Rating (1-5)")
        ('ada', 'Jan', '', '')
    """
    match = _RATER.fullmatch(split_remark(column.strip())[0])
    if match is None or usual_name(column) in USUAL_NAMES or criterion_of(column):
        return ""
    rater = match["rater"].strip()
    return "" if is_of_raters(column) or rater.startswith("(") else rater


@lru_cache(maxsize=1024)
def reason_rater(column: str, raters: tuple[str, ...] = ()) -> str | None:
    """Who wrote the reasons that a column holds by its name: one of some raters, "" without a name; None of no reasons.

    Examples:
        >>> reason_rater("Opmerkingen"), reason_rater("Reason (optional)"), reason_rater("reasoning")
        ('', '', None)
        >>> reason_rater("Opmerking Jan Willem", ("Jan Willem",)), reason_rater("reason_code", ("Ada",))
        ('Jan Willem', None)
    """
    name = _small(split_remark(column.strip())[0])
    if name in _PEOPLES_REASONS:
        return ""
    reason, _, rest = name.partition("_")
    named = (rater for rater in raters if _small(rater) == rest)
    return next(named, None) if reason in _PEOPLES_REASONS else None


def is_of_raters(column: str) -> bool:
    """Whether a column says something of what raters gave, such as their mean, and is no rater's."""
    match = _RATER.fullmatch(split_remark(column.strip())[0])
    rater = match["rater"].strip().rstrip(".").casefold() if match else ""
    return rater in _TABLE["no_raters"] or is_of_all_raters(rater)


def is_of_all_raters(name: str) -> bool:
    """Whether a name is made of words for what several raters gave together.

    Example:
        >>> is_of_all_raters("majority_vote"), is_of_all_raters("n_raters"), is_of_all_raters("mean_latency")
        (True, True, False)
    """
    words = {word.rstrip(".") for word in _small(name.strip()).split("_")}
    return not words.isdisjoint(_TOGETHER) and words <= _TOGETHER | _BESIDE_TOGETHER


def sums_up_raters(name: str) -> bool:
    """Whether the name of a rater, in a cell, says that the row sums up what the raters gave.

    Example:
        >>> sums_up_raters("Gemiddelde"), sums_up_raters("consensus"), sums_up_raters("Max")
        (True, True, False)
    """
    is_sum = is_total(name) or is_of_raters(f"rating_{name}")
    return is_of_all_raters(name) or (is_sum and not has_person_name(name))


def explain_no_person(rater: str) -> str:
    """Why the name of a rater, in a cell, is no person's; empty where it may be one's.

    Example:
        >>> [explain_no_person(rater) for rater in ("gpt-4o", "bleu", "average", "ann")]
        ['is a program, not a person', 'is a metric, not a person', 'sums up the raters', '']
    """
    if is_of_program(rater) or is_known_metric(rater):
        return f"is a {'program' if is_of_program(rater) else 'metric'}, not a person"
    return "sums up the raters" if sums_up_raters(rater) else ""


@lru_cache(maxsize=1024)
def is_mean_rating(column: str) -> bool:
    """Whether a column's name says that it holds the mean of ratings.

    Example:
        >>> is_mean_rating("Gem. score"), is_mean_rating("average rating (1-5)"), is_mean_rating("mean_latency")
        (True, True, False)
    """
    words = [word.rstrip(".") for word in _small(split_remark(column.strip())[0]).split("_")]
    rest = "_".join(word for word in words if word not in _MEANS)
    return rest != "_".join(words) and bool({rest, rest.removesuffix("s")} & {"rating", *RATING_ALIASES})


@lru_cache(maxsize=1024)
def is_of_program(name: str) -> bool:
    """Whether the name of a column, or of a rater in a cell, is that of a program, and of no person.

    Example:
        >>> is_of_program("gpt-4o"), is_of_program("Confidence score"), is_of_program("Anneke")
        (True, True, False)
    """
    small = name.casefold()
    words = [_bare(word) for word in re.findall(r"[^\W_]+|[^\W\d_]+", small) + re.findall(r"[^\W\d_]+", small)]
    is_glued = any(word.startswith(("llm", "gpt")) or word.endswith("gpt") for word in words)
    return is_glued or not _PROGRAMS.isdisjoint(words) or _NUMBERED_PROGRAM.search(small) is not None


def has_person_name(name: str) -> bool:
    """Whether a name has a frequent given name, or a word for who rates."""
    return not _PERSONS.isdisjoint(_bare(word) for word in re.findall(r"[^\W\d_]+", name))


def _is_person(name: str) -> bool:
    return _CODE.fullmatch(_bare(name)) is not None or has_person_name(name)


class Raters(NamedTuple):
    """The columns of a file that are called as those of raters (`rating_ada`)."""

    names: Mapping[str, str]  # the rater of each that is one's
    programs: Mapping[str, str]  # those of programs, with what to tell of them
    doubtful: Mapping[str, str]  # those that nothing tells from criteria, likewise

    @property
    def others(self) -> Mapping[str, str]:
        """Why columns are no rater's."""
        return {**self.programs, **self.doubtful}


@lru_cache(maxsize=256)  # the rows of a set have the same columns
def find_raters(columns: tuple[str, ...]) -> Raters:
    """Finds the columns of raters: those of programs and criteria are none's, nor is an unknown one beside a criterion.

    What is called as one of the answers is that answer's rating.

    Examples:
        >>> find_raters(("rating_ada", "rating_gpt4", "rating_tone")).names
        {'rating_ada': 'ada'}
        >>> [find_raters(("rating_pace", *more)).names for more in ([], ["rating_tone"])]
        [{'rating_pace': 'pace'}, {}]
    """
    named = {column: rater for column in columns if (rater := rater_of(column))}
    criteria = [column for column in columns if (name := criterion_of(column)) and _small(name) not in _TOTALS]
    # `rating_bot` beside `answer_bot` is its rating
    answers = {small.rpartition("_")[2] for column in columns if _ANSWER.fullmatch(small := _small(column))}
    names, programs, doubtful = dict[str, str](), dict[str, str](), dict[str, str]()
    for column, rater in named.items():
        typed = f"--map {quote_word(f'{column}=rating_{rater}')}"
        if is_of_program(rater) and _small(rater) not in answers:
            programs[column] = f"of a program, not a person; {typed} uses it"
        elif criteria and not _is_person(rater):
            doubtful[column] = f"taken for a criterion, as {criteria[0]} is one; {typed} reads it as a rater's"
        else:
            names[column] = rater
    return Raters(names, programs, doubtful)


def ratings_of_answers(columns: Iterable[str]) -> dict[str, str]:
    """The columns of ratings that are of one of several answers by their names' ends, each with that answer's column.

    Examples:
        >>> ratings_of_answers(["answer_a", "answer_b", "rating_a", "rating_anna_b", "rating_bob"])
        {'rating_a': 'answer_a', 'rating_anna_b': 'answer_b'}
        >>> ratings_of_answers(["answer_bot", "rating_bot"])
        {}
    """
    listed = list(columns)
    answers = {column: match for column in listed if (match := _ANSWER.fullmatch(_small(column)))}
    if len(answers) < _FEWEST_ANSWERS:
        return {}
    found = {}
    for column in filter(rater_of, listed):
        rater = _small(rater_of(column))
        for answer, match in answers.items():
            if (end := match["end"]) and (rater == end or rater.endswith(f"_{end}")):
                found[column] = answer
    return found


@lru_cache(maxsize=1024)
def criterion_of(column: str) -> str:
    """The criterion that a column rates by its name, such as the tone; empty where it names none.

    Examples:
        >>> criterion_of("rating_correctness"), criterion_of("Beoordeling (toon)"), criterion_of("rating_ada")
        ('correctness', 'toon', '')
    """
    match = _RATER.fullmatch(column.strip())
    name = "" if match is None else match["rater"].strip().strip("()[]").strip()
    words = list(map(_bare, _small(name).split("_")))
    has_ending = any(len(word) > _SHORT_WORD and word.endswith(_CRITERION_ENDINGS) for word in words)
    is_criterion = is_known_metric(name) or not _CRITERIA.isdisjoint(words) or (has_ending and not _is_person(name))
    return name if name and is_criterion and not is_of_raters(column) else ""


def is_known_metric(name: str) -> bool:
    """Whether a column or a label is the name of a metric, ours or another tool's.

    Examples:
        >>> is_known_metric("Answer Relevancy"), is_known_metric("bias [GEval]"), is_known_metric("ann")
        (True, True, False)
    """
    return _metric_base(name).removesuffix("_metric").removesuffix("_score") in _METRICS


def is_lower_better(metric: str) -> bool:
    """Whether a metric's name, ours or another tool's, says that its lower scores are better."""
    return _metric_base(metric) in _LOWER_IS_BETTER


def _metric_base(name: str) -> str:
    """The name of a metric without the object that holds it, and without its settings or judge."""
    return _small(re.split(r"[(\[@:]", name.strip().rpartition(".")[2])[0])


@lru_cache(maxsize=256)
def numbered_contexts(columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that hold one context each, in the order of their numbers.

    Example:
        >>> numbered_contexts(("question", "Context 2", "context_1"))
        ('context_1', 'Context 2')
    """
    names = {name.removesuffix("s") for name in ("retrieved_contexts", *NAMES["retrieved_contexts"])}
    numbers = {}
    for column in columns:
        match = re.fullmatch(r"(.*?)s?_?(\d{1,2})", _small(column))
        if match and match[1] in names:
            numbers[column] = int(match[2])
    return tuple(sorted(numbers, key=numbers.__getitem__))


def explain_export(columns: Collection[str]) -> str:
    """Which tool's export that is not read has these columns, and what to do; empty for another file.

    Example:
        >>> explain_export(["id", "data", "annotations"])
        'holds a JSON export of Label Studio; export CSV instead'
    """
    told = (f"holds {form['name']}; {form['cure']}" for form in _TABLE["exports"] if {*form["columns"]} <= {*columns})
    return next(told, "")


def may_hold(column: str, field: str) -> bool:
    """Whether a column may hold a field by a word in its name, and none says that it holds something else."""
    parts = _small(column.replace("/", " ")).split("_")
    words = {word for part in parts for word in (part, part.removesuffix("s"))}
    others = {word for other, hints in _TABLE["hints"].items() if other != field for word in hints}
    others -= {*_TABLE["hints"]["user_input"], *_TABLE["hints"]["response"]} if field != "reference" else set()
    return bool(words & {*_TABLE["hints"].get(field, ())}) and not has_other_role(column, field) and not words & others


def has_other_role(column: str, field: str) -> bool:
    """Whether a column is known to hold something else than a field."""
    words = {*_small(column).split("_")}
    is_other = usual_name(column) in USUAL_NAMES - {field, *NAMES.get(field, ())}
    return is_other or bool(rater_of(column) or criterion_of(column) or words & {*_TABLE["no_hints"]})


def is_named_low_good(column: str, columns: Iterable[str] = (), scale: tuple[float, float] = (1, 5)) -> bool:
    """Whether a column's name says that its low end is good, in a file with these columns.

    `scale` is where its ratings lie: a 1 is their low end on 1-5, and their high end on 0-1.

    Examples:
        >>> is_named_low_good("Schulnote Anna"), is_named_low_good("Rating (1 = best, 5 = worst)")
        (True, True)
        >>> is_named_low_good("Note", ["Frage", "Antwort"]), is_named_low_good("Note", ["Question", "Réponse"])
        (True, False)
        >>> is_named_low_good("Rating (1 = not good, 5 = excellent)"), is_named_low_good("Score (lower is better)")
        (False, True)
        >>> is_named_low_good("Correct (1 = good)", scale=(0, 1)), is_named_low_good("Rating (1-5, 1 is best)")
        (False, True)
    """
    small = column.casefold()
    words = {*re.findall(r"[^\W\d_]+", small)}
    is_german = any(_small(other).startswith(("frage", "antwort")) for other in columns)
    if words & {*_TABLE["low_good"], *(_TABLE["german_marks"] if is_german else ())}:
        return True
    told = [(float(number), text) for number, text in _NUMBER_IS.findall(small)]
    if not any(_goodness(text) for _, text in told):
        told = [(float(number), text) for text, number in _IS_NUMBER.findall(small)]
    for part in re.split(r"[,;|/()\[\]]", small):
        ends = [{*re.findall(r"[^\W\d_]+", part)}.isdisjoint(_TABLE[kind]) for kind in ("low_words", "high_words")]
        if not all(ends) and not re.search(r"\d", part):
            told.append((scale[0] if not ends[0] else scale[1], part))
    return is_low_good(told, scale)


def is_low_good(meanings: Iterable[tuple[float, str]], scale: tuple[float, float]) -> bool:
    """Whether words beside numbers, each with its number, say that low numbers are good.

    Of one number the middle of `scale` tells whether it is a low one, of several their own mean.

    Examples:
        >>> is_low_good([(1, "sehr gut"), (5, "schlecht")], (1, 5)), is_low_good([(0, "no error")], (0, 3))
        (True, True)
        >>> is_low_good([(1, "nee"), (2, "ja")], (1, 2)), is_low_good([(1, "often"), (5, "never")], (1, 5))
        (False, False)
    """
    told = [(number, good) for number, words in meanings if (good := _goodness(words))]
    numbers = {number for number, _ in told}
    middle = sum(numbers) / len(numbers) if len(numbers) > 1 else sum(scale) / 2
    return sum(good * (number - middle) for number, good in told) < 0


def _goodness(text: str) -> int:
    """Above 0 of words that call something good, below of those that call it bad, 0 of others."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    if (label := LABELS.get(" ".join(words))) is not None:
        return 1 if label else -1
    is_turned = not _NEGATIONS.isdisjoint(words)
    good = sum((word in _GOOD) - (word in _BAD) for word in words)
    return -good if is_turned else good


def is_total(text: str) -> bool:
    """Whether a cell is the name of a row that sums up others.

    Examples:
        >>> is_total("Gemiddelde:"), is_total("Average rating"), is_total("How do I cancel?"), is_total("Total cost?")
        (True, True, False, False)
        >>> is_total("Totaal (120 vragen)"), is_total("Average: 3.4")
        (True, True)
    """
    start = text[:_LONGEST_TOTAL].lstrip().casefold()
    if not (start[:2] in _STARTS_OF_TOTALS or start[:1] in _STARTS_OF_TOTALS) or not start.startswith(_FIRST_OF_TOTALS):
        return False  # most cells, whatever their length
    if match := _REMARK.fullmatch(text) or _VALUE.fullmatch(text):
        text = match[1]
    if len(text) >= _LONGEST_TOTAL:
        return False
    words = _small(text).replace("_", " ")
    first, _, rest = words.partition(" ")
    is_more = rest.replace(" ", "_") in {"rating", *RATING_ALIASES} or {*rest.split()} <= _TOTALS  # Ø gesamt
    return words in _TOTALS or (first in _TOTALS and is_more)


def says_failure(reason: str) -> bool:
    """Whether the reason of a score says that the metric failed."""
    return _FAILURE.match(reason[:_LONGEST_FAILURE]) is not None


@lru_cache(maxsize=1024)
def split_failure_column(column: str) -> tuple[str, str]:
    """What a column is of, and the word in its name that says that it may tell why a metric failed; two empty texts of
    another column.

    Examples:
        >>> split_failure_column("score_reason"), split_failure_column("judgeError"), split_failure_column("reasonable")
        (('score', 'reason'), ('judge', 'error'), ('', ''))
    """
    base, _, word = _small(re.sub(r"(?<=[a-z])(?=[A-Z])|[.:]", "_", column.strip().rstrip(".:"))).rpartition("_")
    return (base, word) if word in _FAILURE_COLUMNS else ("", "")


def is_failed_status(status: str) -> bool:
    """Whether a status says that there is no score."""
    return _small(status) in _FAILED


def language_code(language: str) -> str:
    """The code of a language by its name or another code; what is unknown as it is."""
    return str(_LANGUAGES.get(language.strip().casefold(), language.strip()))


def columns_by_usual_name(columns: Iterable[str]) -> Mapping[str, str]:
    """Columns by their usual names; of two with one usual name, the one that is written so, else the first.

    What only remarks in brackets tell apart has no usual name: nothing says which one is meant.
    """
    return _by_usual_name(tuple(columns))


@lru_cache(maxsize=256)  # the rows of a set have the same columns
def _by_usual_name(columns: tuple[str, ...]) -> Mapping[str, str]:
    by_name: dict[str, list[str]] = {}
    for column in columns:
        by_name.setdefault(usual_name(column), []).append(column)
    chosen = {}
    for name, listed in by_name.items():
        plain = [column for column in listed if _small(column) == name or column == name]
        if plain or len(listed) == 1:
            chosen[name] = (plain or listed)[0]
    return chosen | {column: column for column in columns}


View = Literal["scores", "messages", "turns", "preferences"]
"""What rows are: scores and ratings, messages, questions with their answers, or which of two versions is better."""


def find_roles(columns: Iterable[str], mapping: Mapping[str, str], view: View = "scores") -> dict[str, str]:
    """Finds which column of rows has which role in a view; a mapping (theirs to ours) counts first.

    Examples:
        >>> find_roles(["sample", "question", "score"], {})
        {'id': 'sample', 'value': 'score', 'user_input': 'question'}
        >>> find_roles(["ticket", "speaker", "text", "channel"], {}, "messages")
        {'conversation': 'ticket', 'role': 'speaker', 'content': 'text'}
        >>> find_roles(["id", "Model A", "Model B", "Winner"], {}, "preferences")
        {'choice': 'Winner', 'first': 'Model A', 'second': 'Model B', 'question_id': 'id'}
    """
    present = tuple(dict.fromkeys(columns))
    mapped = tuple((theirs, ours) for theirs, ours in mapping.items() if theirs in present)
    return dict(_roles(present, mapped, view))


@lru_cache(maxsize=256)  # the rows of a file have the same columns
def _roles(columns: tuple[str, ...], mapping: tuple[tuple[str, str], ...], view: View) -> Mapping[str, str]:
    table = _VIEWS[view]
    by_name = columns_by_usual_name(columns)
    if view == "preferences":
        by_name = {plain_name(column): column for column in reversed(columns)}
    roles = {ours: theirs for theirs, ours in mapping if ours in table}
    used = {theirs for theirs, _ in mapping}
    for role, names in table.items():
        known = (by_name[name] for name in (role, *names) if name in by_name and by_name[name] not in used)
        if role not in roles and (column := next(known, None)) is not None:
            roles[role] = column
            used.add(column)
    return roles


def is_link(column: str, value: Any) -> bool:
    """Whether a column of contexts names sources, and holds none of their text: it has nothing but addresses, or is a
    column `source` without white space.

    Examples:
        >>> is_link("context", "https://a.nl/x; www.b.nl"), is_link("source", "faq.pdf"), is_link("context", "a.pdf")
        (True, True, False)
        >>> is_link("context", "https://a.nl/x opens at nine."), is_link("response", "https://a.nl/x")
        (False, False)
    """
    if column not in _CONTEXTS:
        return False
    if isinstance(value, list):
        return bool(value) and all(isinstance(text, str) and _holds_addresses(text) for text in value)
    return isinstance(value, str) and ((column in _LINKS and len(value.split()) < 2) or _holds_addresses(value))


def _holds_addresses(text: str) -> bool:
    """Whether a text is addresses and what stands between them."""
    if not text.lstrip("[\"' \t\n")[:6].casefold().startswith(_ADDRESS):
        return False  # most texts, whatever their length
    return all(word.casefold().startswith(_ADDRESS) for word in _BETWEEN_ADDRESSES.split(text) if word)


def is_internal(values: Mapping[str, Any]) -> bool:
    """Whether a row is a message among colleagues, which the customer did not see.

    Examples:
        >>> is_internal({"body": "Angry!", "public": False}), is_internal({"body": "Hi.", "internal note": "no"})
        (True, False)
        >>> is_internal({"body": "Angry!", "visibility": "Internal"}), is_internal({"body": "Hi.", "public": ""})
        (True, False)
    """
    columns = _audience_columns(tuple(values))
    return bool(columns) and any(_small(str(values[column])) in cells for column, cells in columns.items())


@lru_cache(maxsize=256)  # the rows of a file have the same columns
def _audience_columns(columns: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """The columns that say whom a message is for, with the cells of one that is for colleagues alone."""
    return {column: _FOR_COLLEAGUES[name] for column in columns if (name := _small(column)) in _FOR_COLLEAGUES}


def is_no_rating(value: object) -> bool:
    """Whether a cell says that there is no rating, in one of the usual ways; not so of an empty one."""
    return is_missing(value) and (bool(value.strip()) if isinstance(value, str) else value is not None)


def is_missing(value: object) -> bool:
    """Whether a cell says that there is nothing."""
    if isinstance(value, str):
        text = value.strip()
        return not text or (len(text) <= LONGEST_NOTHING and text.casefold() in NO_RATING_WORDS)
    return value is None or (isinstance(value, float) and math.isnan(value))


def is_no_context(text: str) -> bool:
    """Whether a context says that there is none: blank, or a word that people or programs write for nothing.

    Examples:
        >>> is_no_context("n.v.t."), is_no_context("(leeg)"), is_no_context("-" + 80 * " "), is_no_context("None yet.")
        (True, True, True, False)
    """
    stripped = text.strip()
    return len(stripped) <= LONGEST_NOTHING and (is_nothing(stripped) or is_no_rating(stripped))
