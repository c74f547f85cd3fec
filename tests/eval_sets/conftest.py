"""Files as users have them."""

import json

import pytest

ROW = {"id": "a", "user_input": "How do I save?", "response": "Click Save.", "language": "en"}


@pytest.fixture
def row():
    """A good row, changed as asked; a field set to `...` is left out."""

    def build(**changes):
        return {name: value for name, value in {**ROW, **changes}.items() if value is not ...}

    return build


@pytest.fixture
def jsonl(tmp_path):
    """Writes set.jsonl: a dict becomes a line of JSON, a text stands as it is."""

    def write(*lines, name="set.jsonl"):
        path = tmp_path / name
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return path

    return write


@pytest.fixture
def file(tmp_path):
    """Writes a file of any name with a text (as UTF-8, line ends untouched) or bytes."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
