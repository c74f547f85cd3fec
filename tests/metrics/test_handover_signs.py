"""What says that a customer is handed over, wants a person, or is not helped; and what only looks like it."""

import pytest

from assay.eval_sets.thread import read_thread
from assay.languages import load_language
from assay.metrics.handover_signs import customer_wish, find_handover, find_needs

HAPPENS = {
    "en": [
        "I'm transferring you to a colleague.",
        "I've forwarded your case to our finance department.",
        "Your request has been escalated to a supervisor.",
        "Let me put you through to our technical support team.",
        "I’ll get a supervisor to help you with this.",
        "**I am transferring you now.**",
    ],
    "nl": [
        "Ik verbind u door met een collega.",
        "Dat kan ik zelf niet wijzigen, daarom verbind ik u nu door met een medewerker.",
        "U wordt nu doorverbonden met een medewerker van de klantenservice.",
        "Ik ga je doorverbinden met een specialist.",
        "Uw klacht is doorgezet naar een leidinggevende.",
    ],
    "de": [
        "Ich verbinde Sie mit einem Kollegen.",
        "Ich habe Ihr Anliegen an einen Kollegen weitergeleitet.",
        "Ein Kollege meldet sich heute bei Ihnen.",
        "Ihre Beschwerde wurde an einen Vorgesetzten weitergegeben.",
        "Einen Moment bitte, ich stelle Sie durch.",
    ],
}
HAPPENS_NOT = {
    "en": [
        "> One moment. I'm transferring you to a colleague.\n\nThat is what Bob wrote.",
        "Bob wrote:\r\n>> I'm transferring you to a colleague.",
        "<!-- I'm transferring you to a colleague. --> Hello!",
        "I can transfer you to a colleague if you like.",
        "Would you like me to transfer you to a human agent?",
        "I cannot transfer you to a human agent.",
        "I recommend contacting a human agent who can assist you further.",
        "I'll transfer you to a colleague if you want.",
        'Our policy says: "I am transferring you to a colleague" is only said for fraud.',
        "I will transfer the amount to your bank account.",
        "You will not be transferred to a colleague.",
        "I will connect you to the internet in three steps.",
    ],
    "nl": [
        "> Een moment. Ik verbind u door met een collega.\n\nDat schreef Bob.",
        "<!-- Ik verbind u door met een collega. -->",
        "Ik kan u doorverbinden met een collega als u dat wilt.",
        "Zal ik u doorverbinden met een medewerker?",
        "Als dat niet helpt, verbind ik u door met een collega.",
        "Ik heb uw factuur doorgestuurd naar uw e-mailadres.",
        "Het beleid zegt: ik verbind u door met een collega bij fraude.",
    ],
    "de": [
        "Ich kann Sie mit einem Kollegen verbinden, wenn Sie möchten.",
        "Soll ich Sie mit einem Mitarbeiter verbinden?",
        "Wenn das nicht hilft, verbinde ich Sie mit einem Kollegen.",
        "Sie sind jetzt mit dem WLAN verbunden.",
        "Die Richtlinie besagt, ich verbinde Sie mit einem Mitarbeiter nur bei Betrug.",
        "> Einen Moment. Ich verbinde Sie mit einem Kollegen.\n\nDas schrieb Bob.",
        "<!-- Ich verbinde Sie mit einem Kollegen. -->",
    ],
}
WISHES: dict[str, list[tuple[str, bool | None]]] = {
    "en": [
        ("I want to speak to a human.", True),
        ("Just transfer me to an agent", True),
        ("Get me your manager!", True),
        ("I can't get help here, I want to speak to a supervisor.", True),
        ("I don't want to speak to a human.", False),
        ("I'd prefer not to be transferred.", False),
        ("The delay has really put me in a tough spot.", None),
        ("Can you send me the invoice?", None),
    ],
    "nl": [
        ("Ik wil een medewerker spreken.", True),
        ("Kan ik met een echt mens praten?", True),
        ("medewerker graag", True),
        ("Ik wil niet met een medewerker praten.", False),
        ("Ik hoef niet doorverbonden te worden.", False),
        ("Kunt u me de factuur sturen?", None),
    ],
    "de": [
        ("Ich möchte mit einem Mitarbeiter sprechen.", True),
        ("Verbinden Sie mich mit einem Kollegen.", True),
        ("Ich will einen Vorgesetzten sprechen!", True),
        ("Ich möchte nicht mit einem Mitarbeiter sprechen.", False),
        ("Ihr Kollege sagte gestern, dass es kostenlos ist.", None),
    ],
}
CANNOT: dict[str, list[tuple[str, bool]]] = {
    "en": [
        ("Unfortunately, I cannot assist with this request.", True),
        ("There is nothing more I can do.", True),
        ("If the bag is lost, I won't be able to help.", False),
        ("You cannot cancel this order.", False),
    ],
    "nl": [
        ("Daar kan ik u helaas niet mee helpen.", True),
        ("Dat valt buiten mijn mogelijkheden.", True),
        ("U kunt dit niet annuleren.", False),
    ],
    "de": [("Dabei kann ich Ihnen leider nicht helfen.", True), ("Sie können das nicht stornieren.", False)],
}


