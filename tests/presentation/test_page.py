"""What all pages share holds nothing that no page uses."""

import re
from importlib.resources import files
from pathlib import Path

import jinja2

from assay.presentation import template_environment

HOUSE = Path(__file__).parents[2]
ROOMS = ("assay", "generation", "meta_eval", "presentation", "runs", "traces", "web")
TEXTS = [
    path.read_text(encoding="utf-8")
    for room in ROOMS
    for path in (HOUSE / room).rglob("*")
    if path.suffix in {".html", ".js", ".py"}
]


def test_every_filter_is_used_by_a_template():
    own = {*template_environment().filters} - {*jinja2.Environment().filters}
    used = {name for text in TEXTS for name in re.findall(r"\|\s*(\w+)", text)}
    assert own - used == set()


def test_every_class_of_the_style_is_on_a_page():
    """A class stands in an attribute, or between quotes where a template, a script or a function chooses it."""
    style = files("assay.presentation").joinpath("static", "report.css").read_text(encoding="utf-8")
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", style, flags=re.DOTALL)
    quoted = {
        word
        for text in TEXTS
        for one in re.findall(r"\"([^\"\n]*)\"|'([^'\n]*)'", text)
        for word in " ".join(one).split()
    }
    words = {word for one in quoted for word in re.findall(r"[\w-]+", one)}
    assert set(re.findall(r"\.([a-z][\w-]*)", rules)) - words == set()


def test_every_macro_that_a_template_imports_is_used_there():
    unused = {
        name
        for text in TEXTS
        for names in re.findall(r"\{% from \"[\w.]+\" import ([\w, ]+?) %\}", text)
        for name in names.removesuffix(" with context").split(", ")
        if f"{name}(" not in text
    }
    assert unused == set()
