"""How probable a judge found its words, from the log probabilities that it gives."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal

from ..errors import ReplyError
from ..languages import packs_with
from ..text.phrases import PhraseList
from ..untrusted import without_unseen
from .question import Alternatives, RawReply

_DECIMAL = re.compile(r"\W*\d+[.,]\d|\W*?(?:[-−–+±]|[<>≤≥≠]=?\s*)\d")  # 3.5, -3 and > 3
_LEAST_SHARE = 0.25  # of the most probable word's probability, for the word that the judge says
_NOT_WORD = re.compile(r"\W+")
_END_OF_VALUE = re.compile(r'(?<=\w)["\n,}\]]')
_END_OF_CLAUSE = re.compile(r"[^\w\s']+|\n")
_GRADE = re.compile(r"\W*(?:(?!100\s*%)\d[\d.,]*\s*%(?:\s*\w+)?|\d*[.,]\d+)\s*(?:[^\w\s]|\Z)")  # "60%", "(60% sure)"
_CLOSING = " \"'*_`”’»)"
_DENYING_SIGNS = re.compile(r"[≠¬<~✗✘✖❌👎☐?]|\[\s*\]")  # before a word or right after it: "≠ Yes", "Yes ❌", "Yes??"
_LONGEST_SAYING = 5  # words after "it is": "fully supported by the documentation"
_HYPHENS = "-‐‑"
_SHORT_CLAUSE = 2  # words: "definitely not"
_SHORT = 40  # characters: what is longer is not remembered, so that long replies take no memory
_ROUNDING = 0.01  # a certain word may come out as slightly more than certain


def check_log_probabilities(reply: RawReply) -> None:
    """Checks that a reply's log probabilities are logarithms of probabilities."""
    for place in reply.logprobs or ():
        for token, logprob in place.items():
            if not is_log_probability(logprob):
                raise ReplyError(f"the log probability of {token[:20]!r} is {logprob}, which is impossible", reply.text)


def is_log_probability(value: float) -> bool:
    """Whether a number is the logarithm of a probability above 0.

    Example:
        >>> [is_log_probability(value) for value in (-0.7, 0.0, 0.7, float("nan"), float("-inf"))]
        [True, True, False, False, False]
    """
    return math.isfinite(value) and value <= _ROUNDING


def option_probabilities(reply: RawReply, options: Sequence[str]) -> dict[str, float] | None:
    """Computes P(option) for a reply that is one of the options, from the alternatives to its tokens.

    See `follow_options`.

    Returns:
        Probabilities that sum to 1 over the options; None where the judge gave none for any option: then its word
        alone is known (`read_option`).

    Raises:
        ReplyError: The log probabilities are impossible, or the probabilities of the options sum to nothing.

    Example:
        >>> place = {"Yes": math.log(0.6), " yes": math.log(0.2), "No": math.log(0.2)}
        >>> option_probabilities(RawReply("m", "Yes", logprobs=(place,)), ("Yes", "No"))
        {'Yes': 0.8, 'No': 0.2}
    """
    check_log_probabilities(reply)
    shares = follow_options(reply.logprobs or (), options)
    shares.pop("", None)
    if not shares:
        return None
    total = sum(shares.values())
    if not total:
        raise ReplyError(f"the probabilities of {', '.join(shares)} sum to nothing", reply.text)
    return {option: shares.get(option, 0.0) / total for option in options}


