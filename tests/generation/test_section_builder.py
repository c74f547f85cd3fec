"""Sections: built of blocks, and as files with topics and folds."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from assay.errors import InputError
from assay.generation import (
    Block,
    Section,
    build_sections,
    emulate_pages,
    estimate_tokens,
    read_folds,
    read_sections,
    write_sections,
)


def heading(text: str, level: int, page: int | None = None) -> Block:
    return Block("heading", text, level, page)


def text(words: str, page: int | None = None) -> Block:
    return Block("paragraph", words, page=page)


def test_text_without_a_heading_belongs_to_the_previous_section():
    blocks = [
        heading("Slaap", 1),
        text("Een."),
        text("Twee."),
        Block("item", "- a"),
        Block("item", "- b"),
        text("Drie."),
    ]
    assert [s.text for s in build_sections(blocks, "d")] == ["Een.\n\nTwee.\n\n- a\n- b\n\nDrie."]


def test_a_heading_at_the_end_is_text_of_the_last_section():
    sections = build_sections([heading("Slaap", 1), text("Een."), heading("Colofon", 1)], "d")
    assert [(s.heading, s.text) for s in sections] == [("Slaap", "Een.\n\nColofon")]
    assert [(s.heading, s.text) for s in build_sections([heading("Alleen", 1)], "d")] == [("", "Alleen")]


def test_the_outer_headings_are_above_a_section():
    """Also one without a text of its own; a text before the first heading is a section."""
    blocks = [text("Vooraf."), heading("Titel", 1), text("a"), heading("Een", 2), text("b"), heading("Diep", 3)]
    blocks += [text("c"), heading("Twee", 2), heading("Leeg", 3), heading("Dieper", 4), text("d")]
    sections = build_sections(blocks, "d")
    assert [s.above for s in sections] == [(), (), ("Titel",), ("Titel", "Een"), ("Titel", "Twee", "Leeg")]
    assert (sections[0].heading, sections[0].text) == ("", "Vooraf.")


def test_a_small_line_over_a_title_is_above_all_its_sections():
    blocks = [
        heading("Deel 1", 2),
        heading("Slaap", 1),
        heading("Apneu", 3),
        text("a"),
        heading("Dromen", 3),
        text("b"),
    ]
    blocks += [heading("Deel 2", 2), heading("Hart", 1), text("c")]
    assert [s.title for s in build_sections(blocks, "d")] == [
        "Deel 1 › Slaap › Apneu",
        "Deel 1 › Slaap › Dromen",
        "Deel 2 › Hart",
    ]


def test_a_section_has_its_pages_and_its_place():
    blocks = [heading("Slaap", 1, 1), text("a", 1), text("b", 2), heading("Nacht", 1, 2), text("c", 3)]
    sections = build_sections(blocks, "map/d.pdf", "nl")
    assert [(s.id, s.page, s.last_page, s.position) for s in sections] == [
        ("map/d.pdf#001", 1, 2, 0),
        ("map/d.pdf#002", 2, 3, 1),
    ]


def test_tokens_are_estimated_from_letters_and_signs():
    # De (1) ziekenhuisopname (16 letters: 4) duurt (1) 2 (1) uur (1) ... (1)
    assert estimate_tokens("De ziekenhuisopname duurt 2 uur...") == 9


def test_emulated_pages_are_near_their_size_and_divide_no_section():
    # 500 + 300 = 800 is 42 off; with 200 more it would be 158 off: a new page. 200 + 700 = 900 is 58 off: nearer
    # than 200 alone.
    assert emulate_pages([500, 300, 200, 700, 2000, 10]) == [1, 1, 2, 2, 3, 4]
    assert emulate_pages([]) == []


_BLOCKS = st.lists(
    st.one_of(
        st.builds(heading, st.text("abc", min_size=1, max_size=3), st.integers(1, 3), st.none()),
        st.builds(text, st.text("xyz", min_size=1, max_size=3), st.none()),
    ),
    max_size=12,
)


@given(_BLOCKS)
def test_no_text_is_lost_or_repeated(blocks):
    sections = build_sections(blocks, "d", "nl")
    pieces = [piece for s in sections for piece in s.text.split("\n\n") if set(piece) <= set("xyz")]
    assert pieces == [block.text for block in blocks if block.kind != "heading"]
    # every heading is in its section's title, or as text at the end
    everything = [piece for s in sections for piece in (*s.above, s.heading, *s.text.split("\n\n"))]
    assert {block.text for block in blocks} <= set(everything)


def section(**changes: Any) -> Section:
    fields = {
        "id": "maag.pdf#002",
        "document": "maag.pdf",
        "heading": "Voorbereiding",
        "above": ("Maagonderzoek",),
        "text": "Uw maag moet leeg zijn.\n\n- Eet niets",
        "page": 1,
        "last_page": 2,
        "position": 1,
        "language": "nl",
        "tokens": 9,
        "emulated_page": 1,
    }
    return Section(**(fields | changes))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "line 2: is not JSON"),
        ('{"id": "x"}', "line 2, field document: is missing"),
        ("FIRST", "line 2: `maag.pdf#002` occurs twice in the file"),
        ('{"section": "x", "topic": 1}', "line 2, field id"),
    ],
)
def test_the_error_of_a_bad_line_names_its_place(tmp_path, line, message):
    path = tmp_path / "s.jsonl"
    write_sections([section()], path)
    first = path.read_text(encoding="utf-8").strip()
    path.write_text(f"{first}\n{first if line == 'FIRST' else line}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_sections(path)
    assert message in str(error.value)


@pytest.mark.parametrize("read", [read_sections, read_folds])
def test_errors_of_missing_and_empty_files_name_the_command(tmp_path, read):
    with pytest.raises(InputError, match=r"no such file; make it with `assay sets generate"):
        read(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(InputError, match=r"is empty; make it with `assay sets generate"):
        read(tmp_path / "empty.jsonl")
