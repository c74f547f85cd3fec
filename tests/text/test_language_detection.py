"""Which language a text is in, also one without a pack; headings in the language of who reads."""

import json
from importlib import resources

import pytest

from assay.languages import FALLBACK
from assay.text import FEWEST_LETTERS, detect_language, in_reader_language

OTHER_LANGUAGES = [
    ("de", "Klicken Sie auf der Anmeldeseite auf Kennwort vergessen."),
    ("es", "Haga clic en el enlace del correo electrónico para restablecer la contraseña."),
    ("fr", "Cliquez sur le lien dans le courriel pour réinitialiser votre mot de passe."),
    ("it", "Fare clic sul collegamento nell'e-mail per reimpostare la password."),
    ("pt", "Clique na ligação que recebeu por correio para repor a palavra-passe."),
    ("sv", "Klicka på länken i mejlet för att återställa ditt lösenord."),
    ("pl", "Kliknij link w wiadomości e-mail, aby zresetować hasło."),
    ("tr", "Şifrenizi sıfırlamak için e-postadaki bağlantıya tıklayın."),
    ("el", "Κάντε κλικ στον σύνδεσμο στο μήνυμα για να αλλάξετε τον κωδικό."),
    ("da", "Klik på linket i mailen for at nulstille din adgangskode."),
    ("es", "¿Cómo puedo restablecer mi contraseña?"),
    ("ar", "انقر على الرابط في البريد الإلكتروني لإعادة تعيين كلمة المرور."),
    ("ja", "パスワードをリセットするには、メールのリンクをクリックしてください。"),
]


@pytest.mark.parametrize(("code", "text"), OTHER_LANGUAGES)
def test_other_languages_are_told_apart(code, text):
    assert detect_language(text) == code


@pytest.mark.parametrize(
    ("code", "text"),
    [("nl", "hoi, werkt niet"), ("nl", "nee laat maar"), ("en", "can i go overdrawn"), ("en", "no never mind")],
)
def test_a_short_text_is_in_a_language_with_a_pack(code, text):
    assert sum(letter.isalpha() for letter in text) < FEWEST_LETTERS
    assert detect_language(text) == code


@pytest.mark.parametrize("text", ["", "42", "KP-2041", "ok", "\0", "12.345,67 / 89"])
def test_texts_that_do_not_tell_are_english(text):
    assert detect_language(text) == FALLBACK


@pytest.mark.parametrize("language", ["en", "nl"])
@pytest.mark.parametrize("name", ["helpdesk", "kpi"])
def test_no_bundled_sample_is_taken_for_another_language(name, language):
    lines = resources.files("assay.eval_sets").joinpath(f"{name}_{language}.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert {detect_language(row["user_input"], row["response"]) for row in rows} == {language}
    answers = [row["response"] for row in rows if sum(map(str.isalpha, row["response"])) >= FEWEST_LETTERS]
    assert {detect_language(answer) for answer in answers} == {language}


@pytest.mark.parametrize(
    ("locale", "shown"),
    [("nl_NL.UTF-8", "Versies"), ("en_GB.UTF-8", "Versions"), ("C.UTF-8", "Versions"), ("de", "Versions")],
)
def test_a_caption_follows_the_reader(locale, shown, monkeypatch):
    monkeypatch.setenv("LC_ALL", locale)
    assert in_reader_language("Versions") == shown
    assert in_reader_language("a heading of nobody") == "a heading of nobody"


def test_the_tables_and_the_page_of_a_decision_are_dutch_for_a_dutch_reader(assay, set_file, tmp_path, monkeypatch):
    other = set_file(8, "other.jsonl", response="Open the menu.")
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")  # an English reader before, in the same process
    assay("decide", set_file(8), other, "--report", "decide.html")
    assert "<h2>How they differ</h2>" in (tmp_path / "decide.html").read_text(encoding="utf-8")
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    done = assay("decide", set_file(8), other, "--report", "decide.html")
    assert "gemiddelde beoordeling" in " ".join(done.out.split()) and "Verschillen" in done.out
    page = (tmp_path / "decide.html").read_text(encoding="utf-8")
    assert '<html lang="nl">' in page and "<h2>Hoe ze verschillen</h2>" in page and "<th>versie" in page