def follow_options(places: Iterable[Alternatives], options: Sequence[str], lead: str = "") -> dict[str, float]:
    """Adds up the probability of each option along the tokens of a value.

    At each place the tokens that begin one option alone count for it: variants in case and spacing (" yes", "Yes"), and
    beginnings ("N" of "Nee"). Where the token that stands there can still become several ("not" of "not found" and
    "not said"), the next place decides how its probability is divided. Of what begins no option only the most probable
    is kept.

    Returns:
        The probability of each option that has one, not normalised; under "" that of the most probable other word.

    Example:
        >>> first = {"not": math.log(0.8), "true": math.log(0.2)}
        >>> places = [first, {" said": math.log(0.75), " found": math.log(0.25)}]
        >>> shares = follow_options(places, ("true", "not said", "not found"))
        >>> {option: round(share, 2) for option, share in shares.items()}
        {'true': 0.2, 'not said': 0.6, 'not found': 0.2}
    """
    shares: dict[str, float] = {}
    share_of_path, path = 1.0, ""
    for place in places:
        onward = path + next(iter(place))[len(lead) :]
        share_onward = 0.0
        for token, logprob in place.items():
            if not token.startswith(lead):
                continue
            begun = path + token[len(lead) :]
            meant = _options_begun_by(begun, options)
            if len(meant) == 1:
                shares[meant[0]] = shares.get(meant[0], 0.0) + share_of_path * math.exp(logprob)
            elif _fold(begun) == _fold(onward) and (meant or not _fold(begun)):
                share_onward += share_of_path * math.exp(logprob)
            elif not meant and _fold(begun):
                shares[""] = max(shares.get("", 0.0), share_of_path * math.exp(logprob))
        share_of_path, path, lead = share_onward, onward, ""
        if not share_of_path:
            return shares
    ended = _options_begun_by(f'{path}"', options)
    if len(ended) == 1 and share_of_path:
        shares[ended[0]] = shares.get(ended[0], 0.0) + share_of_path
    return shares


def weigh_options(reply: RawReply, options: Sequence[str]) -> tuple[str, dict[str, float] | None]:
    """Reads a reply that is one of the options.

    Returns:
        The option, the most probable one where the judge gives probabilities, and these.
    """
    if reply.logprobs and (said := read_option(reply.text, options)) is not None:
        spelled = "".join([next(iter(place)) for place in reply.logprobs])
        if spelled.strip() != reply.text.strip() and _spells_another(spelled, said, options):
            raise ReplyError(f"its text says {said} and its tokens another word", reply.text)
        if problem := contradiction(said, follow_options(reply.logprobs, options)):
            raise ReplyError(problem, reply.text)
    option, probabilities = choose_option(reply, options)
    if option is None:
        raise ReplyError(f"it is not one of the words {', '.join(options)}", reply.text)
    return option, probabilities


def _spells_another(spelled: str, said: str, options: Sequence[str]) -> bool:
    """Whether tokens spell another word than was said: another option, or plain letters; else in a notation."""
    if (read := read_option(spelled, options)) is not None:
        return read != said
    words, own, letters = _fold(spelled), _fold(said), spelled.strip()
    if letters.isascii() and letters.isalpha():
        return not own.startswith(words)
    return own not in words and any(_fold(option) in words.split() for option in options)


def contradiction(said: str, shares: Mapping[str, float]) -> str:
    """Why the probabilities of words (`follow_options`) do not fit the word that was said; "" where they do.

    A word that was drawn may be a little less probable than another, as may one that is written in several ways.

    Example:
        >>> contradiction("No", {"Yes": 0.95, "No": 0.05}), contradiction("No", {"Yes": 0.6, "No": 0.4})
        ('it says No, which its log probabilities call improbable', '')
    """
    if not shares.keys() - {""} or shares.get(said, 0.0) >= _LEAST_SHARE * max(shares.values()):
        return ""
    return f"it says {said}, which its log probabilities call improbable"


def choose_option(reply: RawReply, options: Sequence[str]) -> tuple[str | None, dict[str, float] | None]:
    """Returns the most probable option; without probabilities the one that the judge said.

    Returns:
        The option; None where the reply says none, or several, or takes its own word back (`read_option`), however
        probable an option was. And `option_probabilities`, where there is an option.

    Raises:
        ReplyError: As `option_probabilities`.
    """
    if not _can_be_read(reply.text, options):
        return None, None
    probabilities = option_probabilities(reply, options)
    if probabilities is None:
        return read_option(reply.text, options), None
    return max(probabilities, key=probabilities.__getitem__), probabilities


def read_option(text: str, options: Sequence[str]) -> str | None:
    """Returns the option that a text begins with, or the only one that begins with it.

    Returns:
        The option; None where there is none, where its word is part of a phrase ("No doubt"), or where the text names
        another one or takes its word back: in the same clause, or at the beginning or the end of a later one. What
        stands inside a later clause explains; not so beside a yes a "not" or a hedge, which take it back wherever they
        stand.

    Example:
        >>> read_option("**No**, it does not", ("Yes", "No")), read_option("N", ("No", "Never"))
        ('No', None)
        >>> read_option("Yes, there is no fee", ("Yes", "No")), read_option("Yes and no", ("Yes", "No"))
        ('Yes', None)
        >>> read_option("No, it is wrong", ("Yes", "No")), read_option("Yes is wrong", ("Yes", "No"))
        ('No', None)
        >>> read_option("Yes. It is not supported", ("Yes", "No")), read_option("4 out of 10", ("4", "5"))
        (None, None)
    """
    meant = _options_begun_by(text, options)
    return meant[0] if len(meant) == 1 and not _takes_back(text, meant[0], options) else None


