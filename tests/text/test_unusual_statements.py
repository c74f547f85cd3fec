"""Statements that look like what claims nothing: each is a claim, and the judge is asked about it."""

import pytest

from assay.languages import load_language
from assay.text import claiming_sentences

# beside another claim each, where what it says could be lost; the part in the second place must be in a claim
STATEMENTS = {
    "en": [
        # a yes or no beside other claims
        ("Yes. Log in and click Cancel.", "Yes"),
        ("No. The desk opens at nine.", "No"),
        ("It is under Leave. No.", "No"),
        ("Yes, you can. Open the menu.", "Yes, you can"),
        ("No, that is not possible. Ask your manager.", "No, that is not possible"),
        # questions that presuppose
        ("Did you know that returns cost nothing?", "returns cost nothing"),
        ("Why is delivery faster with Plus?", "faster with Plus"),
        ("Have you noticed the app works offline?", "works offline"),
        ("Are you aware of the new limit, which is doubled?", "doubled"),
        ("How will you spend your two vouchers?", "two vouchers"),
        ("Isn't the warranty extended?", "warranty extended"),
        ("When did we tell you that the shop moved?", "shop moved"),
        ("Shall I add the free case?", "free case"),
        ("Would you like the 20 euros back?", "20 euros"),
        ("Can I send the refund, since the order never left?", "never left"),
        ("Students travel half price, shall I book?", "half price"),
        # amounts in words
        ("Thank you, it is five euros.", "five euros"),
        ("Have a nice day, your twelve points remain.", "twelve points"),
        ("I don't know, perhaps three weeks.", "three weeks"),
        ("Let me know within two days.", "two days"),
        ("You're welcome, half of it is back.", "half of it"),
        ("Feel free to ask for a dozen.", "dozen"),
        # a name after a sign-off
        ("It is new.\n\nKind regards,\nShop Closed Sundays", "Shop Closed"),
        ("It is new.\n\nBest regards,\nDelivery Is Free", "Delivery Is Free"),
        ("It is new.\n\nRegards,\nOffice open until nine", "open until nine"),
        ("It is new.\n\nKind regards,\nRefund Approved", "Refund Approved"),
        ("It is new.\n\nSincerely,\nThe price has gone up", "gone up"),
        ("Best Western", "Best Western"),
        ("Kind regards, your parcel has been sent.", "parcel has been sent"),
        # refusals with a fact inside
        ("I don't know why delivery is free only on Mondays.", "free only on Mondays"),
        ("I cannot find that, but cancelling is free.", "Cancelling is free"),
        ("I have no information about the 30 days that you have left.", "30 days"),
        ("I'm not sure, the fee went up in May.", "went up in May"),
        ("I don't know the answer, which is on page four.", "page four"),
        ("I cannot tell you that the order was lost.", "order was lost"),
        ("I do not have information, since the contract ended.", "contract ended"),
        ("The documentation does not mention it, because it is forbidden.", "forbidden"),
        ("I don't know, click Undo and it comes back.", "click Undo"),
        ("I cannot remove a passenger from a booking.", "remove a passenger"),
        ("I can't find it and you have to pay again.", "pay again"),
        # table headers, headings, labels and lead-ins
        ("| Returns are accepted | Fee |\n|---|---|\n| Plus | none |", "Returns are accepted"),
        ("| Always free | Fee |\n|---|---|\n| Plus | none |", "Always free"),
        ("| Price 5 euros | Plan |\n|---|---|\n| Plus | all |", "Price 5 euros"),
        ("| The shop has closed | Day |\n|---|---|\n| a | b |", "The shop has closed"),
        ("## Delivery is free\nSee the page.", "Delivery is free"),
        ("**Breakfast included**\n\nSee the page.", "Breakfast included"),
        ("### Insurance: Yes\nSee the page.", "Insurance: Yes"),
        ("The shop has closed:\n- See the map.", "The shop has closed"),
        # greetings, thanks and offers that go on
        ("Thanks to the new system your team has access again.", "new system"),
        ("Welcome bonus for new customers!", "Welcome bonus"),
        ("You are welcome to change your flight anytime.", "change your flight"),
        ("Dear customers of the closed branch,", "closed branch"),
        ("Let me know, or you lose the seat.", "lose the seat"),
        ("Great, the lamp is gold.", "lamp is gold"),
        ("I'm sorry, the server is down.", "server is down"),
        ("Enjoy your upgrade to first class.", "upgrade to first class"),
        ("Good luck, the exam has been moved.", "exam has been moved"),
        ("Please call before Friday, the offer ends.", "offer ends"),
        ("I am happy to tell you the loan is approved.", "loan is approved"),
        # what an idle phrase does not carry: words beside it say something of their own
        ("Sure, a refund.", "refund"),
        ("Thank you for contacting us, we provide a refund for any cancellation.", "we provide a refund"),
        ("Unfortunately, we cancel your reservation and refund a credit.", "we cancel your reservation"),
        ("Sorry, your booking costs more.", "booking costs more"),
        ("Please let us know; a refund needs to be requested within a day.", "needs to be requested"),
        ("Of course, we cancel at any time.", "we cancel"),
        ("Absolutely: all flights, all passengers, at any time.", "all flights"),
        ("Hello, your flight delayed to later today.", "flight delayed"),
        ("If you need a refund, we provide all costs.", "we provide all costs"),
        ("Good morning, Refunds Weekly.", "Refunds Weekly"),
        ("It is new.\n\nBest regards,\nNo Fees Ever", "No Fees"),
        ("It is new.\n\nBest regards,\nWarranty Covers Water Damage", "Warranty Covers"),
        # a clause after a refusal
        ("I'm not sure, but refunds happen daily.", "Refunds happen daily"),
        ("I cannot help you, refunds end at midnight.", "Refunds end at midnight"),
        ("I have no information, contact us by fax.", "Contact us by fax"),
        ("I don't know why we secretly charge every card.", "charge every card"),
        ("I do not know that, but it i\u200bs fr\u200bee.", "it is free"),
        # no headings, and no number of a list's item
        ("It is new.\n\n**Yes**", "Yes"),
        ("## No\n\nIt is new.", "No"),
        ("## Is free for everyone\n\nIt is new.", "free for everyone"),
        ("It is new. 30.", "30"),
        ("Would you like the refund we owe you?", "refund we owe you"),
        ("Who else but us ships overnight?", "ships overnight"),
        ("Are you aware your plan ends tomorrow?", "plan ends tomorrow"),
        ("I don't know why the product was banned in Germany.", "banned in Germany"),
    ],
    "nl": [
        ("Ja. Klik op Opzeggen.", "Ja"),
        ("Nee. De balie opent om negen uur.", "Nee"),
        ("Wist u dat retourneren niets kost?", "retourneren niets kost"),
        ("Bedankt, het is vijf euro.", "vijf euro"),
        ("Ik weet niet waarom het alleen op maandag gratis is.", "gratis"),
        ("Ik weet het niet, maar annuleren is gratis.", "Annuleren is gratis"),
        ("Het is nieuw.\n\nMet vriendelijke groet,\nWinkel gesloten op zondag", "gesloten op zondag"),
        ("| Retour is gratis | Prijs |\n|---|---|\n| Plus | geen |", "Retour is gratis"),
        ("Dat kan ik niet terugbetalen.", "terugbetalen"),
        ("Uiteraard, wij helpen alle klanten.", "wij helpen alle klanten"),
        ("Natuurlijk, dat doen wij.", "dat doen wij"),
        ("Het is nieuw.\n\nGroetjes,\nTeam Klantenservice, dag en nacht open", "dag en nacht open"),
        ("BEDANKT VOOR HET BETALEN VAN DE JAARBIJDRAGE.", "JAARBIJDRAGE"),
        ("Ik weet het niet, maar wij bezorgen dagelijks.", "wij bezorgen dagelijks"),
        ("Het is nieuw.\n\nMet vriendelijke groet,\nGarantie Dekt Waterschade", "Waterschade"),
    ],
    "de": [
        ("Ja. Klicken Sie auf Kündigen.", "Ja"),
        ("Nein. Der Schalter öffnet um neun.", "Nein"),
        ("Wussten Sie, dass die Rückgabe nichts kostet?", "nichts kostet"),
        ("Danke, es sind fünf Euro.", "fünf Euro"),
        ("Das weiß ich nicht, aber die Lieferung ist kostenlos.", "Lieferung ist kostenlos"),
        ("Leider haben wir Ihr Konto nicht mehr.", "haben wir Ihr Konto nicht mehr"),
        ("Das weiß ich leider nicht, aber wir erstatten Bargeld.", "wir erstatten Bargeld"),
        ("Es ist neu.\n\nMit freundlichen Grüßen\nLaden geschlossen", "Laden geschlossen"),
        ("| Rückgabe ist kostenlos | Preis |\n|---|---|\n| Plus | keiner |", "Rückgabe ist kostenlos"),
    ],
}


@pytest.mark.parametrize(
    ("language", "answer", "stated"), [(code, *row) for code, rows in STATEMENTS.items() for row in rows]
)
def test_no_statement_is_left_out(language, answer, stated):
    claims = claiming_sentences(answer, load_language(language))
    assert any(stated.lower() in claim.lower() for claim in claims), claims
