"""Where a set is looked for, and files as spreadsheets and old programs save them."""

import datetime
import json
import re
from pathlib import Path

import pytest
from openpyxl import Workbook

from assay.errors import InputError
from assay.eval_sets import bundled_sets, load_set, read_set


def test_a_file_of_that_name_comes_before_a_bundled_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("helpdesk_nl").mkdir()
    with pytest.raises(InputError, match=r"helpdesk_nl: is a folder; name a file in it"):
        load_set("helpdesk_nl")


def test_a_missing_file_brings_the_nearest_names(tmp_path, jsonl, row, monkeypatch):
    jsonl(row(), name="helpdesk.jsonl")
    with pytest.raises(InputError, match=r"there is no such file or folder; did you mean `.*/helpdesk.jsonl`"):
        load_set(tmp_path / "helpdsk.jsonl")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"`helpdesk_nl`"):
        load_set("helpdesk_nl.jsonl")
    with pytest.raises(InputError, match=r"nor a folder `.*/nowhere`"):
        load_set(tmp_path / "nowhere" / "set.jsonl")


def test_an_unknown_set_name_brings_the_nearest_and_all_bundled_sets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        load_set("helpdesk_ne")
    assert re.search(r"did you mean `helpdesk_(de|nl|en)`", str(raised.value))
    with pytest.raises(InputError) as raised:
        load_set("nosuch")
    assert "did you mean" not in str(raised.value)
    for name in bundled_sets():
        assert f"`{name}`" in str(raised.value)


def test_a_format_that_is_not_read(file):
    with pytest.raises(InputError, match=r"files `.docx` are not supported; save the set as one of `.jsonl`"):
        load_set(file("set.docx", "x"))


@pytest.mark.parametrize(
    ("options", "says"), [({"limit": 0}, "limit 0 leaves no samples"), ({"language": "dutch"}, "is no ISO 639-1 code")]
)
def test_options_that_make_no_sense(jsonl, row, options, says):
    with pytest.raises(InputError, match=says):
        read_set(jsonl(row()), **options)


def test_a_file_that_the_system_refuses(jsonl, row, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = jsonl(row())
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"set.jsonl: cannot be read \(Permission denied\)"):
        load_set(path)


HEADER = "question,answer,rating"


@pytest.mark.parametrize(("encoding", "name"), [("cp1252", "Windows-1252"), ("utf-16", "UTF-16")])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json"])
def test_another_encoding_is_read_and_one_line_says_so(tmp_path, encoding, name, suffix):
    row = {"question": "Wat kost één café?", "answer": "€ 5 – of “niets”", "rating": 4}
    text = {
        ".csv": f"{HEADER}\n{row['question']},{row['answer']},4\n",
        ".jsonl": json.dumps(row, ensure_ascii=False) + "\n",
        ".json": json.dumps([row], ensure_ascii=False),
    }[suffix]
    path = tmp_path / f"answers{suffix}"
    path.write_bytes(text.encode(encoding))
    notes: list[str] = []
    (sample,) = load_set(path, notes=notes)
    assert (sample.user_input, sample.response, sample.rating) == (row["question"], row["answer"], 4)
    assert f"{path}: read as {name}, because it is not UTF-8" in notes


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1250", "Kde najdu svou fakturu za březen?"),
        ("cp1250", "Hol találom a számlámat? Ellenőrizze a jelszavát, vagy kérjen újat."),
        ("cp1250", "Gdje mogu naći račun za ožujak?"),
        ("cp1250", "Wysyłka kosztuje piętnaście złotych."),
        ("cp1254", "Teslimat adresini değiştirebilir miyim?"),
        ("cp1257", "Kur rasti kovo mėnesio sąskaitą?"),
        ("cp1257", "Jā, kamēr sūtījums nav izvests no noliktavas, adresi var mainīt."),
        ("mac_roman", "Können Sie die Lieferadresse ändern?"),
        ("mac_roman", "Vérifiez votre mot de passe ou demandez-en un nouveau."),
    ],
)
def test_bytes_that_mean_other_letters_are_not_read_as_western_ones(tmp_path, encoding, text):
    """In Windows-1252 they would be fakturu za bøezen, deðiþtirebilir, Kšnnen: each is a letter, of another word."""
    path = tmp_path / "answers.csv"
    path.write_bytes(f"{HEADER}\n{text},{text},4\n".encode(encoding))
    with pytest.raises(InputError, match=r"line 2: byte 0x.. at place .* is not UTF-8: save the file as UTF-8"):
        load_set(path)


