"""Bad files as people and programs make them: each ends with one error that names the file, or is read with a note.

Every content is tried under every suffix; nothing may hang, end with a traceback, or lose a row silently.
"""

import json
import os

import pytest

from assay.errors import AssayError, InputError
from assay.eval_sets import flat_rows, load_set, write_set

ROW = {"id": "a", "user_input": "How?", "response": "So.", "rating": 4}
HEADER = "id,user_input,response,rating"


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def lines(**fields):
    return json.dumps(ROW | fields).encode() + b"\n"


CONTENTS = {
    "empty": b"",
    "white space": b" \n\t\n",
    "NUL bytes": b"\0" * 100,
    "a NUL in a line": lines().replace(b"How?", b"Ho\0w"),
    "random bytes": bytes(range(256)) * 20,
    "half a UTF-16 character": "id,user_input\n".encode("utf-16") + b"\x00",
    "a UTF-8 mark alone": b"\xef\xbb\xbf",
    "a UTF-16 mark alone": b"\xff\xfe",
    "HTML": b"<!DOCTYPE html><html><body>Sign in</body></html>",
    "a PDF": b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n",
    "a gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
    "a torn line": lines() + lines()[:20],
    "a list in a line": b"[1, 2]\n",
    "a number": b"42\n",
    "null": b"null\n",
    "NaN": b'{"id": "a", "user_input": "q", "response": "r", "rating": NaN}\n',
    "a rating of 309 digits": lines(rating=int("9" * 309)),
    "a rating of 5000 digits": b'{"id": "a", "user_input": "q", "response": "r", "rating": ' + b"9" * 5000 + b"}\n",
    "a rating of 309 digits as text": lines(rating="9" * 309),
    "an infinite rating": lines(rating=1e308).replace(b"1e+308", b"1e999"),
    "metadata 101 deep": lines(metadata=nested(101)),
    "metadata 900 deep": lines(metadata=nested(900)),
    "a list 100000 deep": b"[" * 100_000 + b"]" * 100_000 + b"\n",
    "an object 100000 deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
    "half a character": lines(user_input="\ud800"),
    "an empty id": lines(id=""),
    "two equal ids": lines() + lines(),
    "a key twice": b'{"id": "a", "id": "b", "user_input": "q", "response": "r"}\n',
    "no response": b'{"id": "a", "user_input": "q"}\n',
    "a list as a question": lines(user_input=[1, 2]),
    "contexts that are numbers": lines(retrieved_contexts=[1, 2]),
    "a rating off its scale": lines(rating=9),
    "a scale turned round": lines(rating_min=5, rating_max=1),
    "ratings that are a list": lines(ratings=[1, 2]),
    "a table of numbers of 309 digits": lines(tables=[{"name": "t", "columns": {"x": [int("9" * 309)]}}]),
    "a table outside of the folder": lines(tables="../../etc/passwd"),
    "a ragged table": lines(tables=[{"name": "t", "columns": {"x": [1], "y": [1, 2]}}]),
    "a language that is none": lines(language="klingon"),
    "an open quote": f'{HEADER}\na,"never closed,b,4\n'.encode(),
    "a row too long": f"{HEADER}\na,b,c,4,5,6\n".encode(),
    "a row too short": f"{HEADER}\na,b\n".encode(),
    "a header twice": b"id,id,user_input\n1,2,3\n",
}
SUFFIXES = (".csv", ".jsonl", ".json", ".parquet", ".xlsx")


def load_or_refuse(path):
    """The samples, or the message of the one error that may end the reading."""
    try:
        return load_set(path, notes=[])
    except AssayError as error:
        return str(error)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_bad_file_is_refused_with_its_name_or_read_whole(tmp_path, suffix):
    """42 contents under 5 suffixes: 210 runs. What is read keeps every row; what is refused names the file."""
    for name, content in CONTENTS.items():
        path = tmp_path / f"answers{suffix}"
        path.write_bytes(content)
        outcome = load_or_refuse(path)
        if isinstance(outcome, str):
            assert outcome.startswith(str(path)), (name, outcome)
            assert "Traceback" not in outcome and len(outcome) < 2000, name
        else:
            assert outcome, name


@pytest.mark.parametrize("name", [name for name in CONTENTS if name not in {"metadata 101 deep"}])
def test_a_good_row_beside_a_bad_line_is_kept_with_skip_bad(tmp_path, name):
    content = CONTENTS[name]
    if not content.strip() or content.startswith((b"\xff\xfe", b"\xef\xbb\xbf")) or b"\0" in content[:64]:
        pytest.skip("is a file, not a line")
    path = tmp_path / "answers.jsonl"
    path.write_bytes(lines(id="good") + content.rstrip(b"\n") + b"\n" + lines(id="better"))
    errors = []
    ids = {sample.id for sample in load_set(path, skip_bad=errors, notes=[])}
    assert {"good", "better"} <= ids


def test_a_number_of_309_digits_is_told_with_its_size(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(CONTENTS["a rating of 309 digits"])
    with pytest.raises(InputError, match=r"line 1, field rating: 99999999999999999\.\.\. has 309 digits"):
        load_set(path)
    scores = tmp_path / "scores.jsonl"
    scores.write_text(json.dumps({"id": "a", "score": int("9" * 309)}) + "\n", encoding="utf-8")
    assert flat_rows(scores)  # read as a row; the number is refused where it is used
    with pytest.raises(InputError, match="has 309 digits"):
        from assay.eval_sets import ReadOptions, read_score_files

        read_score_files([scores], None, ReadOptions(metrics=("score",)))


def test_nesting_is_bounded_and_told(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(lines(metadata=nested(99)))
    (sample,) = load_set(path)
    write_set([sample], tmp_path / "again.jsonl")
    path.write_bytes(CONTENTS["metadata 900 deep"])
    with pytest.raises(InputError, match="line 1, field metadata: is nested more than 100 deep"):
        load_set(path)


def test_a_set_may_not_lead_out_of_its_folder(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("day,x\n1,2\n", encoding="utf-8")
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "table.csv").symlink_to(secret)
    path = folder / "answers.jsonl"
    path.write_bytes(lines(tables="table.csv"))
    with pytest.raises(InputError, match=r"the table `table.csv` is outside the set's folder"):
        load_set(path)


def test_what_cannot_be_read_is_told(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.symlink_to(path.name)  # a link to itself
    assert str(path) in str(load_or_refuse(path))
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    assert str(folder) in str(load_or_refuse(folder))
    if os.geteuid():
        closed = tmp_path / "closed.csv"
        closed.write_text(HEADER, encoding="utf-8")
        closed.chmod(0)
        assert "cannot be read" in str(load_or_refuse(closed))
