"""The facts of each public set: where it is, how large, under which licence, what its ratings mean, its halves."""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Literal, NamedTuple
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from ...errors import InputError
from ...languages.yaml_file import read_yaml
from ...name_suggestions import nearest_names, quote_names
from ...text.wording import count_of
from ...value_messages import quote_word
from ..sample import Sample

PREFIX = "public:"
Part = Literal["dev", "test"]
PARTS: tuple[Part, ...] = ("dev", "test")
GITHUB = "https://raw.githubusercontent.com"


class PublicFile(BaseModel):
    """One file of a public set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    size: int | None = Field(ge=1)  # its bytes; None where Assay does not know
    sha256: str | None = Field(pattern=r"^[0-9a-f]{64}$")  # its SHA-256 in hexadecimal; None where Assay does not know


class PublicSet(BaseModel):
    """What is known of a public set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str  # what it is called after `public:`
    title: str
    paper: str
    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")  # `owner/name` on GitHub
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    files: tuple[PublicFile, ...] = Field(min_length=1)
    licence: str
    licence_text: str  # the same with where it stands and what else applies
    rated: str
    rating_scale: str  # what a rating means
    rated_by: Literal["people", "computed"]
    raters: int | None  # how many people rated each answer; None where the file does not say, 0 where nobody did
    groups: str
    versions: tuple[str, ...]  # the systems that answered; none where people wrote the answers
    language: str = Field(pattern=r"^[a-z]{2}$")
    answers: int | None = None  # how many answers there are; None where Assay does not know
    answers_counted: bool = False  # whether they were counted in the files of this commit; else the authors say so
    reader: str

    @property
    def download_command(self) -> str:
        """The command that downloads the set."""
        return f"assay sets get {quote_word(self.name)}"

    @property
    def size(self) -> int | None:
        """The bytes of all files; None where Assay does not know that of each."""
        sizes = [file.size for file in self.files if file.size is not None]
        return sum(sizes) if len(sizes) == len(self.files) else None

    def describe_rating(self, source_path: str) -> dict[str, str]:
        """The part of each sample's metadata that says what its rating means, and where it is from."""
        return {
            "rating_scale": self.rating_scale,
            "source": f"{self.repository} {source_path}",
            "licence": self.licence_text,
        }

    def address(self, path: str, mirror: str = GITHUB) -> str:
        """The address of a file, at GitHub or at a mirror with the same paths.

        Example:
            >>> load_facts("tau").address("a b.json", "http://localhost:8000/")
            'http://localhost:8000/sierra-research/tau-bench/59a200c6d575d595120f1cb70fea53cef0632f6b/a%20b.json'
        """
        return mirror.rstrip("/") + quote(f"/{self.repository}/{self.commit}/{path}")


class PublicName(NamedTuple):
    """A public set as it was named."""

    facts: PublicSet
    part: Part | None  # the half of it; None for all of it


@cache
def public_sets() -> tuple[str, ...]:
    """Lists the names of the public sets: `load_set("public:NAME")` takes one.

    Example:
        >>> public_sets()
        ('begin', 'clapnq', 'mtrag', 'tau')
    """
    entries = files(__package__).iterdir()
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in entries if entry.name.endswith(".yaml")))


@cache
def load_facts(name: str) -> PublicSet:
    """Loads the facts of a public set, named without `public:`."""
    if name not in public_sets():
        meant = nearest_names(name, public_sets(), at_most=1)
        hint = f"did you mean {PREFIX}{meant[0]}? The" if meant else "the"
        listed = quote_names([f"{PREFIX}{known}" for known in public_sets()])
        raise InputError(f"{PREFIX}{name}: there is no public set of this name; {hint} public ones are {listed}")
    return read_yaml(files(__package__).joinpath(f"{name}.yaml"), PublicSet)


def is_public(source: str) -> bool:
    """Whether a source is named as a public set: `public:mtrag`, `public:mtrag:dev`."""
    return source.startswith(PREFIX)


def parse_name(source: str) -> PublicName:
    """Reads the name of a public set, or of one half of it.

    Example:
        >>> parse_name("public:mtrag:dev").part
        'dev'
    """
    name, colon, part = source.removeprefix(PREFIX).partition(":")
    facts = load_facts(name)
    for known in PARTS:
        if part == known:
            return PublicName(facts, known)
    if colon:
        raise InputError(f"{source}: a public set has the halves {quote_names(PARTS)}; write {PREFIX}{name}:dev")
    return PublicName(facts, None)


def format_size(size: int) -> str:
    """Writes a number of bytes as people read it.

    Examples:
        >>> format_size(2_190_566), format_size(147_417), format_size(80)
        ('2.2 MB', '147 kB', '80 bytes')
    """
    if size >= 1_000_000:
        return f"{size / 1e6:.1f} MB"
    return f"{size / 1e3:.0f} kB" if size >= 1000 else count_of(size, "byte")


def part_of(group: str) -> Part:
    """Names the half that a group belongs to.

    The first byte of the SHA-256 of the group's name decides: below 128 is `dev`, else `test`. It depends on nothing
    else, so that a set that grows keeps its halves.

    Examples:
        >>> part_of("mtrag:2"), part_of("mtrag:3")
        ('dev', 'test')
    """
    return "dev" if sha256(group.encode()).digest()[0] < 128 else "test"


def first_by_hash(samples: Iterable[Sample], n: int) -> list[Sample]:
    """Takes the first samples in the order of the SHA-256 of their ids: the same ones on every machine.

    Examples:
        >>> samples = [Sample(id=name, user_input="Free?", response="Yes.") for name in "abc"]
        >>> [sample.id for sample in first_by_hash(samples, 2)]
        ['c', 'b']
    """
    return sorted(samples, key=lambda sample: sha256(sample.id.encode()).digest())[:n]
