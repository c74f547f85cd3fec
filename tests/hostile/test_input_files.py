"""What is no file, or a far larger one than it looks: refused with its name and quickly, whoever reads it."""

import io
import os
import random
import socket
import subprocess
import sys
import zipfile

import pytest
from modules import module_of
from openpyxl import Workbook

from assay.errors import AssayError, InputError, UsageError
from assay.eval_sets import flat_rows, load_set, read_table_file
from assay.generation import load_bot, read_document
from assay.judges import Cassette, load_settings
from assay.meta_eval import Scorer
from assay.metrics import read_rubric, read_vocabulary, tables_of_file
from assay.prompts import read_prompt
from assay.runs import Store
from assay.runs.suite import load_suite

pytestmark = pytest.mark.timeout(120)

# by the name of a file: who reads it
READERS = {
    **{f"set{suffix}": load_set for suffix in (".csv", ".tsv", ".txt", ".jsonl", ".json", ".parquet", ".xlsx")},
    **{f"scores{suffix}": flat_rows for suffix in (".csv", ".jsonl", ".json", ".parquet", ".xlsx")},
    **{f"table{suffix}": read_table_file for suffix in (".csv", ".json", ".jsonl", ".parquet", ".xlsx")},
    **{f"figures{suffix}": tables_of_file for suffix in (".csv", ".json", ".md", ".xlsx")},
    **{
        f"page{suffix}": lambda path: read_document(path, "page")
        for suffix in (".md", ".txt", ".html", ".docx", ".pdf")
    },
    "judge.yaml": lambda path: load_settings(str(path)),
    "suite.yaml": load_suite,
    "rubric.yaml": read_rubric,
    "claims.en.md": read_prompt,
    "cassette.jsonl": Cassette,
    "vocabulary.txt": read_vocabulary,
    "template.json": module_of(load_bot)._read_template,
}


@pytest.fixture(params=["pipe", "zero", "null", "socket"])
def no_file(request, tmp_path):
    """Makes something of a name that is no file."""
    open_sockets = []

    def make(name):
        path = tmp_path / name
        if request.param == "pipe":
            os.mkfifo(path)
        elif request.param == "socket":
            open_sockets.append(socket.socket(socket.AF_UNIX))
            open_sockets[-1].bind(str(path))
        else:
            path.symlink_to(f"/dev/{request.param}")
        return path

    yield make
    for opened in open_sockets:
        opened.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes, devices and sockets with a path")
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_is_refused(no_file, name):
    """A pipe without a writer, an endless and an empty device and a socket, under 37 readers."""
    path = no_file(name)
    with pytest.raises((InputError, UsageError), match=r"is a (pipe|device|socket), not a file; ") as error:
        READERS[name](path)
    assert str(error.value).startswith(str(path))


def test_a_scorer_that_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "team.yaml")
    with pytest.raises(InputError, match=r"team.yaml: there is no scorer here"):
        Scorer.load(tmp_path / "team.yaml")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes and devices with a path")
@pytest.mark.parametrize(
    "words",
    [
        "run pipe.csv --metrics token_overlap",
        "run answers.csv --metrics faithfulness --judge zero.yaml",
        "run answers.csv --metrics faithfulness --judge openai/m --cassette zero.jsonl --mode replay",
        "meta --scores zero.csv",
        "suite pipe.yaml",
        "metrics check zero.csv 5",
    ],
)
def test_a_command_names_what_is_no_file(assay, tmp_path, words):
    (tmp_path / "answers.csv").write_text("question,answer\nHow?,So.\n", encoding="utf-8")
    for name in ("zero.csv", "zero.yaml", "zero.jsonl"):
        (tmp_path / name).symlink_to("/dev/zero")
    for name in ("pipe.csv", "pipe.yaml"):
        os.mkfifo(tmp_path / name)
    done = assay(*words.split())
    assert done.code in {1, 2} and "Traceback" not in done.err, done.err
    assert "not a file; " in " ".join(done.err.split())


@pytest.mark.skipif(os.name == "nt", reason="for bash")
def test_what_a_shell_makes_of_a_command_is_no_file(tmp_path):
    (tmp_path / "answers.csv").write_text("question,answer\nHow?,So.\n", encoding="utf-8")
    command = f'"{sys.executable}" -m assay run <(cat answers.csv) --metrics token_overlap'
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in {1, 2} and "Traceback" not in done.stderr, done.stderr
    assert "not a file; " in " ".join(done.stderr.split())


