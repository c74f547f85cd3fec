"""How a column may be called: its name as written, synonyms, parts, compounds; and what its name means."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, product

from ....languages import FALLBACK, load_language
from ....text.numbers import known_unit
from ..lexicon import LANGUAGES, Token, lexicon, stem_of, tokens
from .concepts import concepts

Stems = tuple[str, ...]

_MOST_NAMES = 80  # ways to name one column
_MOST_PART_NAMES = 20  # ways to name a part of one
_BRACKETS = re.compile(r"[(\[][^)\]]*[)\]]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
# Zipf frequencies (log10 of occurrences in 10^9 words) from which the two halves of a compound are words
_FIRST_HALF = 3.3
_SHORT_FIRST_HALF = 4.4  # of three letters
_SECOND_HALF = 2.9
_DOUBLED = re.compile(r"([aeou])\1")
_SHORTEST_HALF = 3
_SHORTEST_HEAD = 5


def name_tokens(column: str, language: str) -> list[Token]:
    """The words of a column's name."""
    return [token for token in tokens(_CAMEL.sub(" ", column), language) if token.is_word]


def without_brackets(name: str) -> str:
    """A name without what stands in brackets."""
    return _BRACKETS.sub(" ", name)


def name_words(column: str, language: str) -> list[tuple[Token, ...]]:
    """The words of a column's name without brackets; what hyphens join is one ("no-shows")."""
    text = _CAMEL.sub(" ", without_brackets(_without_digit_unit(column)))
    joined: list[list[Token]] = []
    for token in tokens(text, language):
        if token.is_word and joined and text[joined[-1][-1].end : token.start] == "-":
            joined[-1].append(token)
        elif token.is_word:
            joined.append([token])
    return [tuple(word) for word in joined]


def _stems(words: Iterable[tuple[Token, ...]]) -> Stems:
    return tuple(token.stem for word in words for token in word)


def _without_digit_unit(column: str) -> str:
    """A name without a unit that is not one word ("gas_m3")."""
    name, _, unit = column.rpartition("_")
    return name if name and known_unit(unit) and any(map(str.isdigit, unit)) else column


@cache
def written_names(column: str, language: str) -> frozenset[Stems]:
    """The written names of a column as stems: the whole name, and the name without brackets."""
    drop = lexicon(language).harmless_cell
    bare = [word for word in name_words(column, language) if len(word) > 1 or word[0].text not in drop]
    return frozenset({_stems(bare), tuple(w.stem for w in name_tokens(column, language) if w.text not in drop)} - {()})


@cache
def column_names(column: str, language: str) -> tuple[Stems, ...]:
    """The full names of a column as stems: as written, without brackets, without its unit, with synonyms."""
    drop = lexicon(language).harmless_cell

    def kept(words: list[tuple[Token, ...]]) -> list[tuple[Token, ...]]:
        return [word for word in words if len(word) > 1 or word[0].text not in drop]

    every = tuple(word.stem for word in name_tokens(column, language) if word.text not in drop)
    bare = name_words(column, language)
    names = [every, _stems(kept(bare))]
    unitless = [word for word in bare if len(word) > 1 or not is_unit(word[0].text)]
    if unitless:
        flat = [token for word in unitless for token in word]
        names += [_stems(kept(unitless)), *islice(_synonymous(flat, language), _MOST_NAMES)]
        if len(flat) > len(unitless):  # "noshows" of "no-shows"
            names.append(tuple(stem_of("".join(t.text for t in word), language) for word in kept(unitless)))
    return tuple(dict.fromkeys(name for name in names if name))


def is_unit(word: str) -> bool:
    """Whether a word of a name is a unit."""
    return known_unit(word) is not None and not word.isdigit()


@cache
def content_words(column: str, language: str) -> tuple[tuple[Token, ...], ...]:
    """The words of a name that say what the column is: those before "per", without units and articles."""
    words = lexicon(language)
    drop = words.harmless | _of_all_languages("name_fillers")
    name = name_words(column, language)
    cut = next((place for place, word in enumerate(name) if place and word[0].text in words.data["rate_words"]), None)
    return tuple(
        word
        for word in name[:cut]
        if len(word) > 1 or not (word[0].text in drop or len(word[0].text) <= 2 or is_unit(word[0].text))
    )


def parts_of(column: str, language: str) -> Iterator[Stems]:
    """The words and runs of words of a longer name, and their synonyms; the head of a compound."""
    words = content_words(column, language)
    ends_alike = bool(words) and words[-1] == name_words(column, language)[-1]  # "viewers" of "number of viewers"
    for length in range(1, len(words) + ends_alike):
        for begin in range(len(words) - length + 1):
            run = words[begin : begin + length]
            yield _stems(run)
            yield from islice(_synonymous([t for word in run for t in word], language), _MOST_PART_NAMES)
    for word in words:
        yield from (((stem_of(half, language),)) for half in halves(word[-1].text, language))