@pytest.mark.parametrize(
    "text",
    [
        "Öffnen Sie die Einstellungen; der Škoda von Herrn Müller steht in der größeren Straße.",
        "Où se trouve ma facture ? Sœur Noël a reçu un nouveau mot de passe à l’entrepôt.",
        "¿Por qué no puedo iniciar sesión? La señora Muñoz lo sabrá mañana.",
        "Á meðan pakkinn er ekki farinn úr vöruhúsinu má breyta honum.",
        "Hvorfor kan jeg ikke logge på? Varen når Ærø om fjorten dage.",
        "Ja.;Zoë",  # too short to tell
        "The cus\u00adtomer’s invoice costs \u201c5 euros\u201d.",  # a soft hyphen, as Word writes it
    ],
)
def test_western_text_is_read_as_windows_1252(tmp_path, text):
    path = tmp_path / "answers.csv"
    path.write_bytes(f"question\tanswer\n{text}\tok\n".encode("cp1252"))
    (sample,) = load_set(path)
    assert sample.user_input == text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_read(tmp_path, end):
    """Old Excel for Mac ends lines with a carriage return alone; a quoted cell may hold one too."""
    path = tmp_path / "answers.csv"
    path.write_bytes(end.join([HEADER, "a,b,1", f'"c{end}d",e,2', ""]).encode())
    samples = load_set(path)
    assert [(sample.user_input, sample.rating) for sample in samples] == [("a", 1), (f"c{end}d", 2)]
    lines = tmp_path / "answers.jsonl"
    lines.write_bytes(end.join(json.dumps({"user_input": text, "response": "r"}) for text in "ab").encode())
    assert [sample.user_input for sample in load_set(lines)] == ["a", "b"]


def workbook(path: Path, **sheets: list[list[object]]) -> Path:
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


ROWS: list[list[object]] = [
    ["vraag id", "question", "answer", "context", "stars", "when"],
    ["k1", "How?", "So.", "A page of help.", 4, datetime.date(2026, 3, 1)],
    [None, None, None, None, None, None],
    ["k2", "Why?", 12, None, 2, None],
]


def test_a_sheet_of_excel_is_read_as_a_table(tmp_path):
    notes: list[str] = []
    path = workbook(tmp_path / "answers.xlsx", answers=ROWS, notes=[["nothing here"]])
    first, second = load_set(path, notes=notes)
    assert (first.user_input, first.response, first.retrieved_contexts) == ("How?", "So.", ("A page of help.",))
    assert (first.rating, second.rating, second.response) == (4, 2, "12")
    assert (first.id, first.metadata) == ("k1", {"when": "2026-03-01"})
    assert notes == [
        f"{path}: read the sheet answers, not `notes`",
        f"{path}: read vraag id as id, question as user_input, answer as response, context as retrieved_contexts, "
        "stars as rating from 1 to 5 (change with --map); kept in the metadata: when",
    ]


def test_one_of_several_sheets_is_chosen(tmp_path):
    path = workbook(tmp_path / "answers.xlsx", may=ROWS, june=[*ROWS[:2], ["k9", "Who?", "Me.", None, 1, None]])
    with pytest.raises(InputError, match=r"has the sheets `may`, `june`; choose one \(--sheet NAME\)"):
        load_set(path)
    assert [sample.user_input for sample in load_set(path, sheet="june")] == ["How?", "Who?"]
    with pytest.raises(InputError, match="there is no sheet `jun`; did you mean `june`"):
        load_set(path, sheet="jun")
    table = tmp_path / "answers.csv"
    table.write_text(f"{HEADER}\na,b,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no sheets, only Excel files do"):
        load_set(table, sheet="may")
    unnamed = workbook(tmp_path / "unnamed.xlsx", answers=[["question", "answer"], ["a", "b", "c"]])
    with pytest.raises(InputError, match="sheet answers, row 2: has a cell in column C, which has no name"):
        load_set(unnamed)


def test_a_damaged_utf8_file_is_not_read_as_another_encoding(tmp_path):
    """A byte is lost within the second of two characters; Windows-1252 would read all of it, as 'cafÃ©'."""
    path = tmp_path / "answers.csv"
    path.write_bytes(f"{HEADER}\nQ,café,4\n".encode() + b"P,caf\xc3,3\n")
    with pytest.raises(InputError, match=r"line 3: byte 0xc3 at place .* is not UTF-8: save"):
        load_set(path)


def test_a_folder_of_parquet_files_has_no_sheets(tmp_path):
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "a.parquet").write_bytes(b"")
    with pytest.raises(InputError, match="sheet"):
        load_set(tmp_path / "scores", sheet="Data")
