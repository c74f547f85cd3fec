"""The text of a PDF's page as fragments: characters on one line, with their place, size and style."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

SOFT_HYPHEN = "\x02"  # PDFium's sign for a hyphen that ends a line within a word
_BOLD = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_MONOSPACE = re.compile(r"mono|courier|consol|typewriter|cmtt", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_WIDE_GAP = 1.5  # times the type's size; a wider gap is no space between words
_NEARLY_ALL = 0.9  # of the words: one bold word at the start does not make a bold line


@dataclass(frozen=True, slots=True)
class Fragment:
    """Characters on one line without a wide gap. Lengths are in points. Frozen.

    Attributes:
        text: The characters.
        page: The page, from 1.
        left: The left edge, from the page's left.
        right: The right edge.
        baseline: The baseline, downwards from the page's top.
        size: The size of most of the characters.
        bold: Whether nearly all of them are bold.
        monospace: Whether nearly all of them are of a font of equal widths.
    """

    text: str
    page: int
    left: float
    right: float
    baseline: float
    size: float
    bold: bool = False
    monospace: bool = False

    def join(self, other: "Fragment", separator: str) -> "Fragment":
        """Joins this fragment with one to its right.

        Returns:
            A fragment with the size of the longer one, bold where both are. A mark of one or two characters (a
            bullet, an icon) takes the other's style.
        """
        shorter, longer = sorted((self, other), key=lambda fragment: len(fragment.text))
        is_mark = len(shorter.text) <= 2
        return replace(
            longer,
            text=f"{self.text}{separator}{other.text}",
            left=min(self.left, other.left),
            right=max(self.right, other.right),
            baseline=self.baseline,
            bold=longer.bold and (is_mark or shorter.bold),
            monospace=longer.monospace and (is_mark or shorter.monospace),
        )


def page_fragments(textpage: Any, page: int, height: float) -> list[Fragment]:
    """Reads the fragments of a page.

    Returns:
        The fragments, in the order of the file's text stream.
    """
    return list(_fragments(textpage, page, height))


def _fragments(textpage: Any, page: int, height: float) -> Iterator[Fragment]:
    import pypdfium2.raw as pdfium

    box, characters = pdfium.FS_RECTF(), list[_Character]()
    for index in range(pdfium.FPDFText_CountChars(textpage)):
        code = pdfium.FPDFText_GetUnicode(textpage, index)
        text = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        if text in "\r\n\0\ufffe\uffff":
            yield from _fragment(textpage, characters, page, height)
            characters = []
            continue
        pdfium.FPDFText_GetLooseCharBox(textpage, index, box)
        if characters and not text.isspace():
            before = characters[-1]
            if box.left - before.right > _WIDE_GAP * before.size or box.right < before.left - before.size:
                yield from _fragment(textpage, characters, page, height)
                characters = []
        if text.isspace():
            if characters:
                characters[-1].space_after = True
            continue
        characters.append(_Character(text, index, box.left, box.right, _size(textpage, index, characters)))
    yield from _fragment(textpage, characters, page, height)


@dataclass(slots=True)
class _Character:
    text: str
    index: int
    left: float
    right: float
    size: float
    space_after: bool = False


def _size(textpage: Any, index: int, before: list[_Character]) -> float:
    """Returns the type's size in points as it is seen: the font's size times the scale of its matrix."""
    import pypdfium2.raw as pdfium

    if before and not before[-1].space_after:
        return before[-1].size  # the size rarely changes within a word, and asking for it is slow
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(textpage, index, matrix)
    return float(pdfium.FPDFText_GetFontSize(textpage, index) * (matrix.c**2 + matrix.d**2) ** 0.5)


def _fragment(textpage: Any, characters: list[_Character], page: int, height: float) -> Iterator[Fragment]:
    if not characters:
        return
    sizes, fonts = Counter[float](), Counter[tuple[bool, bool]]()
    words = [
        c for before, c in zip([None, *characters], characters, strict=False) if before is None or before.space_after
    ]
    for character in words:
        sizes[round(character.size, 1)] += 1
        fonts[_style(textpage, character.index)] += 1
    bold = sum(n for (is_bold, _), n in fonts.items() if is_bold)
    monospace = sum(n for (_, is_monospace), n in fonts.items() if is_monospace)
    text = "".join(c.text + " " * c.space_after for c in characters)
    yield Fragment(
        text.strip(),
        page,
        characters[0].left,
        characters[-1].right,
        height - _baseline(textpage, characters[0].index),
        sizes.most_common(1)[0][0],
        bold > _NEARLY_ALL * fonts.total(),
        monospace > _NEARLY_ALL * fonts.total(),
    )


def _baseline(textpage: Any, index: int) -> float:
    import pypdfium2.raw as pdfium

    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(textpage, index, x, y)
    return y.value


def _style(textpage: Any, index: int) -> tuple[bool, bool]:
    """Returns whether the character is bold, and whether its font has equal widths."""
    import pypdfium2.raw as pdfium

    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(textpage, index, name, 128, flags)
    return _font_style(name.value, flags.value)


@cache
def _font_style(font: bytes, flags: int) -> tuple[bool, bool]:
    name = font.decode("utf-8", errors="replace")
    return bool(_BOLD.search(name) or flags & _FORCE_BOLD), bool(_MONOSPACE.search(name))
