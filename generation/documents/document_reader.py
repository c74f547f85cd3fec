"""One document to sections, by the suffix of its file."""

from collections.abc import Callable
from pathlib import Path

from ...errors import AssayError, InputError
from ...installation import require_extra
from ...regular_files import check_regular
from ..section import Section
from .block import Block
from .docx import docx_blocks
from .html import html_blocks
from .markdown import markdown_blocks, text_blocks
from .pdf import pdf_blocks
from .section_builder import build_sections

_READERS: dict[str, Callable[[Path], list[Block]]] = {
    ".md": markdown_blocks,
    ".markdown": markdown_blocks,
    ".txt": text_blocks,
    ".html": html_blocks,
    ".htm": html_blocks,
    ".docx": docx_blocks,
    ".pdf": pdf_blocks,
}
SUFFIXES = tuple(_READERS)


def read_document(path: Path, name: str, language: str | None = None) -> list[Section]:
    """Reads the sections of one document.

    Args:
        path: The file.
        name: The document's name in the sections: its path below the folder that is read.
        language: The document's language; None to detect it.

    Raises:
        InputError: The document cannot be read.
    """
    check_regular(path)
    try:
        with require_extra("generation", f"{path}: reading this format"):
            blocks = _READERS[path.suffix.lower()](path)
        return build_sections(blocks, name, language)
    except AssayError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except Exception as error:  # parsers of other projects raise anything on a damaged file
        problem = str(error).partition("\n")[0][:200]
        raise InputError(
            f"{path}: cannot be read; it may be damaged ({type(error).__name__}: {problem}); open it in its own "
            "program and save it again"
        ) from error
