"""Sections about a hospital, and a judge at the local server that makes pairs of them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay.generation import Fold, Section
from assay.judges import JudgeSettings, LiteLLMJudge

LEAFLETS = """
mri.md | Voorbereiding |
U mag voor de MRI gewoon eten en drinken. Draag kleding zonder metaal. Laat uw sieraden thuis, want
metaal verstoort het beeld. Het onderzoek duurt ongeveer een half uur en doet geen pijn.

mri.md | Contact |
Kunt u niet komen? Bel dan de afdeling Radiologie op telefoonnummer 088 708 52 20, of stuur een e-mail
naar radiologie@voorbeeld.nl. Wij maken graag een nieuwe afspraak met u voor het onderzoek.

gips.md | Thuis |
Houd het gips droog en leg uw arm de eerste dagen hoog. Beweeg uw vingers vaak om zwelling te voorkomen.
Steek niets tussen het gips en de huid, ook niet als het jeukt. Het gips blijft zes weken zitten.

gips.md | Klachten |
Worden uw vingers blauw of koud, of krijgt u steeds meer pijn? Bel dan meteen de Gipskamer, telefoon 088
708 33 40. De Gipskamer is open op werkdagen van 8.00 tot 16.30 uur.

dieet.md | Zout |
Met een zoutarm dieet eet u minder dan zes gram zout per dag. Gebruik kruiden in plaats van zout en eet
geen kant-en-klare maaltijden. De diëtist maakt samen met u een weekmenu dat bij u past.

dieet.md | Vocht |
Drink niet meer dan anderhalve liter vocht per dag. Soep, yoghurt en fruit tellen ook mee. Weeg u elke
ochtend voor het ontbijt en schrijf uw gewicht op. Neemt u snel in gewicht toe, overleg dan met uw arts.
"""


@pytest.fixture
def sections() -> list[Section]:
    """Six sections of three documents, two with facts."""
    numbers: dict[str, int] = {}
    made = []
    for leaflet in LEAFLETS.strip().split("\n\n"):
        document, heading, text = (" ".join(part.split()) for part in leaflet.split("|"))
        position = numbers.get(document, 0)
        numbers[document] = position + 1
        made.append(
            Section(
                id=f"{document}#{position:03}",
                document=document,
                heading=heading,
                text=text,
                position=position,
                language="nl",
                tokens=len(text) // 4,
                emulated_page=1,
            )
        )
    return made


@pytest.fixture
def folds() -> list[Fold]:
    """MRI and gips in fold 1, dieet in fold 2; the test split holds the second section of each fold's last document."""
    places = {"mri.md": (1, 0), "gips.md": (1, 1), "dieet.md": (2, 2)}
    return [
        Fold(section=f"{document}#{position:03}", fold=fold, split="validation", topic=topic, sampled=True)
        for document, (fold, topic) in places.items()
        for position in (0, 1)
    ]


@pytest.fixture
def judge(openai_server: OpenAIServer) -> LiteLLMJudge:
    """A judge at the server, which writes pairs."""
    openai_server.script = writes_pairs
    settings = JudgeSettings(model="openai/test", api_base=openai_server.api_base, structured="schema", wait=0)
    return LiteLLMJudge(settings)


def writes_pairs(request: Request) -> Answer | None:
    """Long-form: the sentences of the section with a question each. Factoid: the fact in a sentence. Score: 4."""
    if request.schema == "GeneratedPairs":
        section = re.findall(r"<documentation>\n(.*?)\n</documentation>", request.user, re.DOTALL)[-1]
        title, _, text = section.partition("\n\n")
        count = int(re.findall(r"Schrijf (\d+)", request.user)[-1])
        sentences = [sentence for sentence in re.split(r"(?<=[.?]) ", text) if not sentence.endswith("?")]
        pairs = [
            {
                "question": f"Wat geldt er bij {title} als het gaat om {stated.split()[-1]} {stated.split()[0]}?",
                "answer": stated,
            }
            for stated in sentences[:count]
        ]
        return Answer(text=json.dumps({"pairs": pairs}))
    if request.schema == "GeneratedPair":
        fact = re.findall(r"<fact>(.*?)</fact>", request.user)[-1]
        title = re.findall(r"<documentation>\n(.*?)\n", request.user)[-1]
        question = f"Wat is het gegeven dat ik nodig heb voor {title}?"
        return Answer(text=json.dumps({"question": question, "answer": f"U kunt terecht bij {fact} voor {title}."}))
    if request.schema == "options":
        return Answer(text="4")
    return None


@pytest.fixture
def writer_file(judge_file: Callable[..., Any], openai_server: OpenAIServer) -> Path:
    """The settings file of that judge."""
    openai_server.script = writes_pairs
    path: Path = judge_file()
    return path
