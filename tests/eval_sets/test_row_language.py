"""A sample that is read always has a language."""

from assay.eval_sets import load_set

DUTCH = {"user_input": "Hoe voeg ik een medewerker toe?", "response": "Ga naar Medewerkers en klik op Toevoegen."}
ENGLISH = {"user_input": "How do I add an employee?", "response": "Go to Employees and click Add."}
SPANISH = {"user_input": "¿Cómo añado un empleado?", "response": "Vaya a Empleados y haga clic en Añadir."}


def test_the_rows_own_comes_first_then_the_argument_then_the_texts(jsonl):
    path = jsonl({**DUTCH, "language": "de"}, DUTCH, ENGLISH, SPANISH)
    assert [sample.language for sample in load_set(path, language="fr")] == ["de", "fr", "fr", "fr"]
    assert [sample.language for sample in load_set(path)] == ["de", "nl", "en", "es"]


def test_a_region_is_kept_in_the_metadata(jsonl, row):
    first, second, third = load_set(
        jsonl(
            row(id="a", language="nl-BE"), row(id="b", language="en_GB", metadata={"n": 1}), row(id="c", language="NL")
        )
    )
    assert (first.language, first.metadata) == ("nl", {"language": "nl-BE"})
    assert (second.language, second.metadata) == ("en", {"language": "en_GB", "n": 1})
    assert (third.language, third.metadata) == ("nl", {})