def sheet(rows):
    """A workbook with two rows of a set, and these rows as the bytes of the sheet."""
    book = Workbook()
    book.active.append(["question", "answer"])
    book.active.append(["How?", "So."])
    stream, target = io.BytesIO(), io.BytesIO()
    book.save(stream)
    with zipfile.ZipFile(stream) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            content = source.read(name)
            if name == "xl/worksheets/sheet1.xml":
                content = content.replace(b"</sheetData>", rows + b"</sheetData>")
            if name == "xl/sharedStrings.xml" and rows.startswith(b"<si>"):
                content = content.replace(b"</sst>", rows + b"</sst>")
            archive.writestr(name, content)
    return target.getvalue()


FAR = b'<row r="%d"><c r="A%d" t="str"><v>x</v></c></row>'


def far_cell(row):
    return b'<row r="%d"><c r="XFD%d" t="str"><v>x</v></c></row>' % (row, row)


SHEETS = {
    "two million empty rows": (lambda: b"<row/>" * 2_000_000, "has more than 1,048,576 rows; delete what is empty, or"),
    "1,100,000 numbered rows": (
        lambda: b"".join(b'<row r="%d"></row>' % number for number in range(3, 1_100_000)),
        "has more than 1,048,576 rows",
    ),
    "a row behind the last": (lambda: FAR % (1_048_577, 1_048_577), "has more than 1,048,576 rows"),
    "row six million": (lambda: FAR % (6_000_000, 6_000_000), "has more than 1,048,576 rows"),
    "row 99999999999": (lambda: FAR % (99_999_999_999, 99_999_999_999), "has more than 1,048,576 rows"),
    "100,000 empty columns": (lambda: b"<row>" + b"<c/>" * 100_000 + b"</row>", "row 3 has more than 16,384 columns"),
    "50,000 columns": (
        lambda: b"<row>" + b"<c><v>1</v></c>" * 50_000 + b"</row>",
        "row 3 has more than 16,384 columns",
    ),
    "column ZZZZ": (lambda: b'<row r="3"><c r="ZZZZ3"><v>1</v></c></row>', "is no readable Excel file"),
    # openpyxl would pad the first to 17 billion cells
    "the far end": (lambda: far_cell(1_048_576), "row 1048576: has a cell in column XFD, which has no name"),
    "1,300 rows of 16,384": (
        lambda: b"".join(far_cell(number) for number in range(1_047_277, 1_048_577)),
        "has more than 20,000,000 cells; delete what is empty, or save",
    ),
}


@pytest.mark.parametrize(
    ("load", "name"),
    [
        *((load_set, name) for name in SHEETS),
        *((load, name) for load in (flat_rows, read_table_file) for name in ("row six million", "50,000 columns")),
        (flat_rows, "the far end"),
    ],
)
def test_a_sheet_that_unpacks_to_far_more_is_refused(tmp_path, load, name):
    rows, message = SHEETS[name]
    path = tmp_path / "answers.xlsx"
    path.write_bytes(sheet(rows()))
    with pytest.raises(InputError) as error:
        load(path)
    assert str(error.value).startswith(str(path)) and message in str(error.value)


def test_a_workbook_that_unpacks_to_gigabytes_is_refused(tmp_path):
    path = tmp_path / "answers.xlsx"
    path.write_bytes(sheet(b""))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/media/x.bin", b"")
        archive.getinfo("xl/media/x.bin").file_size = 520_000_000  # as the archive states it
    with pytest.raises(InputError, match=r"unpacks to 5.* bytes, more than 500,000,000"):
        load_set(path)


def test_a_part_beside_the_sheets_is_bounded(tmp_path):
    path = tmp_path / "answers.xlsx"
    with zipfile.ZipFile(io.BytesIO(sheet(b""))) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            new.writestr(entry, old.read(entry).replace(b"</fonts>", b"<font/>" * 500_000 + b"</fonts>"))
    with pytest.raises(InputError, match=r"xl/styles.xml has more than 400,000 formats"):
        load_set(path)