def names_without_participles(columns: Sequence[str], language: str) -> dict[Stems, str]:
    """Names of columns without participles that add nothing: "parcels" for "parcels delivered".

    A shorter name is left out where two columns would share it ("tickets opened", "tickets closed"), or where it is the
    name of another column.
    """
    done = lexicon(language).data["was_done"]
    ended, narrowing = (lexicon(language).data[kind] for kind in ("was_ended", "narrowing"))
    left_out = done | (ended - narrowing)
    participles = done | ended
    words_of = {
        column: [
            w for w in name_words(column, language) if w in content_words(column, language) or w[-1].text in participles
        ]
        for column in columns
    }
    rests = [_stems(word for word in words if word[-1].text not in left_out) for words in words_of.values()]
    named: dict[Stems, str] = {}
    for column, words in words_of.items():
        rest = [word for word in words if word[-1].text not in done]
        if not rest or len(rest) == len(words) or rests.count(_stems(rest)) > 1:
            continue
        other_names = {name for other in columns if other != column for name in column_names(other, language)}
        whole = [w for w in name_words(column, language) if w[-1].text not in done and not is_unit(w[0].text)]
        flat = [token for word in rest for token in word]
        forms = product(*([inflections(token.text, language) for word in whole for token in word]))
        names = {*islice(forms, _MOST_PART_NAMES), *islice(_synonymous(flat, language), _MOST_PART_NAMES)}
        if set(rest) <= set(content_words(column, language)):
            names.add(_stems(rest))
        named |= {name: column for name in names if name not in other_names}
    return named


@cache
def inflections(word: str, language: str) -> tuple[str, ...]:
    """The stems of a word and of its listed inflections that a stemmer keeps apart ("laat", "late")."""
    data, inflects = lexicon(language).data, load_language(language).profile.doubled_vowels
    listed = sorted(data["was_done"] | data["was_ended"] | data["narrowing"])
    alike = [w for w in listed if _uninflected(w) == _uninflected(word)] if inflects else []
    return tuple(dict.fromkeys(stem_of(w, language) for w in (word, *alike)))


def _uninflected(word: str) -> str:
    return _DOUBLED.sub(r"\1", word.removesuffix("e"))


@cache
def particle_of(column: str, language: str) -> str | None:
    """The particle of the separable verb in a column's name: "uit" of "uitgevallen"."""
    words = name_words(column, language)
    separable = re.match(lexicon(language).data["separable"], words[0][-1].text) if len(words) == 1 else None
    return separable["particle"] if separable else None


@cache
def is_predicate(column: str, language: str) -> bool:
    """Whether a name only says what happened to the things that another column counts: "te laat bezorgd", "closed"."""
    data = lexicon(language).data
    participles = data["was_done"] | data["was_ended"] | data["narrowing"]
    words = [w for w in name_words(column, language) if w[-1].text not in lexicon(language).articles]
    predicates = [w for w in words if w[-1].text in participles or re.fullmatch(data["predicate"], w[-1].text)]
    return bool(predicates) and all(w in predicates or w[0].text in lexicon(language).harmless for w in words)


@cache
def hints_of(column: str, language: str) -> frozenset[Stems]:
    """Words that refer to a column where no other is named: verbs ("joined" for new members) and plain nouns."""
    words = content_words(column, language)
    data = lexicon(language).data
    done, narrowing = data["was_done"], data["narrowing"]
    every = tuple(word for word in name_words(column, language) if not is_unit(word[0].text))
    runs = [every, words, tuple(word for word in words if word[-1].text not in done)]
    if not any(word[-1].text in narrowing for word in every):
        runs += [words[-1:]]
    named = {_concept_of([token for word in run for token in word]) for run in runs if run}
    if words:
        named |= {_concepts().get((stem_of(half, language),)) for half in halves(words[-1][-1].text, language)}
    phrases = [phrase for concept in named if concept for phrase in data["hints"].get(concept, ())]
    return frozenset(tuple(t.stem for t in tokens(phrase, language) if t.is_word) for phrase in phrases)


@cache
def halves(word: str, language: str) -> tuple[str, ...]:
    """Short names of a compound: its head, and its first half where the head adds little.

    "Meldingen" and "storing" for "storingsmeldingen", "verzuim" and "ziekte" for "ziekteverzuim".
    """
    words = lexicon(language)
    links = words.data["compound_links"]
    if not links:
        return ()
    light, prefixes = (words.data[kind] for kind in ("compound_light_heads", "compound_prefixes"))
    common = words.harmless | frozenset(words.data["periods"])
    best: tuple[float, str, str] | None = None
    for end in range(_SHORTEST_HALF, len(word) - _SHORTEST_HEAD + 1):
        head = word[end:]
        for first in sorted({word[:end], *(word[:end].removesuffix(link) for link in links)}):
            if len(first) < _SHORTEST_HALF or word[:end] in prefixes or head in common or is_unit(head):
                continue
            frequency = _frequency(first, language)
            enough = _SHORT_FIRST_HALF if len(first) == _SHORTEST_HALF else _FIRST_HALF
            if frequency >= enough and _frequency(head, language) >= _SECOND_HALF:
                weight = min(frequency, _frequency(head, language))
                best = max(best, (weight, first, head)) if best else (weight, first, head)
    if best is None:
        return ()
    _, first, head = best
    everyone = stem_of(first, language) in words.everyone
    return (head, first) if head in light and not everyone and first not in common else (head,)