def talk(code: str, answer: str) -> bool:
    messages = read_thread([{"role": "user", "content": "?"}, {"role": "assistant", "content": answer}])
    return find_handover(messages, load_language(code)) is not None


@pytest.mark.parametrize(("code", "answer"), [(code, text) for code, texts in HAPPENS.items() for text in texts])
def test_the_assistant_hands_over(code, answer):
    assert talk(code, answer)
    assert talk(code, f"- {answer}")  # in a list


@pytest.mark.parametrize(("code", "answer"), [(code, text) for code, texts in HAPPENS_NOT.items() for text in texts])
def test_an_offer_a_refusal_a_condition_and_a_quote_hand_nobody_over(code, answer):
    assert not talk(code, answer)


@pytest.mark.parametrize(
    ("code", "text", "wish"), [(code, text, wish) for code, rows in WISHES.items() for text, wish in rows]
)
def test_the_customer_asks_for_a_person(code, text, wish):
    assert customer_wish(text, load_language(code))[0] is wish


@pytest.mark.parametrize(
    ("code", "text", "is_helpless"),
    [(code, text, helpless) for code, rows in CANNOT.items() for text, helpless in rows],
)
def test_the_assistant_says_that_it_cannot_help(code, text, is_helpless):
    messages = read_thread([{"role": "user", "content": "?"}, {"role": "assistant", "content": text}])
    signs = find_needs(messages, load_language(code), len(messages))
    assert [(sign.kind, sign.turn) for sign in signs] == ([("cannot", 1)] if is_helpless else [])


ASKS_FOR_A_CALL = {
    "en": ["Can a colleague of yours call me back?", "Could you let one of your agents phone us, please?"],
    "nl": ["Kan een collega van u mij terugbellen?", "Kunt u mij laten bellen door een collega?"],
    "de": ["Kann mich ein Kollege von Ihnen zurückrufen?", "Könnte sich jemand bei mir melden?"],
}
NO_CALL = {
    "en": ["Can you call me a taxi?", "Did a colleague of yours call me yesterday?", "I don't want anyone to call me."],
    "nl": ["Kan ik mijn moeder bellen?", "Heeft een collega mij gebeld?", "Ik wil niet dat iemand mij belt."],
    "de": ["Kann ich jemanden anrufen?", "Hat mich ein Kollege angerufen?", "Ich will nicht, dass mich jemand anruft."],
}


@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_who_wants_to_be_called_by_a_colleague_asks_for_a_person(language):
    pack = load_language(language)
    assert [text for text in ASKS_FOR_A_CALL[language] if customer_wish(text, pack)[0] is not True] == []
    assert [text for text in NO_CALL[language] if customer_wish(text, pack)[0]] == []
