"""The lines of a text file: its encoding is found out, and every usual line end is read."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..regular_files import check_regular
from ..shell_words import quote_word

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark begins it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8 = {"utf-8", "utf-8-sig"}
_NAMES = {
    **dict.fromkeys(("utf-16", "utf-16-le", "utf-16-be"), "UTF-16"),
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252",
    "iso2022_jp": "ISO-2022-JP",
}
_BYTES_PER_BLOCK = 2**16
_LOOKED_AT = 2**18  # bytes
_MOST_ACCENTED = 0.25  # of the letters of a text in a Western language
_MOST_SIGNS = 0.001
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[\u00a1-\u00bf\u00d7\u00f7€‚ƒ„†‡ˆ‰‹Œ›˜](?=[^\W\d_])")


class TextLine(NamedTuple):
    """One line of a text file."""

    number: int  # its number, from 1
    text: str  # the line with its line end; empty where it cannot be decoded
    error: InputError | None = None  # why it cannot be decoded, with place and cure


def find_encoding(path: Path) -> str:
    """Finds the encoding of a text file.

    A byte order mark decides. Without one the file is UTF-8, unless it holds bytes that are none and no valid character
    of more than one byte: then it is Windows-1252 (old Excel). A file with both is a damaged UTF-8 file.
    Signs that begin Japanese letters in seven bits are those of ISO-2022-JP.
    """
    if not path.is_file():
        check_regular(path)
    with path.open("rb") as file:
        start = file.read(64)
        for mark, encoding in _MARKS:
            if start.startswith(mark):
                return encoding
        if len(start) >= 4 and not any(start[1::2]) and all(start[::2]):
            return "utf-16-le"
        if len(start) >= 4 and not any(start[::2]) and all(start[1::2]):
            return "utf-16-be"
        file.seek(0)
        strict, lenient = codecs.getincrementaldecoder("utf-8")(), codecs.getincrementaldecoder("utf-8")("ignore")
        is_utf8, has_characters, is_cp1252 = True, False, True
        while block := file.read(_BYTES_PER_BLOCK):
            if b"\x1b$B" in block or b"\x1b$@" in block:  # which begin Japanese letters, and are no letters in UTF-8
                return "iso2022_jp"
            if is_utf8:
                try:
                    strict.decode(block)
                except UnicodeDecodeError:
                    is_utf8 = False
            has_characters = has_characters or not lenient.decode(block).isascii()
            is_cp1252 = is_cp1252 and not block.translate(None, _CP1252_BYTES)
        file.seek(0)
        is_western = not is_utf8 and is_cp1252 and _is_western(file.read(_LOOKED_AT))
    return "cp1252" if not is_utf8 and not has_characters and is_western else "utf-8"


def _is_western(content: bytes) -> bool:
    """Whether bytes are plausible as Windows-1252: accents stand singly in words, and no sign stands inside one."""
    text = content.decode("cp1252", errors="ignore")
    letters = sum(map(str.isalpha, text))
    accented = sum(character.isalpha() and not character.isascii() for character in text)
    return accented <= _MOST_ACCENTED * letters and len(_SIGN_IN_WORD.findall(text)) <= _MOST_SIGNS * len(text)


_CP1252_BYTES = bytes(byte for byte in range(256) if byte not in {0x81, 0x8D, 0x8F, 0x90, 0x9D})


def encoding_note(name: str, encoding: str) -> tuple[str, ...]:
    """What to tell a user of a file that is not UTF-8; nothing for one that is.

    Examples:
        >>> encoding_note("answers.csv", "cp1252")
        ('answers.csv: read as Windows-1252, because it is not UTF-8',)
        >>> encoding_note("answers.csv", "utf-8")
        ()
    """
    return () if encoding in _UTF8 else (f"{name}: read as {_NAMES[encoding]}, because it is not UTF-8",)


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
                yield TextLine(number, "", _not_utf8(text, error.start, f"{name}, line {number}", path))
            else:
                yield TextLine(number, text)


def read_text(path: Path, name: str) -> tuple[str, str]:
    """Reads a whole text file."""
    encoding = find_encoding(path)
    lines = []
    for line in read_lines(path, name, encoding):
        if line.error:
            raise line.error
        lines.append(line.text)
    return "".join(lines), encoding


def _not_utf8(line: str, start: int, place: str, path: Path) -> InputError:
    """The error of a line that was decoded with surrogates in place of what is not UTF-8."""
    byte = bytes([ord(line[start]) - 0xDC00])
    number = len(line[:start].encode()) + 1
    rest = "".join(line[start:]).encode("utf-8", errors="surrogateescape")
    with path.open("rb") as file:  # a sign inside a word anywhere says that it is another encoding
        text = file.read(_LOOKED_AT).decode("utf-8", errors="surrogateescape")
    odd = "".join(letter for letter in text if letter.isascii() or "\udc80" <= letter <= "\udcff")
    is_guess = _is_guess(byte, line, rest) and _is_western(odd.encode("utf-8", errors="surrogateescape"))
    known = f"; in Windows-1252 it is '{byte.decode('cp1252')}'" if is_guess else ""
    converted = quote_word(path.with_name(f"{path.stem}-utf8{path.suffix}"))
    return InputError(
        f"{place}: byte 0x{byte.hex()} at place {number} of the line is not UTF-8{known}: save the file as UTF-8 (in "
        "Excel: 'CSV UTF-8'), or convert it from the encoding that it is in with "
        f"`iconv -f {'cp1252' if known else 'ENCODING'} -t utf-8 {quote_word(path)} > {converted}`"
    )


def _is_guess(byte: bytes, line: str, rest: bytes) -> bool:
    """Whether a byte is plausible as a letter of Windows-1252: a single one, in a text that is."""
    is_alone = sum(character >= "\udc80" and character <= "\udcff" for character in line) <= max(1, len(line) // 20)
    return is_alone and not byte.translate(None, _CP1252_BYTES) and _is_western(rest)