def _can_be_read(text: str, options: Sequence[str]) -> bool:
    """Whether the words of a reply leave the choice to the probabilities of its tokens.

    They do where they begin with one option and say no other, or are the beginning of some, or a single word that is
    none: a reply that was cut off before its option. A number between two levels, and a negation, are no such word.
    """
    words = _fold(text).split()
    meant = _options_begun_by(text, options)
    if not meant:
        return len(words) <= 1 and not _DECIMAL.match(text) and _negations().isdisjoint(words)
    return len(meant) > 1 or not _takes_back(text, meant[0], options)


def _takes_back(text: str, option: str, options: Sequence[str]) -> bool:
    """Whether a text that begins with an option names another one beside it, negates it, or hedges it."""
    if len(text) <= len(option):
        return False
    folded = text.casefold().replace("’", "'")
    begun = re.match(r"(\W*)" + r"\W+".join(map(re.escape, _fold(option).split())) + r"(?!\w)", folded)
    if begun is None:
        return False  # the beginning of an option
    rest, said = folded[begun.end() :], _fold(option)
    around = begun[1], re.split(r"\w", rest, maxsplit=1)[0]
    if "!" in around[0] or any(map(_DENYING_SIGNS.search, around)) or _is_in_phrase(around[1], rest, said, options):
        return True
    others = [_fold(other).split() for other in options if other != option]
    for place, clause in enumerate(_END_OF_CLAUSE.split(rest)):
        if _names_another(clause, others, is_number=said.isdecimal(), anywhere=not place):
            return True
        words = _fold(clause).split()
        end = _phrases("retracts").longest(words, 0)[1]  # of which a word alone is all of a clause: "wait"
        if _weakens(clause, said, is_beside=not place) or end > 1 or 0 < end == len(words):
            return True
    return _GRADE.match(rest) is not None or _denies(rest, said) or _says_opposite(rest, said)


def _is_in_phrase(gap: str, rest: str, option: str, options: Sequence[str]) -> bool:
    """Whether a yes or no is a word of a phrase ("No doubt"); without a pause (in the `gap`) a verdict goes on."""
    following, is_yes_or_no = _fold(rest).split()[:1], not _affirmations().isdisjoint(map(_fold, options))
    if not is_yes_or_no or option not in _affirmations() | _negations() or not following or "\n" in gap:
        return False
    onward = _words("goes_on") | _words("linking_verbs") | (_words("affirms") if option in _affirmations() else set())
    is_beside = not "".join(without_unseen(gap).split()).strip(_CLOSING)
    return gap in _HYPHENS or (is_beside and onward.isdisjoint(following))


def _names_another(clause: str, others: Sequence[list[str]], *, is_number: bool, anywhere: bool) -> bool:
    """Whether a clause after an option says another one, or another number ("4 out of 10"): at its ends or anywhere."""
    words = _fold(clause).split()
    if is_number and any(map(str.isdecimal, words if anywhere else [*words[:1], *words[-1:]])):
        return True
    starts = range(len(words)) if anywhere else {0, len(words)}
    return any(
        words[-len(other) :] == other or any(words[start : start + len(other)] == other for start in starts)
        for other in others
    )


def _weakens(clause: str, option: str, *, is_beside: bool) -> bool:
    """Whether a clause after an option negates it or hedges it; after a yes any word that does so counts."""
    words, spoken = _fold(clause).split(), clause.split()
    if option in _affirmations():
        hedged = spoken if is_beside else [*spoken[:1], *spoken[-1:]]  # inside a later clause it explains: "only pay"
        if not _words("negators").isdisjoint(spoken) or _without(hedged, _words("hedges")) != hedged:
            return True
    negating = spoken if is_beside else spoken[-1:] if len(spoken) <= _SHORT_CLAUSE else []
    if _negations().isdisjoint(option.split()) and not _negations().isdisjoint(negating):
        return True
    return bool(words) and not _without(words, _words("hedges"))


