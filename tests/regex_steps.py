"""Counts the steps of a regular expression on a text, as Python's `re` takes them, and finds texts that need too many.

`re` has no counter and cannot be stopped, so a small matcher follows its parsed expression, backtracking in its order.
"""

import itertools
import re
from re import _parser

MOST_STEPS = 60_000
_TIMES = (6, 12, 18)  # how often a piece is repeated
_MOST_TIMES = 2  # a bounded repetition counts as one of so few: bounded it stays, and its window is small beside a text
_HOSTILE = (
    *("a", "a-", "a ", "-", " ", "1", "1.", "1-", ".", "'a", '"a', ",", ", a", "(a", "[1]", "\n", "*", "é", "A", "/a"),
    *(":", "_", "|", "<a"),
)
MOST_PIECES = 12
_MOST_PIECES_OF_ONE = 5  # repetition
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\}")
_LEAST_SURPLUS = 20  # steps
_NOWHERE = "\0"  # ends a text so that hardly a pattern can match
_ONE_CHARACTER = ("LITERAL", "NOT_LITERAL", "ANY", "IN")
_CHARACTERS = (*map(chr, range(32, 0x2100)), "\n")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_PLACES = {
    "AT_BEGINNING": "^",
    "AT_BEGINNING_STRING": r"\A",
    "AT_BOUNDARY": r"\b",
    "AT_NON_BOUNDARY": r"\B",
    "AT_END": "$",
    "AT_END_STRING": r"\Z",
}
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


class TooManyStepsError(Exception):
    """The matcher gave up."""


