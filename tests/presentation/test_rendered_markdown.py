"""Markdown of texts under test on a page: what is shown, what cannot happen, and where marks stand."""

import re
from html.parser import HTMLParser

import pytest
from hostile_texts import HOSTILE_TEXTS
from hypothesis import given, settings, strategies as st
from markupsafe import Markup

from assay.presentation import TextMark, read_visible_text, render_markdown

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


TABLE = "| a | b |\n|---|--:|\n| **1** | x\\|y |"
TABLE_HTML = (
    '<div class="wide" role="region" tabindex="0" aria-label="Table"><table>'
    "<thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>{}</td><td>{}</td></tr></tbody></table></div>"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>"),
        ("# One\n###### Six", '<p class="heading h1">One</p><p class="heading h6">Six</p>'),
        ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("3. a\n3. b", '<ol><li value="3">a</li><li value="3">b</li></ol>'),  # the numbers as they were written
        (TABLE, TABLE_HTML.format("<strong>1</strong>", "x|y")),
        ("```sh\nls *\n```", '<p class="small">sh</p><pre><code>ls *</code></pre>'),
        ("> a\n> b", "<blockquote><p>a<br>b</p></blockquote>"),
        ("**a**\n\n---\nb", "<p><strong>a</strong></p><hr><p>b</p>"),
        ('[a *b*](https://x.example/(c) "t") d', '<p><span class="link">a <em>b</em></span> d</p>'),
        ("![alt *x*](https://x.example) d", '<p><span class="link">alt <em>x</em></span> d</p>'),
        ("![](https://x.example) d", '<p><span class="link">🖼</span> d</p>'),
        ("[a](javascript:x) **b**", "<p>[a](javascript:x) <strong>b</strong></p>"),
        ("&lt;b&gt; &#x202e;x \\*y", "<p>&lt;b&gt; �x *y</p>"),
        ("<script>1</script> **a**", "<p>&lt;script&gt;1&lt;/script&gt; <strong>a</strong></p>"),
        ("**pay\u202e\u200b**", "<p><strong>pay��</strong></p>"),
        ("[a]: https://x.example 't'\n\n**b**", "<p>[a]: https://x.example 't'</p><p><strong>b</strong></p>"),
        # what is no Markdown stays as it was written
        (
            "Yes.\nPress OK.\n\n    Then wait.\n--\nBob",
            '<p class="text">Yes.\nPress OK.\n\n    Then wait.\n--\nBob</p>',
        ),
        ("2 * 3 * 4 < snake_case_name", '<p class="text">2 * 3 * 4 &lt; snake_case_name</p>'),
        ("https://x.example/a_b_c", '<p class="text">https://x.example/a_b_c</p>'),
        # and so does what Markdown would leave out: a third cell under two heads, quotes in quotes without end
        ("|a|b|\n|-|-|\n|1|2|3|", '<p class="text">|a|b|\n|-|-|\n|1|2|3|</p>'),
        (">" * 50 + " end", f'<p class="text">{"&gt;" * 50} end</p>'),
        ("", '<p class="text"></p>'),
    ],
)
def test_what_is_shown(text, expected):
    assert html(text) == expected
    Page(html(text))


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("Press **OK now**.", "Press **OK", "<p><mark>Press <strong>OK</strong></mark><strong> now</strong>.</p>"),
        ("a [b c](x) d", "c](x) d", '<p>a <span class="link">b </span><mark><span class="link">c</span> d</mark></p>'),
        ("- a b\n- **c**", "b\n- **c", "<ul><li>a <mark>b</mark></li><li><mark><strong>c</strong></mark></li></ul>"),
        (TABLE, "**1** | x\\|y", TABLE_HTML.format("<mark><strong>1</strong></mark>", "<mark>x|y</mark>")),
        ("x &amp; y", "&amp; y", "<p>x <mark>&amp; y</mark></p>"),
        ("`a  b` c\\* d", "b` c\\*", "<p><code>a  </code><mark><code>b</code> c*</mark> d</p>"),
        ("> a\n>   b **c**", "b **c**", "<blockquote><p>a<br><mark>b <strong>c</strong></mark></p></blockquote>"),
        ("```\n  a\n b\n```", "a\n b", "<pre><code>  <mark>a\n b</mark></code></pre>"),
        ("## The plan ##\n", "plan", '<p class="heading h2">The <mark>plan</mark></p>'),
        ("![two words](x)", "two words", '<p><mark><span class="link">two words</span></mark></p>'),
        ("a\r\nb c", "b", '<p class="text">a \n<mark>b</mark> c</p>'),
        ("**a** b\\\nc", "b\\\nc", "<p><strong>a</strong> <mark>b<br>c</mark></p>"),
    ],
)
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
    "*",
    "**",
    "_",
    "`",
    "```",
    "~~",
    "[",
    "](x)",
    "](",
    ")",
    "![",
    "|",
    "|-|-|",
    "#",
    "# ",
    "> ",
    "- ",
    "1. ",
    "12) ",
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
