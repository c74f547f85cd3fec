"""Markdown of texts under test on a page: what is shown, what cannot happen, and what all pages share."""

import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import jinja2
import pytest
from case_files import cases_beside
from hostile_texts import HOSTILE_TEXTS
from hypothesis import given, settings, strategies as st
from markupsafe import Markup

from assay.presentation import TextMark, read_visible_text, render_markdown, template_environment

CASES = cases_beside(__file__)

TAGS = {"p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "strong", "em", "s", "code"}
TAGS |= {"pre", "span", "br", "hr", "div", "mark"}
ATTRIBUTES = {
    ("p", "class"): {"text", "small", *(f"heading h{level}" for level in range(1, 7))},
    ("span", "class"): {"link"},
    ("div", "class"): {"wide"},
    ("div", "role"): {"region"},
    ("div", "aria-label"): {"Table"},
    ("div", "tabindex"): {"0"},
}
VOID = {"br", "hr"}


class Page(HTMLParser):
    """Reads HTML as a browser does; whatever is not allowed, or not nested, is an error."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.text, self.marked, self.open = "", list[str](), list[str]()
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        for name, value in attrs:
            if (tag, name) == ("li", "value"):
                assert (value or "").isdecimal()
            else:
                assert value in ATTRIBUTES[tag, name]
        if tag == "p":
            assert "p" not in self.open
        if tag == "mark":
            assert "mark" not in self.open
            self.marked.append("")
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"p", "li", "td", "th", "br", "pre", "hr"}:
            self.text += "\n"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in {"p", "li", "td", "th", "pre"}:
            self.text += "\n"

    def handle_data(self, data):
        self.text += data
        if "mark" in self.open:
            self.marked[-1] += data

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def mark(text, words):
    start = text.index(words)
    return TextMark(start, start + len(words), Markup("<mark>"), Markup("</mark>"))


def html(text, *words):
    return str(render_markdown(text, [mark(text, one) for one in words]).html)


@pytest.mark.parametrize(("text", "expected"), CASES["shown"])
def test_what_is_shown(text, expected):
    assert html(text) == expected
    Page(html(text))


@pytest.mark.parametrize(("text", "words", "expected"), CASES["marked"])
def test_a_mark_stands_where_its_words_are(text, words, expected):
    assert html(text, words) == expected
    Page(html(text, words))


def test_a_mark_that_cannot_be_placed_is_given_back():
    text = "See [here](https://x.example) **now**"
    target, inside, around = (mark(text, words) for words in ("https", "now", "**now**"))
    assert render_markdown(text, [target]).unplaced == (target,)
    assert set(render_markdown(text, [inside, around]).unplaced) == {inside}
    assert str(render_markdown(text, [target]).source).count("<mark>") == 1  # as it was written it can be marked


def test_a_long_text_is_cut_and_says_so():
    assert str(render_markdown("**" + "a" * 50 + "**", length=10).html) == '<p class="text">**aaaaaaa…</p>'
    assert "… (1 more character)" in str(render_markdown("a" * 100_001).html)


@pytest.mark.parametrize(
    "pattern", ["*[|", "[", "![", "*a ", "`", "[a](", "> ", "- ", "|a|b|\n|-|-|\n", "&", "[[a](b)"]
)
@pytest.mark.parametrize("size", [19_999, 100_000])
def test_no_text_holds_it_up(pattern, size):
    text = (pattern * size)[:size]
    Page(str(render_markdown(text).html))


SPACES = [" ", " ", "\n", "\n\n", "    ", "\t", "\u202e", "\u200b", "\r\n"]
MARKS = [
    *("*", "**", "_", "`", "```", "~~", "[", "](x)", "](", ")", "![", "|", "|-|-|"),
    *("#", "# ", "> ", "- ", "1. ", "12) "),
]
OTHERS = ["\\", "&#42;", "&", "<b>", "<!--", "-->", "---", "|a|b|\n|-|-|\n|c|d|", "\n|e|f|"]
PARTS = st.sampled_from(["a", "word", "é", *SPACES, *MARKS, *OTHERS])
TEXTS = st.lists(PARTS, max_size=40).map("".join)
LETTERS = re.compile(r"[^a-wyzé]")  # all letters but that of the targets of links


@settings(max_examples=400)
@given(TEXTS, st.data())
def test_all_words_are_shown_and_nothing_else_happens(text, data):
    """Every letter of the source is seen, in its order, but for the targets of links (`x`)."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    stretch = TextMark(start, end, Markup("<mark>"), Markup("</mark>"))
    rendered = render_markdown(text, [stretch])
    page = Page(str(rendered.html))
    letters = LETTERS.sub("", text)
    assert LETTERS.sub("", page.text) == letters
    if rendered.unplaced:
        assert page.marked == []
    else:  # the letters under the mark are those of the stretch
        assert LETTERS.sub("", "".join(page.marked)) == LETTERS.sub("", text[start:end])
    for shown in (rendered.html, rendered.source):
        Page(str(shown))


@settings(max_examples=200)
@given(TEXTS)
def test_what_is_seen_stands_where_it_says(text):
    seen = read_visible_text(text)
    assert len(seen.text) == len(seen.places)
    for character, place in zip(seen.text, seen.places, strict=True):
        if place >= 0 and character.isalpha() and "![" not in text:
            assert text[place] == character


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_texts_stay_texts(text):
    Page(str(render_markdown(text).html))


HOUSE = Path(__file__).parents[2]
ROOMS = ("assay", "generation", "meta_eval", "presentation", "runs", "traces", "web")
STATEMENTS = [
    path.read_text(encoding="utf-8")
    for room in ROOMS
    for path in (HOUSE / room).rglob("*")
    if path.suffix in {".html", ".js", ".py"}
]


def test_every_filter_is_used_by_a_template():
    own = {*template_environment().filters} - {*jinja2.Environment().filters}
    used = {name for text in STATEMENTS for name in re.findall(r"\|\s*(\w+)", text)}
    assert own - used == set()


def test_every_class_of_the_style_is_on_a_page():
    """A class stands in an attribute, or between quotes where a template, a script or a function chooses it."""
    style = files("assay.presentation").joinpath("static", "report.css").read_text(encoding="utf-8")
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", style, flags=re.DOTALL)
    quoted = {
        word
        for text in STATEMENTS
        for one in re.findall(r"\"([^\"\n]*)\"|'([^'\n]*)'", text)
        for word in " ".join(one).split()
    }
    words = {word for one in quoted for word in re.findall(r"[\w-]+", one)}
    assert set(re.findall(r"\.([a-z][\w-]*)", rules)) - words == set()


def test_every_macro_that_a_template_imports_is_used_there():
    unused = {
        name
        for text in STATEMENTS
        for names in re.findall(r"\{% from \"[\w.]+\" import ([\w, ]+?) %\}", text)
        for name in names.removesuffix(" with context").split(", ")
        if f"{name}(" not in text
    }
    assert unused == set()
