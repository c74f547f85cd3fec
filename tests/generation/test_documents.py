"""Markdown, HTML and DOCX to sections, and folders of documents."""

import pytest

from assay.errors import InputError
from assay.generation import extract_sections, list_documents, parse_markdown


def test_markdown_headings_are_those_that_markdown_says():
    text = "---\ntitle: x\n---\nVooraf\n\nKop\n===\n\n```\n# geen kop\n```\n\n"
    text += "## Een *tweede* [kop](u.md)\n\n- a\n  - b\n\n> # citaat\n"
    assert [(b.kind, b.text, b.level) for b in parse_markdown(text)] == [
        ("paragraph", "Vooraf", 0),
        ("heading", "Kop", 1),
        ("paragraph", "```\n# geen kop\n```", 0),
        ("heading", "Een tweede kop", 2),
        ("paragraph", "- a\n  - b", 0),
        ("paragraph", "> # citaat", 0),
    ]


HTML = """<!doctype html><html><head><title>Site</title><style>p {}</style></head><body>
<nav><a href=/>Home</a></nav><header>Ziekenhuis</header>
<main><article><header><h1>Maag&shy;onderzoek</h1></header><p>Uw maag moet <b>leeg</b>
 zijn.<br>Bel ons.</p>
<h2>Regels</h2><ul><li>Eet niets<ul><li>ook geen soep</li></ul></li><li>Drink niets</li></ul>
<table><tr><th>Week</th><th>Keer</th></tr><tr><td>1</td><td>4 | 5</td></tr></table>
<script>alert("x")</script><!-- geheim --></article></main><footer>Colofon</footer></body></html>"""


def test_html_is_read_without_its_surroundings(tmp_path):
    pytest.importorskip("bs4")
    (tmp_path / "a.html").write_text(HTML, encoding="utf-8")
    (extraction,) = extract_sections([tmp_path])
    assert [(s.heading.replace("\xad", ""), s.text) for s in extraction.sections] == [
        ("Maagonderzoek", "Uw maag moet leeg zijn.\nBel ons."),
        ("Regels", "- Eet niets\n  - ook geen soep\n- Drink niets\n\n| Week | Keer |\n| --- | --- |\n| 1 | 4 \\| 5 |"),
    ]


def test_docx_headings_are_styles_or_bold_lines(tmp_path):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("Maagonderzoek", 0)
    document.add_paragraph("Uw maag moet leeg zijn.")
    document.add_heading("Regels", 1)
    document.add_paragraph("Eet niets", style="List Bullet")
    document.add_paragraph("Drink niets", style="List Number")
    document.add_paragraph("Rook niet", style="List Number")
    document.add_paragraph().add_run("Daarna").bold = True
    document.add_paragraph("U mag naar huis.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Week", "4"
    document.save(str(tmp_path / "a.docx"))
    (extraction,) = extract_sections([tmp_path])
    assert [(s.title, s.text) for s in extraction.sections] == [
        ("Maagonderzoek", "Uw maag moet leeg zijn."),
        ("Maagonderzoek › Regels", "- Eet niets\n1. Drink niets\n2. Rook niet"),
        ("Maagonderzoek › Regels › Daarna", "U mag naar huis.\n\n| Week | 4 |\n| --- | --- |"),
    ]


def test_title_lines_of_plain_text_are_headings_and_other_short_lines_are_text(tmp_path):
    text = "Travel costs\n\nBy car\n\nYou get 21 cents.\n\nBy train\n\nThe card is free.\nAsk for it.\n\n"
    text += "Your car at the end\nHand it in at the desk in\nAmsterdam before noon.\n\n"
    text += "Questions\n\nCall us.\n\nThe staff desk\n\nMain Street 1\n"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "b.txt").write_text("# Own\n\nBy car\n\nYou get 21 cents.", encoding="utf-8")
    plain, marked = ([(s.heading, s.text) for s in each.sections] for each in extract_sections([tmp_path]))
    assert plain == [
        ("By car", "You get 21 cents."),
        ("By train", "The card is free.\nAsk for it."),
        # "Amsterdam" had no room on the line before, and "Hand" had
        ("Your car at the end", "Hand it in at the desk in\nAmsterdam before noon."),
        ("Questions", "Call us.\n\nThe staff desk\n\nMain Street 1"),  # no text follows the last two lines
    ]
    assert marked == [("Own", "By car\n\nYou get 21 cents.")]


def test_documents_are_named_by_their_path_below_the_folder(tmp_path):
    for name in ("b.md", "map/a.html", ".verborgen/c.md", "map/d.xyz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [file.name for file in list_documents([tmp_path])] == ["b.md", "map/a.html"]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("none", "there is no such file or folder"),
        ("map", "no documents there"),
        ("map/d.xyz", "the format `.xyz` is unknown"),
    ],
)
def test_a_place_without_documents_is_an_error(tmp_path, place, message):
    (tmp_path / "map").mkdir()
    (tmp_path / "map/d.xyz").touch()
    with pytest.raises(InputError, match=message):
        list(extract_sections([tmp_path / place]))


def test_two_documents_of_one_name_are_an_error(tmp_path):
    for folder in ("een", "twee"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text("# x\n\ny", encoding="utf-8")
    with pytest.raises(InputError, match=r"has the same name as .*een.a\.md; read the folder above both"):
        list(extract_sections([tmp_path / "een", tmp_path / "twee"]))


def test_the_bundled_leaflets_are_read_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(list(extract_sections(["leaflets"]))) == 12