def test_a_sheet_whose_stated_size_is_wrong_is_read(tmp_path):
    path = tmp_path / "answers.xlsx"
    source = io.BytesIO(sheet(b'<row r="3"><c r="A3" t="str"><v>Why?</v></c><c r="B3" t="str"><v>Thus.</v></c></row>'))
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, old.read(part).replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"'))
    assert [sample.user_input for sample in load_set(path)] == ["How?", "Why?"]


def test_columns_of_a_csv_file_are_bounded(tmp_path):
    path = tmp_path / "answers.csv"
    names = [f"c{number}" for number in range(17_000)]
    path.write_text(",".join(["question", "answer", *names]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: has more than 16,384 columns"):
        load_set(path)
    path.write_text(",".join(["question", "answer", *names[:16_000]]) + "\nq,a" + ",1" * 16_000, encoding="utf-8")
    assert len(load_set(path, notes=[])) == 1


@pytest.mark.parametrize("field", ["metadata", "ratings", "tables"])
def test_a_key_that_stands_twice_in_a_cell_is_refused(tmp_path, field):
    """Python's own notation, which is tried after JSON, would silently take the last one."""
    path = tmp_path / "answers.csv"
    cell = '{"an": 4, "an": 2}' if field != "tables" else '[{"name": "t", "name": "u", "columns": {"x": [1]}}]'
    doubled = cell.replace('"', '""')
    path.write_text(f'question,answer,{field}\nHow?,So.,"{doubled}"\n', encoding="utf-8")
    key = "name" if field == "tables" else "an"
    with pytest.raises(InputError, match=f"line 2, field {field}: the key `{key}` stands twice in one object"):
        load_set(path)


JSON_TEMPLATES = {
    '{"q": "$question", "q": "x"}': "the key `q` stands twice in one object",
    '{"q": "$question", "n": ' + "9" * 5000 + "}": "a number has more than 4,300 digits",
    "[" * 100_000 + '"$question"': "is nested too deeply",
    '{"q": ': "is not JSON: Expecting value at character 7",
    "": "is not JSON: Expecting value",
}


def test_a_template_that_is_no_json_is_refused(tmp_path):
    path = tmp_path / "template.json"
    for text, message in JSON_TEMPLATES.items():
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as error:
            module_of(load_bot)._read_template(path)
        assert str(error.value).startswith(f"{path}: ") and message in str(error.value)


@pytest.fixture(scope="module")
def good_store(tmp_path_factory):
    """The file of a store with a run."""
    from assay.runs import evaluate

    folder = tmp_path_factory.mktemp("store")
    (folder / "answers.csv").write_text(
        "question,answer\n" + "".join(f"How {number}?,So {number}.\n" for number in range(20)), encoding="utf-8"
    )
    evaluate(str(folder / "answers.csv"), metrics=["token_overlap"], store=folder / "kept")
    return (folder / "kept" / "runs.sqlite").read_bytes()


@pytest.mark.parametrize(
    ("rounds", "seed"), [(150, 0), pytest.param(3000, 1, marks=pytest.mark.slow)], ids=["small", "slow"]
)
def test_random_bytes_as_a_store_are_told(tmp_path, good_store, rounds, seed):
    """Random bytes, beginnings of a store, and a store with random bytes in it: read, or one error with the file."""
    drawn = random.Random(seed)
    told = 0
    for number in range(rounds):
        file = tmp_path / str(number) / "runs.sqlite"
        file.parent.mkdir()
        content = bytearray(good_store)
        kind = number % 4
        if kind == 0:
            content = bytearray(drawn.randbytes(drawn.choice([1, 16, 99, 100, 512, 4096, 50_000])))
        elif kind == 1:
            content = content[: drawn.randrange(1, len(content))]
        else:  # the schema's page is where the module's own messages quote the file
            start = 100 if kind == 2 else drawn.randrange(len(content))
            for place in (drawn.randrange(start, min(len(content), start + 4000)) for _ in range(30)):
                content[place] = drawn.randrange(256)
        file.write_bytes(content)
        try:
            store = Store(file.parent, wait=0.1)
            for run in store.run_ids():
                list(store.samples(store.run(run).id))
                list(store.scores(run))
        except AssayError as error:
            assert (str(error).startswith(str(file)) and "; " in str(error)) or "run" in str(error), str(error)
            told += 1
    assert told > rounds / 3