def _without(words: Sequence[str], phrases: Iterable[str]) -> list[str]:
    """The words of a clause without those of some phrases."""
    text = f" {' '.join(words)} "
    for phrase in phrases:
        text = text.replace(f" {phrase} ", " ")
    return text.split()


def _denies(rest: str, option: str) -> bool:
    """Whether the clause after an option says that it is wrong; beside a yes, or right after it, any such word does."""
    beside, linked = (_fold(_END_OF_CLAUSE.split(text)[0]).split() for text in (rest, rest.lstrip(_CLOSING)))
    if linked and linked[0] in _words("linking_verbs") and not _words("denials").isdisjoint(linked):
        return True
    opening = _fold(rest).split()[:1]
    return option in _affirmations() and not _words("denials").isdisjoint([*beside, *opening])


def _says_opposite(rest: str, option: str) -> bool:
    """Whether a judge goes on to say of the whole statement that its word is wrong: "No. It is fully supported"."""
    clause = next((words for part in _END_OF_CLAUSE.split(rest) if (words := _fold(part).split())), [])
    if option in _negations() and _phrases("clears").longest(clause, 0)[1]:
        return True
    place = _phrases("of_statement").longest(clause, 0)[1]
    if len(clause) > (place + _LONGEST_SAYING if place else 1):
        return False
    contrary = _words("denials") | _words("refutes") if option in _affirmations() else _words("affirms")
    if option not in _affirmations() | _negations() or contrary.isdisjoint(clause[place : place + 2]):
        return False
    return _negations().isdisjoint(clause) and _without(clause, _words("hedges")) == clause


@cache
def _phrases(kind: Literal["of_statement", "retracts", "clears"]) -> PhraseList:
    """How a clause begins that says whether the statement holds ("it is"), or takes a word back, in all languages."""
    return PhraseList({kind: [phrase for language in packs_with() for phrase in getattr(language.profile, kind)]})


@cache
def _negations() -> frozenset[str]:
    """The words of all languages that negate: a judge may answer in another language than it was asked in."""
    own = {language.profile.yes_no[1].casefold() for language in packs_with()}
    lists = [language.words for language in packs_with("words")]
    words = (word.casefold() for pack in lists for word in (*pack.negations, *pack.negative))
    return frozenset({*words, *own, *_words("negators")})


@cache
def _words(
    kind: Literal["denials", "linking_verbs", "negators", "hedges", "affirms", "refutes", "goes_on"],
) -> frozenset[str]:
    """The words of all languages of one kind.

    Denials say of the option before them that it does not hold ("Yes is wrong"), and linking verbs link it to these;
    negators negate what a judge says beside its yes ("Yes. It is not supported"); by hedges, of which some are phrases,
    it means its word in part, or is not sure of it.
    """
    return frozenset(word for language in packs_with() for word in getattr(language.profile, kind))


@cache
def _affirmations() -> frozenset[str]:
    """The words of all languages for yes."""
    own = {language.profile.yes_no[0].casefold() for language in packs_with()}
    return frozenset({*own, *(word.casefold() for pack in packs_with("words") for word in pack.words.affirmative)})


def _options_begun_by(text: str, options: Sequence[str]) -> tuple[str, ...]:
    """The options that a text can be the beginning of; that which it says whole, where it cannot become longer."""
    return (_begun_by if len(text) <= _SHORT else _begun_by.__wrapped__)(text, tuple(options))


@lru_cache(maxsize=1024)  # tokens and replies are mostly the same few words
def _begun_by(text: str, options: tuple[str, ...]) -> tuple[str, ...]:
    end = _END_OF_VALUE.search(text)
    begun = _fold(text[: end.start()] if end else text)
    if not begun:
        return ()
    if _DECIMAL.match(text):  # 3.5, -3 and > 3 are not the option 3
        options = tuple(option for option in options if not option.isdecimal())
    folded = {option: _fold(option) for option in options}
    whole = [option for option, words in folded.items() if begun == words or begun.startswith(f"{words} ")]
    longer = [option for option, words in folded.items() if words.startswith(begun) and words != begun]
    if whole and (end or not longer):
        return (max(whole, key=len),)
    return (*whole, *longer)


def _fold(text: str) -> str:
    """The words alone, in lower case."""
    return _NOT_WORD.sub(" ", text.casefold()).strip()
