"""Damaged and hostile documents in one folder: each has its own error, and the good ones are read."""

import io
import zipfile

import pytest
from modules import module_of

from assay.errors import InputError
from assay.generation import docx_blocks, extract_sections

pytest.importorskip("docx")
pytest.importorskip("bs4")
pytest.importorskip("pdfplumber")


def docx_bytes():
    import docx

    document = docx.Document()
    document.add_heading("Good", 0)
    document.add_paragraph("Text.")
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def docx_with(part, content):
    """A DOCX whose part has other content, or is missing (None)."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx_bytes())) as source, zipfile.ZipFile(changed, "w") as target:
        for entry in source.namelist():
            if entry != part:
                target.writestr(entry, source.read(entry))
            elif content is not None:
                target.writestr(entry, content)
    return changed.getvalue()


def nested(start, end, depth):
    return f"<html><body><h1>Deep</h1>{start * depth}deep text{end * depth}<p>after</p></body></html>".encode()


BAD = {
    "empty.docx": (b"", "cannot be read as DOCX"),
    "not-a-zip.docx": (b"PK and nothing more", "cannot be read as DOCX"),
    "text.docx": (b"no zip", "save it again as .docx"),
    "cut.docx": (docx_bytes()[:3000], "cannot be read as DOCX"),
    "no-body.docx": (docx_with("word/document.xml", None), "cannot be read"),
    "broken-xml.docx": (docx_with("word/document.xml", b"<w:document><w:body>"), "cannot be read"),
    "other-xml.docx": (docx_with("word/document.xml", b"<a/>"), "cannot be read"),
    "deep-xml.docx": (docx_with("word/document.xml", b"<a>" * 50_000), "cannot be read"),
    "no-types.docx": (docx_with("[Content_Types].xml", b"<a/>"), "cannot be read"),
    "no-text.html": (b"<html><body><script>alert(1)</script></body></html>", "has no text"),
    "latin.md": ("# \u00c9\u00e9n\n\ntekst".encode("cp1252"), "is not UTF-8"),
    "noise.md": (bytes(range(128, 256)), "is not UTF-8"),
    "empty.txt": (b"", "has no text"),
    "empty.pdf": (b"", "cannot be read as PDF"),
    "header-only.pdf": (b"%PDF-1.7\n", "cannot be read as PDF"),
    "more-than-a-header.pdf": (b"%PDF-1.7 and then nothing", "cannot be read as PDF"),
    "html.pdf": (b"<html></html>", "cannot be read as PDF"),
    "no-pages.pdf": (b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\ntrailer<</Root 1 0 R>>", ""),
}
"""File name: its content, and a part of its error."""

DEEP = {
    "deep-div.html": nested("<div>", "</div>", 5_000),
    "deep-inline.html": nested("<span>", "</span>", 5_000),
    "deep-inline-block.html": nested("<b><div>", "</div></b>", 1_500),
    "deep-list.html": nested("<ul><li>", "</li></ul>", 1_500),
    "deep-table.html": nested("<table><tr><td>", "</td></tr></table>", 300),
    "deep-quote.md": b"# Deep\n\n" + b"> " * 5_000 + b"deep text\n\nafter\n",
    "deep-list.md": b"# Deep\n\n" + b"".join(b" " * 2 * n + b"- x\n" for n in range(500)) + b"\ndeep text\n\nafter\n",
}
"""Documents that are only nested too deep: their text is read."""


@pytest.fixture(scope="module")
def extractions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    for name, (content, _) in BAD.items():
        (folder / name).write_bytes(content)
    for name, content in DEEP.items():
        (folder / name).write_bytes(content)
    (folder / "good.docx").write_bytes(docx_bytes())
    (folder / "good.md").write_text("# Good\n\nText.", encoding="utf-8")
    return {extraction.document: extraction for extraction in extract_sections([folder])}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_document_has_an_error_with_file_and_cause(extractions, name):
    error = extractions[name].error
    assert error is not None
    assert name in str(error)
    assert BAD[name][1] in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("name", ["good.docx", "good.md"])
def test_good_documents_beside_bad_ones_are_read(extractions, name):
    assert [(section.heading, section.text) for section in extractions[name].sections] == [("Good", "Text.")]


@pytest.mark.parametrize("name", DEEP)
def test_the_text_of_a_deeply_nested_document_is_read(extractions, name):
    text = "\n".join(section.full_text for section in extractions[name].sections)
    assert text.count("deep text") == 1
    assert text.count("after") == 1


def test_comments_that_never_end_take_no_time(tmp_path):
    (tmp_path / "slow.md").write_text("# Good\n\n" + "<!--" * 500_000, encoding="utf-8")
    (extraction,) = extract_sections([tmp_path], language="en")
    assert extraction.sections[0].heading == "Good"


def test_a_docx_that_unpacks_to_too_much_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(module_of(docx_blocks), "_MOST_BYTES", 1_000_000)
    (tmp_path / "bomb.docx").write_bytes(docx_with("word/document.xml", b" " * 2_000_000))
    with pytest.raises(InputError, match=r"bomb\.docx: is 3 MB unpacked, more than the 1 MB that are read"):
        docx_blocks(tmp_path / "bomb.docx")


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "documents"
    (outside / "below").mkdir(parents=True)
    folder.mkdir()
    (outside / "secret.md").write_text("# Secret\n\nText.", encoding="utf-8")
    (outside / "below" / "secret.md").write_text("# Secret\n\nText.", encoding="utf-8")
    (folder / "good.md").write_text("# Good\n\nText.", encoding="utf-8")
    (folder / "inside.md").symlink_to(folder / "good.md")
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "below").symlink_to(outside / "below")
    (folder / "loop").symlink_to(folder)
    (folder / "broken.md").symlink_to(outside / "nowhere.md")
    extractions = {extraction.document: extraction for extraction in extract_sections([folder])}
    assert {name for name, extraction in extractions.items() if extraction.sections} == {"good.md", "inside.md"}
    assert list(extractions) == ["good.md", "inside.md", "link.md"]
    assert "link.md: is a link to" in str(extractions["link.md"].error)
    assert "is not followed" in str(extractions["link.md"].error)