class StepCounter:
    """Follows one expression on texts, and counts the characters that it looks at.

    Example:
        >>> StepCounter(r"a*b").count("aaaa")
        45
    """

    def __init__(self, pattern, flags=0):
        self.tree = _parser.parse(pattern, flags)
        self.flags: int = self.tree.state.flags
        self._text = ""
        self._steps = 0
        self._groups: dict[int, tuple[int, int]] = {}
        self._furthest = 0  # the last character that was looked at
        self._looks_far_back = False
        self._matcher = self._sequence(self.tree, self.flags)

    def count(self, text):
        """The steps of `finditer`: from every place at which a match may begin."""
        self._text, self._steps = text, 0
        position = 0
        known = {}  # the steps from a place at which no more than its own character is looked at
        while position <= len(text):
            around = text[max(0, position - 1) : position + 2]
            if 0 < position < len(text) - 1 and around in known:
                self._steps += known[around]
                position += 1
                continue
            before, self._furthest = self._steps, position
            end = self._match(position)
            if end < 0 and self._furthest <= position and 0 < position < len(text) - 1 and not self._looks_far_back:
                known[around] = self._steps - before
            position = max(end, position + 1)
        return self._steps

    def repeats(self, items, flags, piece):
        """Whether a part of the expression matches a piece twice, however it cuts it."""
        self._text, self._steps = piece * 2, 0
        matcher = self._sequence(items, flags)
        ends, waiting = {0}, [0]
        while waiting:
            reached = []
            matcher(waiting.pop(), lambda end, reached=reached: bool(reached.append(end)))
            waiting += set(reached) - ends
            ends |= set(reached)
        return len(self._text) in ends

    def count_match(self, text):
        """The steps of `match`: from the start alone."""
        self._text, self._steps = text, 0
        self._match(0)
        return self._steps

    def _match(self, position):
        """Where the match from a place ends; -1 where there is none."""
        ends = []
        self._groups = {}
        return ends[0] if self._matcher(position, lambda end: not ends.append(end)) else -1

    def _step(self):
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise TooManyStepsError

    def _sequence(self, items, flags):
        matchers = [self._item(str(name), value, flags) for name, value in items]
        if not matchers:
            return lambda position, go_on: go_on(position)
        if len(matchers) == 1:
            return matchers[0]

        def chain(first, rest):
            return lambda position, go_on: first(position, lambda end: rest(end, go_on))

        matcher = matchers[-1]
        for one in reversed(matchers[:-1]):
            matcher = chain(one, matcher)
        return matcher

    def _item(self, name, value, flags):
        if name in _ONE_CHARACTER:
            return self._character(character_test(name, value, flags))
        if name in _REPEATS:
            return self._repeat(name, *value, flags)
        if name in ("ASSERT", "ASSERT_NOT"):
            return self._look(name == "ASSERT", *value, flags)
        if name in ("SUBPATTERN", "ATOMIC_GROUP", "BRANCH", "GROUPREF_EXISTS"):
            return self._nested(name, value, flags)
        if name == "AT":
            found = re.compile(_PLACES[str(value)], flags & re.MULTILINE).match
            return lambda position, go_on: found(self._text, position) is not None and go_on(position)
        assert name == "GROUPREF", name
        return lambda position, go_on: self._same(value, position, go_on)

    def _nested(self, name, value, flags):
        if name == "BRANCH":
            options = [self._sequence(option, flags) for option in value[1]]
            return lambda position, go_on: any(option(position, go_on) for option in options)
        if name == "ATOMIC_GROUP":
            return self._atomic(self._sequence(value, flags))
        if name == "GROUPREF_EXISTS":
            return self._conditional(*value, flags)
        number, added, removed, inside = value
        matcher = self._sequence(inside, (flags | added) & ~removed)
        return matcher if number is None else self._group(number, matcher)

    def _character(self, fits):
        def matcher(position, go_on):
            self._step()
            self._furthest = max(self._furthest, position)
            return position < len(self._text) and fits(self._text[position]) and go_on(position + 1)

        return matcher

    def _group(self, number, inside):
        def matcher(position, go_on):
            def close(end):
                before = self._groups.get(number)
                self._groups[number] = position, end
                if go_on(end):
                    return True
                self._groups.pop(number) if before is None else self._groups.update({number: before})
                return False

            return inside(position, close)

        return matcher

    def _conditional(self, number, if_there, if_not, flags):
        there, missing = self._sequence(if_there, flags), self._sequence(if_not or (), flags)

        def matcher(position, go_on):
            chosen = there if number in self._groups else missing
            return chosen(position, go_on)

        return matcher

    def _same(self, number, position, go_on):
        if number not in self._groups:
            return False
        start, end = self._groups[number]
        self._furthest = len(self._text)
        self._steps += end - start
        self._step()
        return self._text.startswith(self._text[start:end], position) and go_on(position + end - start)

    def _end(self, inside, position):
        ends = []
        return ends[0] if inside(position, lambda end: not ends.append(end)) else -1

    def _atomic(self, inside):
        return lambda position, go_on: (end := self._end(inside, position)) >= 0 and go_on(end)

    def _look(self, wanted, direction, items, flags):
        inside = self._sequence(items, flags)
        back = items.getwidth()[0] if direction < 0 else 0
        self._looks_far_back |= back > 1

        def matcher(position, go_on):
            found = position >= back and self._end(inside, position - back) >= 0
            return found is wanted and go_on(position)

        return matcher

    def _repeat(self, name, least, most, items, flags):
        least, most = min(least, _MOST_TIMES), most if most == _parser.MAXREPEAT else min(most, _MOST_TIMES)
        if len(items) == 1 and str(items[0][0]) in _ONE_CHARACTER:
            return self._repeated_character(name, least, most, character_test(str(items[0][0]), items[0][1], flags))
        inside = self._sequence(items, flags)
        if name == "POSSESSIVE_REPEAT":
            return self._atomic(self._repeated("MAX_REPEAT", least, most, inside))
        return self._repeated(name, least, most, inside)

    def _repeated(self, name, least, most, inside):
        def attempt(times, position, go_on):
            self._step()

            def again():
                return times < most and inside(
                    position, lambda end: (end > position or times < least) and attempt(times + 1, end, go_on)
                )

            if times < least:
                return again()
            return again() or go_on(position) if name == "MAX_REPEAT" else go_on(position) or again()

        return lambda position, go_on: attempt(0, position, go_on)

    def _repeated_character(self, name, least, most, fits):
        def matcher(position, go_on):
            text, end = self._text, position
            last = min(len(text), position + most)
            while end < last and (name != "MIN_REPEAT" or end < position + least) and fits(text[end]):
                end += 1
            self._steps += end - position
            self._step()
            self._furthest = max(self._furthest, end)
            if end < position + least:
                return False
            if name == "POSSESSIVE_REPEAT":
                return go_on(end)
            if name == "MIN_REPEAT":
                while not go_on(end):
                    self._step()
                    if end >= last or not fits(text[end]):
                        return False
                    end += 1
                return True
            while not go_on(end):
                self._step()
                end -= 1
                if end < position + least:
                    return False
            return True

        return matcher