def is_head(end: str, word: str, language: str) -> bool:
    """Whether the end of a word is more frequent than the whole word: "achterstand" of "huurachterstand"."""
    frequency = _frequency(end, language)
    return frequency >= _SECOND_HALF and frequency > _frequency(word, language)


def _frequency(word: str, language: str) -> float:
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, language))


def counted_compounds(column: str, step: str | None, language: str) -> Iterator[Stems]:
    """Compounds of a one-word column name with a tail that counts or a head that names the step.

    "Ledental", "klantenaantal", "omzetcijfer"; "weekomzet" for a table with one row per week.
    """
    data = lexicon(language).data
    words = content_words(column, language)
    if not data["compound_tails"] or len(words) != 1 or len(words[0]) != 1 or len(words[0][0].text) < _SHORTEST_HALF:
        return
    word = words[0][0].text
    yield from ((stem_of(word + tail, language),) for tail in sorted(data["compound_tails"]))
    spans = [text for text, span in data["periods"].items() if span == step]
    yield from ((stem_of(span + word, language),) for span in spans)


@cache
def _concepts() -> dict[Stems, str]:
    """What a phrase of any language means, by its stems in each language.

    A language's own stems go first: a stemmer of another one makes "work" of "workers".
    """
    own: dict[Stems, str] = {}
    crossed: dict[Stems, str] = {}
    for language in LANGUAGES:
        for concept, phrases in lexicon(language).data["synonyms"].items():
            for phrase in [concept.replace("_", " "), *phrases]:
                for stemmed in LANGUAGES:
                    known = own if stemmed == language else crossed
                    known.setdefault(tuple(token.stem for token in tokens(phrase, stemmed) if token.is_word), concept)
    return crossed | own


@cache
def _of_all_languages(kind: str) -> frozenset[str]:
    return frozenset(word for language in LANGUAGES for word in lexicon(language).data[kind])


def _concept_of(words: Sequence[Token]) -> str | None:
    """What words mean; not "rate", whose stem is that of "rating"."""
    if len(words) == 1 and words[0].text in _of_all_languages("false_friends"):
        return None
    return _concepts().get(tuple(word.stem for word in words))


@cache
def polarity(column: str) -> str | None:
    """The direction, "up" or "down", in which a series gets better, by the meaning of its name; None if unknown."""
    better = {way for way, known in concepts().better if meanings(column) & known}
    return better.pop() if len(better) == 1 else None


@cache
def means(column: str, kind: str) -> bool:
    """Whether a series' name means something of a kind: `levels`, that stand at a value, or `flows`, that add up."""
    return bool(meanings(column) & getattr(concepts(), kind))


@cache
def says_mean(column: str) -> bool:
    """Whether a column's name says that its values are means: "avg_wait", "gem_kale_huur"."""
    words = " ".join(token.text for token in name_tokens(column, FALLBACK))
    return any(lexicon(language).kinds["mean"].search(words) is not None for language in LANGUAGES)


@cache
def meanings(column: str) -> frozenset[str]:
    """The concepts that a column's name names."""
    words = [word for word in name_tokens(without_brackets(column), FALLBACK) if not is_unit(word.text)]
    return frozenset(
        concept
        for begin in range(len(words))
        for end in range(begin + 1, len(words) + 1)
        for stems in (tuple(stem_of(w.text, language) for w in words[begin:end]) for language in LANGUAGES)
        if (concept := _concepts().get(stems)) and words[begin].text not in _of_all_languages("false_friends")
    )


def _synonymous(words: Sequence[Token], language: str) -> Iterator[Stems]:
    """The words with every run that has synonyms replaced by each of them, in the language."""
    choices: list[list[Stems]] = []
    place, replaced = 0, False
    while place < len(words):
        for end in range(len(words), place, -1):
            concept = _concept_of(words[place:end])
            if concept:
                phrases = lexicon(language).data["synonyms"][concept]
                choices.append([tuple(t.stem for t in tokens(phrase, language) if t.is_word) for phrase in phrases])
                place, replaced = end, True
                break
        else:
            choices.append([(words[place].stem,)])
            place += 1
    if replaced:
        yield from (tuple(stem for part in combined for stem in part) for combined in product(*choices))
