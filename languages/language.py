"""A language with its pack: a folder of YAML files, each read and validated when it is first needed."""

from functools import cache, cached_property, lru_cache
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, TypeVar

from ..errors import InputError, UsageError
from ..installation import entry_folder, registered_entries
from .claim_sections import ClaimMarks, ClaimTimes, PlainWords, SeriesNames
from .fallback import FALLBACK
from .sections import (
    CitationWords,
    Components,
    Consistency,
    DeclinedWords,
    Demands,
    EffortWords,
    Entities,
    HandoverWords,
    Messages,
    Notation,
    PackFile,
    Probes,
    Profile,
    Questions,
    RatingPage,
    Sentences,
    Speakers,
    Statements,
    ThanksWords,
    VerdictTexts,
    Words,
)
from .yaml_file import read_yaml

if TYPE_CHECKING:
    from babel import Locale

GROUP = "assay.languages"
"""The group of entry points that register language packs: a code, and the package with the pack's YAML files."""

S = TypeVar("S", bound=PackFile)


def _section(name: str, kind: type[S]) -> cached_property[S]:
    """A section of a pack, which is read and validated when it is first needed."""
    return cached_property(lambda language: language._read(name, kind))


class Language:
    """A language, and what Assay knows of it. Made by `load_language`; there is one object per code.

    A pack has at least `language.yaml`, `sentences.yaml` and `declined.yaml`. `has` says which other sections it has.

    Attributes:
        code: Its ISO 639 code.
    """

    # the sections by the names of their files; one that the pack lacks raises `UsageError`
    profile = _section("language", Profile)
    sentences = _section("sentences", Sentences)
    declined = _section("declined", DeclinedWords)
    handover = _section("handover", HandoverWords)
    citations = _section("citations", CitationWords)
    effort = _section("effort", EffortWords)
    speakers = _section("speakers", Speakers)
    thanks = _section("thanks", ThanksWords)
    entities = _section("entities", Entities)
    words = _section("words", Words)
    components = _section("components", Components)
    messages = _section("messages", Messages)
    notation = _section("notation", Notation)
    questions = _section("questions", Questions)
    statements = _section("statements", Statements)
    demands = _section("demands", Demands)
    consistency = _section("consistency", Consistency)
    probes = _section("probes", Probes)
    rating_page = _section("rating_page", RatingPage)
    verdict = _section("verdict", VerdictTexts)
    claim_marks = _section("claim_marks", ClaimMarks)
    claim_times = _section("claim_times", ClaimTimes)
    series_names = _section("series_names", SeriesNames)
    plain_words = _section("plain_words", PlainWords)

    def __init__(self, code: str, folder: Traversable) -> None:
        self.code = code
        self._folder = folder

    def __repr__(self) -> str:
        return f"Language({self.code!r})"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return load_language, (self.code,)

    @property
    def name(self) -> str:
        """The language's English name."""
        return self.profile.name

    @cached_property
    def locale(self) -> "Locale":
        """What the Unicode locale data (CLDR) say of the language; needs the extra `numeric`."""
        from babel import Locale, UnknownLocaleError

        try:
            return Locale.parse(self.code)
        except (UnknownLocaleError, ValueError) as error:
            raise UsageError(
                f"the library Babel has no names of months for the language pack {self.code}; register the pack by an "
                "ISO 639 code that Babel knows"
            ) from error

    @cached_property
    def months(self) -> tuple[str, ...]:
        """The names of the months, as they are written in a date."""
        return tuple(self.locale.months["format"]["wide"][month] for month in range(1, 13))

    @cached_property
    def short_months(self) -> tuple[str, ...]:
        """The months in three letters."""
        return tuple(self.locale.months["stand-alone"]["abbreviated"][month].rstrip(".") for month in range(1, 13))

    @cached_property
    def weekdays(self) -> tuple[str, ...]:
        """The names of the days of the week, Monday first."""
        return tuple(self.locale.days["format"]["wide"][day] for day in range(7))

    @cached_property
    def currencies(self) -> dict[str, str]:
        """The signs, codes and names of the currencies of `notation.yaml`, in lower case, longest first: ISO codes."""
        from babel.numbers import get_currency_name, get_currency_symbol

        written = dict(self.notation.currency_words)
        for code in self.notation.currencies:
            if code not in self.locale.currencies:
                origin = f"languages/{self.code}/notation.yaml, currencies"
                raise InputError(f"{origin}: there is no currency {code!r}; write ISO 4217 codes")
            names = [get_currency_name(code, count, self.locale) for count in (1, 2)]  # singular and plural
            written |= {name.lower(): code for name in (code, get_currency_symbol(code, self.locale), *names)}
        return dict(sorted(written.items(), key=lambda entry: -len(entry[0])))

    @cached_property
    def is_day_first(self) -> bool:
        """Whether the day is written before the month where both are numbers."""
        short = str(self.locale.date_formats["short"].pattern)
        return short.index("d") < short.index("M")

    def has(self, *sections: str) -> bool:
        """Whether the pack has all of these sections, by the names of their files (`words`, `messages`)."""
        return all(self._folder.joinpath(f"{section}.yaml").is_file() for section in sections)

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The function words but negations, of `words.yaml`, or of `demands.yaml` where there is no `words.yaml`."""
        if self.has("words"):
            return self.words.function_words - self.words.negations
        return self.demands.function_words if self.has("demands") else frozenset()

    @cached_property
    def negations(self) -> frozenset[str]:
        """The words that negate, from the same file."""
        section = "words" if self.has("words") else "demands"
        return getattr(self, section).negations if self.has(section) else frozenset()

    def _read(self, section: str, kind: type[S]) -> S:
        if not self.has(section):
            raise UsageError(
                f"the language pack {self.code} has no {section}.yaml; write languages/{self.code}/{section}.yaml "
                f"after languages/{FALLBACK}/{section}.yaml"
            )
        return read_yaml(self._folder.joinpath(f"{section}.yaml"), kind)


@cache
def language_codes() -> tuple[str, ...]:
    """Lists the codes of the languages that have a pack, of Assay or of another package, sorted."""
    return tuple(registered_entries(GROUP))


def load_language(code: str) -> Language:
    """Loads a language by the code of its pack.

    Raises:
        UsageError: No pack has this code.

    Example:
        >>> load_language("nl").name
        'Dutch'
    """
    if code not in language_codes():
        raise UsageError(f"there is no language pack {code!r}; the packs are {', '.join(language_codes())}")
    return _load(code)


def find_language(code: str | None) -> Language | None:
    """Finds the pack of a language code, also of one with a region; None where there is none.

    Example:
        >>> find_language("nl-BE")
        Language('nl')
        >>> find_language("tlh") is None
        True
    """
    plain = plain_code(code)
    return _load(plain) if plain in language_codes() else None


@lru_cache(maxsize=256)  # asked for every text of every sample
def language_or_fallback(code: str | None, *sections: str) -> Language:
    """Finds the pack of a language code; English's where there is none, or it lacks one of the sections.

    Example:
        >>> language_or_fallback("nl").name, language_or_fallback("tlh").name
        ('Dutch', 'English')
    """
    language = find_language(code)
    return language if language is not None and language.has(*sections) else _load(FALLBACK)


def plain_code(code: str | None) -> str | None:
    """A language code in lower case without region or script: `pt_BR` is `pt`."""
    return None if code is None else code.strip().replace("_", "-").partition("-")[0].lower()


def packs_with(*sections: str) -> tuple[Language, ...]:
    """Lists the languages whose packs have all of these sections, by code."""
    return tuple(language for language in map(_load, language_codes()) if language.has(*sections))


@cache
def _load(code: str) -> Language:
    entry = registered_entries(GROUP)[code]
    folder = entry_folder(entry)
    if not folder.joinpath("language.yaml").is_file():
        raise UsageError(f"the language pack {code} is registered as {entry.value}, which has no language.yaml")
    return Language(code, folder)
