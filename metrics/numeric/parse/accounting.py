"""Which words of a clause an interpretation leaves open, and whether they may be left out."""

import re

from ..lexicon import Lexicon, Token
from ..names.column_names import means, particle_of
from .clause import Clause
from .construction import Interpretation
from .marks import Mark
from .scene import Scene, clause_of

# kinds of words that say nothing by themselves
_SILENT = frozenset(
    {"value_word", "days", "when", "changed_to", "between_two", "increase_word"}
    | {"whole", "exactly", "seen", "aside", "per_row", "measured"}
)
# an answer's first words, before it says how much: "Far fewer: ...", "A lot busier: ..."
_YES_MORE = frozenset({"higher", "lower", "better", "worse", "busier", "quieter", "cheaper", "dearer", "nearly"})
_LONGEST_YES = 3
_MOST_UNKNOWN = 2
_LONGEST_COMMENT = 14  # words
# kinds of words that a comment may have as well: "which is a good level for most companies"
_COMMENTS = frozenset({"when", "that_time", "count", "all", "best", "the_two", "not", "majority", "exactly"})


def unaccounted_words(interpretation: Interpretation, shared: frozenset[str]) -> list[str]:
    """The words that an interpretation does not account for and that may matter; `shared` stems set the scene."""
    clause, accounted = interpretation.match.clause, interpretation.accounted_marks
    left = [m.text for m in clause.marks if m not in accounted and _matters(clause, m, shared)]
    return [*left, *(token.text for token in _unknown_tokens(clause, shared)), *_loose_particles(interpretation)]


def may_be_left_out(interpretation: Interpretation, shared: frozenset[str]) -> bool:
    """Whether all that is left open may be left out: at most two words that neither restrict nor name anything.

    The clause has to name its series itself, else an unknown word may be what it is about; and not as people, else the
    word may be a verb that says which of them are counted ("4,000 customers defected").
    """
    clause, accounted = interpretation.match.clause, interpretation.accounted_marks
    named = [name for mark in accounted for name in mark.series]
    if not named or all(means(name, "people") for name in named) or _loose_particles(interpretation):
        return False
    if any(m not in accounted and _matters(clause, m, shared) for m in clause.marks):
        return False
    unknown = _unknown_tokens(clause, shared)
    return len(unknown) <= _MOST_UNKNOWN and not any(_restricts(clause, token) for token in unknown)


def _loose_particles(interpretation: Interpretation) -> list[str]:
    """The "uit" of "er vielen 71 treinen uit", if the interpretation does not use a column called "uitgevallen"."""
    clause = interpretation.match.clause
    language = clause.words.language
    read = {name for mark in interpretation.accounted_marks for name in mark.series}
    particles = {particle_of(column, language) for column in clause.table.columns if column not in read} - {None}
    loose = [
        (token, after)
        for token, after in zip(clause.tokens, [*clause.tokens[1:], None], strict=True)
        if token.text in particles
    ]
    ends = frozenset(clause.words.data["ends_particle"])
    return [token.text for token, after in loose if after is None or not after.is_word or after.text in ends]


def unknown_words(clause: Clause, shared: frozenset[str]) -> list[str]:
    """The words of a clause that no list and no table knows."""
    return [token.text for token in _unknown_tokens(clause, shared)]


def is_comment(text: str, scene: Scene, words: Lexicon) -> bool:
    """Whether a part of a sentence only comments on the rest: "as you can see", "which is a healthy level".

    It names nothing of the tables, states no number, time or direction, and restricts nothing ("in Amsterdam, ...").
    """
    if words.kinds["cause"].search(text) or words.kinds["forecast"].search(text):
        return False
    for view, names in scene.views:
        clause = clause_of(text, view, names, scene)
        spoken = [token for token in clause.tokens if token.is_word]
        silent = _SILENT | _COMMENTS | (_YES_MORE if len(spoken) <= _LONGEST_YES else frozenset())
        if any(m.number or m.time or m.series or m.cells or m.kinds - silent for m in clause.marks):
            return False
        if not spoken or len(spoken) > _LONGEST_COMMENT or any(token.text in words.restrictive for token in spoken):
            return False
        known = not _unknown_tokens(clause, scene.shared)
        led = spoken[0].text in words.scope_prepositions and spoken[0].text not in words.data["comment_led"]
        if not known and (led or any(clause.text[t.start].isupper() for t in spoken[1:])):
            return False
    return bool(scene.views)


def _unknown_tokens(clause: Clause, shared: frozenset[str]) -> list[Token]:
    covered = [(mark.start, mark.end) for mark in clause.marks]
    outside = [t for t in clause.tokens if not any(start <= t.start and t.end <= end for start, end in covered)]
    return [token for token in outside if token.is_word and not _is_plain(clause, token, shared)]


def _restricts(clause: Clause, unknown: Token) -> bool:
    place = clause.tokens.index(unknown)
    before = [token.text for token in clause.tokens[:place]]
    while before and before[-1] in clause.words.articles:
        before.pop()
    named = clause.text[unknown.start].isupper() and place > 0
    scope = bool(before) and before[-1] in clause.words.scope_prepositions
    extreme = re.fullmatch(clause.words.data["superlative"], unknown.text) is not None
    return not unknown.text.isalpha() or named or scope or extreme or unknown.text in clause.words.restrictive


def _is_plain(clause: Clause, token: Token, shared: frozenset[str]) -> bool:
    words = clause.words
    known = token.text in words.plain_verbs or token.text in words.plain or token.stem in words.everyone
    plain = known and token.stem not in clause.column_stems
    place = clause.tokens.index(token)
    if place and clause.tokens[place - 1].text == "per":  # "3 per visitor" is not 3
        return False
    asked = token.stem in shared and token.text not in words.data["of_others"]
    return token.text in words.harmless or plain or asked or token.stem in clause.head_stems


def _matters(clause: Clause, mark: Mark, shared: frozenset[str]) -> bool:
    if mark.number or mark.time:
        return True
    if mark.kinds:
        return not mark.kinds & _SILENT and mark.text.lower() not in clause.words.data["would"]
    inside = [token for token in clause.tokens if mark.start <= token.start and token.end <= mark.end]
    return not all(_is_plain(clause, token, shared) for token in inside)