def character_test(name, value, flags):
    """Whether a character fits a part of an expression that takes one."""
    known = {}
    caseless = bool(flags & re.IGNORECASE)

    def fits(character):
        result = known.get(character)
        if result is None:
            result = known[character] = _fits(name, value, character, flags, caseless)
        return result

    return fits


def _fits(name, value, character, flags, caseless):
    if name == "ANY":
        return character != "\n" or bool(flags & re.DOTALL)
    forms = {character, character.lower(), character.upper()} if caseless else {character}
    if name == "LITERAL":
        return any(form == chr(value) for form in forms)
    if name == "NOT_LITERAL":
        return all(form != chr(value) for form in forms)
    negated = bool(value) and str(value[0][0]) == "NEGATE"
    found = any(_in_class(str(kind), own, form, flags) for kind, own in value[negated:] for form in forms)
    return found is not negated


def _in_class(kind, value, character, flags):
    if kind == "LITERAL":
        return character == chr(value)
    if kind == "RANGE":
        return len(character) == 1 and value[0] <= ord(character) <= value[1]
    return re.match(_CATEGORIES[str(value)], character, flags & re.ASCII) is not None


def slow_text(pattern, flags=0, *, searched=True, most_pieces=MOST_PIECES):
    """A short text for which steps grow faster than the text does; "" where none is found.

    The steps of three texts tell: their second difference is 0 where they grow as the texts do.
    """
    if not _UNBOUNDED.search(pattern):
        return ""
    counter = StepCounter(pattern, flags)
    count = counter.count if searched else counter.count_match
    for prefix, piece in itertools.islice(hostile_pieces(counter), most_pieces):
        for before, repeated in dict.fromkeys([(prefix, piece), ("", prefix + piece)]):
            texts = [before + repeated * times + _NOWHERE for times in _TIMES]
            try:
                few, some, many = map(count, texts)
            except TooManyStepsError:
                return texts[0]
            if many - 2 * some + few > _LEAST_SURPLUS + many / 50:
                return texts[0]
    return ""


def hostile_pieces(counter):
    """What each repetition of an expression can repeat, with a text that leads to it: of each one, then another."""
    found = list[list[tuple[str, str]]]()
    for prefix, items, flags in _repetitions(counter.tree, counter.flags, ""):
        pieces = _pieces.get((form := repr(items), flags))
        if pieces is None:
            samples = (piece for piece in dict.fromkeys([*_samples(items, flags), *_HOSTILE]) if piece)
            fitting = (piece for piece in samples if counter.repeats(items, flags, piece))
            pieces = _pieces[form, flags] = list(itertools.islice(fitting, _MOST_PIECES_OF_ONE))
        found.append([(prefix, piece) for piece in pieces])
    return iter(dict.fromkeys(one for row in itertools.zip_longest(*found) for one in row if one))


_pieces = {}  # by the parsed form of what is repeated: many expressions share theirs


def _repetitions(items, flags, prefix):
    """Each repetition without a bound, with a text that the expression before it matches."""
    for kind, value in items:
        name = str(kind)
        if name in _REPEATS and value[1] == _parser.MAXREPEAT:
            yield prefix, value[2], flags
        own_flags = (flags | value[1]) & ~value[2] if name == "SUBPATTERN" else flags
        for inside in _parts(name, value):
            yield from _repetitions(inside, own_flags, prefix)
        prefix += next(_samples([(name, value)], flags), "")


def _parts(name, value):
    """The expressions within a part of one."""
    if name == "BRANCH":
        return value[1]
    if name == "ATOMIC_GROUP":
        return [value]
    places = {"SUBPATTERN": 3, "ASSERT": 1, "ASSERT_NOT": 1} | dict.fromkeys(_REPEATS, 2)
    return [value[places[name]]] if name in places else []


def _samples(items, flags):
    """Some texts that a part of an expression matches, what it looks at besides apart."""
    for favourite in ("a", "1", " ", "-", "."):
        yield "".join(_sample(str(name), value, flags, favourite) for name, value in items)


def _sample(name, value, flags, favourite):
    if name == "LITERAL":
        return chr(value)
    if name in _ONE_CHARACTER:
        fits = character_test(name, value, flags)
        return next(filter(fits, itertools.chain(favourite, _CHARACTERS)), "")
    if name in ("ASSERT", "ASSERT_NOT"):
        return ""
    inside = next(iter(_parts(name, value)), ())
    text = "".join(_sample(str(own), inner, flags, favourite) for own, inner in inside)
    return text * min(value[0], _MOST_TIMES) if name in _REPEATS else text
