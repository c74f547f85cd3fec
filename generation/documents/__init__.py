"""Documents as sections: PDF, Markdown, HTML and DOCX to blocks, blocks to sections, sections to emulated pages."""

from .extraction import Extraction, extract_sections

__all__ = ["Extraction", "extract_sections"]
