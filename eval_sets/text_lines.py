"""The lines of a text file: its encoding is found out, and every usual line end is read."""

import codecs
import re
from collections.abc import Iterator
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..languages import read_yaml
from ..regular_files import check_regular
from ..text.language_detection import may_be_in

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_NAMES = {**dict.fromkeys(("utf-16", "utf-16-le", "utf-16-be"), "UTF-16"), "cp1252": "Windows-1252"}
_BYTES_PER_BLOCK = 2**18
_MOST_ACCENTED = 0.25  # of the letters of a text in a Western language
_MOST_ODD = 0.2  # so many characters in odd places beside one accented letter: names of people and places
_MOST_FOREIGN = 0.1  # of the lines that hold accented letters
_LINES_LOOKED_AT = 500
_ODD = re.compile(
    # letters that Western words do not have, though names may; and signs after a letter and inside a word
    "[ŠŽšžŸÿƒˆ˜]|(?<=[a-zß-ÿ])[À-ÞŒ]|(?<=[^\\W\\d_])[‚„†‡‰‹Œ¿]|(?<=[^\\W\\d_])‘(?![^\\W\\d_])"
    "|(?<=[^\\W\\d_])[\u00a1-\u00ac\u00af\u00b1-\u00b6\u00b8-\u00bf\u00d7\u00f7€•›](?=[^\\W\\d_])"
)


class TextLine(NamedTuple):
    """One line of a text file."""

    number: int  # its number, from 1
    text: str  # the line with its line end; empty where it cannot be decoded
    error: InputError | None = None  # why it cannot be decoded, with place and cure


def find_encoding(path: Path) -> str:
    """Finds the encoding of a text file: UTF-16 by its mark or NUL bytes, else UTF-8, or Windows-1252 (old Excel).

    Windows-1252 has to be plausible, and the file without a valid character of several bytes, which a damaged UTF-8
    file holds: any other that is not UTF-8 is read as UTF-8, and its bad lines are named.
    """
    if not path.is_file():
        check_regular(path)
    strict, lenient = codecs.getincrementaldecoder("utf-8")(), codecs.getincrementaldecoder("utf-8")("ignore")
    with path.open("rb") as file:
        start = block = file.read(_BYTES_PER_BLOCK)
        for mark, encoding in _MARKS:
            if start.startswith(mark):
                return encoding
        if len(start) >= 4 and start[:4].count(0) == 2 and start[0] != start[1]:  # UTF-16 without its mark
            return "utf-16-be" if start[0] == 0 else "utf-16-le"
        is_utf8, has_characters = True, False
        while block and (is_utf8 or not has_characters):
            is_utf8 = is_utf8 and _decodes(strict, block)
            has_characters = has_characters or not lenient.decode(block).isascii()
            block = file.read(_BYTES_PER_BLOCK)
        is_utf8 = is_utf8 and _decodes(strict, b"", final=True)
    return "cp1252" if not is_utf8 and not has_characters and _is_western(start) else "utf-8"


def _decodes(decoder: codecs.IncrementalDecoder, content: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(content, final)
    except UnicodeDecodeError:
        return False
    return True


def _is_western(content: bytes) -> bool:
    """Whether bytes are plausible as Windows-1252, and not as what other countries and computers write as a byte each.

    Accents stand singly in words, signs and letters that no Western word has are few, and the lines with accents are in
    a Western language: in Polish, Turkish or Latvian the bytes mean other letters.
    """
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return False
    odd = _ODD.findall(text)
    accented = sum(character.isalpha() and not character.isascii() for character in text)
    if accented > _MOST_ACCENTED * sum(map(str.isalpha, text)) or len(odd) > _MOST_ODD * accented:
        return False
    western = read_yaml(resources.files(__package__).joinpath("encodings.yaml"), dict[str, list[str]])["western"]
    lines = list(islice((line for line in text.splitlines() if not line.isascii()), _LINES_LOOKED_AT))
    return sum(not may_be_in(line, western) for line in lines) <= _MOST_FOREIGN * len(lines)


def encoding_note(name: str, encoding: str) -> tuple[str, ...]:
    """What to tell a user of a file that is not UTF-8; nothing for one that is.

    Examples:
        >>> encoding_note("answers.csv", "cp1252")
        ('answers.csv: read as Windows-1252, because it is not UTF-8',)
        >>> encoding_note("answers.csv", "utf-8")
        ()
    """
    return (f"{name}: read as {_NAMES[encoding]}, because it is not UTF-8",) if encoding in _NAMES else ()


def read_lines(path: Path, name: str, encoding: str) -> Iterator[TextLine]:
    r"""Reads the lines of a text file, which end with \n, \r\n or \r.

    Yields:
        The lines; one with a byte that is not UTF-8 has an error in place of its text.
    """
    if encoding == "utf-8":
        yield from _utf8_lines(path, name)
        return
    try:
        with path.open(encoding=encoding, newline="") as file:
            yield from (TextLine(number, text) for number, text in enumerate(file, 1))
    except UnicodeError as error:
        label = _NAMES.get(encoding, "UTF-8")
        raise InputError(f"{name}: begins as {label} and is damaged ({error}); save it again as UTF-8") from None


def _utf8_lines(path: Path, name: str) -> Iterator[TextLine]:
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        for number, text in enumerate(file, 1):
            try:
                text.encode()
            except UnicodeEncodeError as error:
                byte, place = ord(text[error.start]) - 0xDC00, len(text[: error.start].encode()) + 1
                problem = f"byte 0x{byte:02x} at place {place} of the line is not UTF-8"
                cure = "save the file as UTF-8 (in Excel: 'CSV UTF-8'), or convert it from the encoding that it is in"
                yield TextLine(number, "", InputError(f"{name}, line {number}: {problem}: {cure}"))
            else:
                yield TextLine(number, text)


def read_text(path: Path, name: str) -> tuple[str, str]:
    """Reads a whole text file, and its encoding."""
    encoding = find_encoding(path)
    lines = []
    for line in read_lines(path, name, encoding):
        if line.error:
            raise line.error
        lines.append(line.text)
    return "".join(lines), encoding
