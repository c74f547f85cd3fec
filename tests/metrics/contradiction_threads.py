"""Threads written for the metric `consistent`: what a bot says, and whether it contradicts itself by a plain slot.

Each thread is a language and its texts, customer and bot by turns; a text that begins with `CALL ` is a call of a tool
by the bot, whose result is the text after it.
"""

CONTRADICTING = [
    ("en", "How long does a refund take?", "Refunds are paid within 5 working days.", "And how do I send it back?", "Use the label in the box. Your refund takes 14 working days after that."),
    ("en", "Can I return the shoes?", "Yes, you can return them within 30 days.", "What about the box?", "Please keep the box. Note that returns are only accepted within 14 days."),
    ("en", "What does delivery cost?", "Delivery costs 4.95 euros.", "Is there a pick-up point?", "Yes, there are three in your town. Delivery is free, by the way."),
    ("en", "Is my phone still under warranty?", "All our phones have a two-year warranty.", "Does it cover the screen?", "It covers manufacturing defects. The warranty on our phones is one year."),
    ("en", "Can I cancel my subscription every month?", "Yes, you can cancel the subscription every month.", "How?", "In your account, under Subscription. Please note that you cannot cancel the subscription monthly."),
    ("en", "When is the shop open?", "We are open from 9 am to 6 pm.", "And do you have parking?", "Yes, behind the building. We are open from 10 am to 5 pm."),
    ("en", "When will the technician come?", "The technician comes on Tuesday 12 May.", "Should I be at home?", "Yes, an adult must be at home. The technician comes on Thursday 14 May."),
    ("en", "Do you ship to Norway?", "We ship to Norway.", "Great. What is the price of the blue jacket?", "The blue jacket costs 89 euros. We do not ship to Norway."),
    ("en", "What is the late fee?", "The late fee is 10 euros.", "How do I avoid it?", "Set up a direct debit. The late fee of 25 euros is added to the next bill."),
    ("en", "How much data do I have with Basic?", "The Basic plan has 5 GB of data.", "And calls?", "Calls are unlimited. With the Basic plan you have 10 GB of data."),
    ("en", "What number can I call?", "You can reach the service desk on 020 624 1111.", "Thanks, and by mail?", "Not by mail, sorry. You can reach the service desk on 020 624 2222."),
    ("en", "When is the salary paid?", "Salaries are paid on the 25th of May.", "And the holiday allowance?", "That comes with the salary. Salaries are paid on the 28th of May."),
    ("en", "How many vacation days do I get?", "You get 25 vacation days per year.", "Can I sell them?", "Yes, with your manager's approval. You have 20 vacation days per year."),
    ("en", "Do I need a receipt?", "You need a receipt for a return.", "I have lost it, I think.", "No problem, you do not need a receipt for a return."),
    ("en", "Is the installation included?", "The installation is included in the price.", "Nice. When can you come?", "We plan within two weeks. The installation is not included in the price."),
    ("en", "What discount do students get?", "Students get a 10% discount.", "How do I prove that?", "With your student card. The student discount is 20%."),
    ("en", "Who is my contact?", "Your contact person is Sarah Miller.", "And her hours?", "She works on weekdays. Your contact person is Tom Baker."),
    ("en", "How long is the notice period?", "The notice period is one month.", "From today?", "From the end of the month. The notice period is three months."),
    ("en", "How long does a refund take?", "A refund takes 5 days.", "Are you sure?", "I'm sorry, I made a mistake: a refund takes 10 days."),
    ("en", "Can I bring my dog?", "Yes.", "So I can bring my dog?", "No."),
    ("en", "Can two people use one account?", "An account can be used by up to 4 people.", "And how do I add one?", "Under Family. An account can be used by up to 2 people."),
    ("en", "What is the deadline for the form?", "The deadline is 31 March.", "How do I submit it?", "Upload it in the portal before the deadline, which is 15 April."),
    ("nl", "Hoe lang duurt een terugbetaling?", "Een terugbetaling duurt 5 werkdagen.", "En hoe stuur ik het terug?", "Met het label in de doos. De terugbetaling duurt 14 werkdagen."),
    ("nl", "Wat kost verzending?", "De verzending is gratis.", "Mooi. Kan ik ook afhalen?", "Ja, in drie winkels. De verzendkosten zijn 4,95 euro."),
    ("nl", "Kan ik per maand opzeggen?", "U kunt uw abonnement per maand opzeggen.", "Hoe doe ik dat?", "In Mijn account. Let op: u kunt uw abonnement niet per maand opzeggen."),
    ("nl", "Wat is de opzegtermijn?", "De opzegtermijn is een maand.", "Vanaf vandaag?", "Vanaf het einde van de maand. De opzegtermijn bedraagt drie maanden."),
    ("nl", "Wanneer komt de monteur?", "De monteur komt op dinsdag 12 mei.", "Moet ik thuis zijn?", "Ja, dat moet. De monteur komt op donderdag 14 mei."),
    ("nl", "Leveren jullie in België?", "Wij leveren in België.", "En de prijs van de jas?", "De jas kost 89 euro. Wij leveren niet in België."),
    ("nl", "Hoeveel data heb ik met Basis?", "Met Basis heeft u 5 GB data.", "En bellen?", "Bellen is onbeperkt. Met Basis heeft u 10 GB data."),
    ("nl", "Hoe laat gaat de winkel open?", "De winkel gaat om 9:00 open.", "Is er parkeergelegenheid?", "Ja, achter het gebouw. De winkel gaat om 10:00 open."),
    ("nl", "Hoeveel garantie heb ik?", "U heeft 2 jaar garantie.", "Ook op het scherm?", "Ja, op fabricagefouten. U heeft 1 jaar garantie."),
    ("nl", "Is de installatie inbegrepen?", "De installatie is inbegrepen bij de prijs.", "Fijn.", "Graag gedaan. De installatie is niet inbegrepen bij de prijs."),
    ("nl", "Hoeveel korting krijgen studenten?", "Studenten krijgen 10% korting.", "Hoe toon ik dat aan?", "Met uw studentenkaart. De studentenkorting is 20%."),
    ("nl", "Hoe lang duurt een terugbetaling?", "Een terugbetaling duurt 5 dagen.", "Weet u het zeker?", "Sorry, ik heb een fout gemaakt: een terugbetaling duurt 10 dagen."),
    ("nl", "Mag mijn hond mee?", "Ja.", "Dus mijn hond mag mee?", "Nee."),
    ("nl", "Wanneer wordt het salaris betaald?", "Het salaris wordt op 25 mei betaald.", "En het vakantiegeld?", "Tegelijk. Het salaris wordt op 28 mei betaald."),
    ("de", "Wie lange dauert eine Rückerstattung?", "Eine Rückerstattung dauert 5 Werktage.", "Und wie schicke ich es zurück?", "Mit dem Etikett im Paket. Die Rückerstattung dauert 14 Werktage."),
    ("de", "Was kostet der Versand?", "Der Versand ist kostenlos.", "Kann ich auch abholen?", "Ja, in drei Filialen. Der Versand kostet 4,95 Euro."),
    ("de", "Kann ich monatlich kündigen?", "Sie können das Abo monatlich kündigen.", "Wie mache ich das?", "In Ihrem Konto. Sie können das Abo nicht monatlich kündigen."),
    ("de", "Wie lang ist die Kündigungsfrist?", "Die Kündigungsfrist beträgt einen Monat.", "Ab heute?", "Ab dem Monatsende. Die Kündigungsfrist beträgt drei Monate."),
    ("de", "Wann kommt der Techniker?", "Der Techniker kommt am Dienstag, 12. Mai.", "Muss ich zu Hause sein?", "Ja. Der Techniker kommt am Donnerstag, 14. Mai."),
    ("de", "Liefern Sie nach Belgien?", "Wir liefern nach Belgien.", "Und was kostet die Jacke?", "Die Jacke kostet 89 Euro. Wir liefern nicht nach Belgien."),
    ("de", "Darf mein Hund mit?", "Ja.", "Also darf mein Hund mit?", "Nein."),
]

CONSISTENT = [
    ("en", "What is my booking's status?", "Your booking is open.", "Please cancel it.", "CALL cancel_booking", '{"status": "cancelled"}', "Your booking is cancelled."),
    ("en", "How much are the flights?", "The morning flight costs 120 dollars.", "And the evening one?", "The evening flight costs 180 dollars."),
    ("en", "How long is delivery?", "Standard delivery takes 5 days.", "Faster?", "Express delivery takes 1 day."),
    ("en", "Can I bring my dog?", "Yes.", "Can I bring my cat?", "No."),
    ("en", "What plans are there?", "We have two plans:\n- Basic: 5 euros per month\n- Pro: 10 euros per month", "And yearly?", "Per year:\n- Basic: 50 euros\n- Pro: 100 euros"),
    ("en", "Can I cancel?", "You can cancel your order until it is shipped.", "It has been shipped.", "In that case you cannot cancel your order."),
    ("en", "How many bags?", "You have 1 checked bag on your booking.", "Make it 3 bags.", "CALL update_bags", '{"bags": 3}', "You have 3 checked bags on your booking."),
    ("en", "How long does a refund take?", "A refund takes 5 to 7 business days.", "So about a week?", "Yes, a refund takes about 1 week."),
    ("en", "Where is my parcel?", "I don't see an order under that number.", "Sorry, it is 4412.", "Thank you. I see your order: it arrives on 3 May."),
    ("en", "How do I export?", "Click Export. Do not close the window.", "Done.", "Close the window."),
    ("en", "What does shipping cost?", "Shipping costs 4.95 euros.", "And for members?", "For members, shipping is free."),
    ("en", "What is the fee?", "The change fee is 50 dollars.", "And the cancellation fee?", "The cancellation fee is 75 dollars."),
    ("en", "When is it open?", "On Monday the desk is open from 9:00 to 17:00.", "And Saturday?", "On Saturday the desk is open from 10:00 to 14:00."),
    ("en", "When can I fly?", "Flight HAT12 leaves at 6:00 AM on 20 May.", "Another one?", "Flight HAT34 leaves at 9:00 AM on 20 May."),
    ("en", "Can I pay by card?", "You can pay by card.", "And in cash?", "You cannot pay in cash."),
    ("en", "Has it been sent?", "Your order has not been sent yet.", "And now?", "Your order has been sent."),
    ("en", "How many days of leave do I have left?", "You have 12 days of leave left.", "I want to book 2 of them.", "CALL book_leave", '{"left": 10}', "You have 10 days of leave left."),
    ("en", "How long is the warranty?", "The warranty lasts 24 months.", "That is two years?", "Yes, the warranty lasts 2 years."),
    ("en", "What is the limit?", "You can add up to 5 users with Basic.", "I have 3.", "Then you can add 2 more users."),
    ("en", "Which colours?", "The jacket comes in blue and green.", "Red?", "The jacket does not come in red."),
    ("nl", "Wat is de status van mijn boeking?", "Uw boeking staat open.", "Annuleer die maar.", "CALL cancel_booking", '{"status": "cancelled"}', "Uw boeking is geannuleerd."),
    ("nl", "Wat kost het?", "De vlucht van de ochtend kost 120 euro.", "En die van de avond?", "De vlucht van de avond kost 180 euro."),
    ("nl", "Hoe lang duurt het?", "Standaard bezorging duurt 5 dagen.", "Sneller?", "Expresse bezorging duurt 1 dag."),
    ("nl", "Mag mijn hond mee?", "Ja.", "Mag mijn kat mee?", "Nee."),
    ("nl", "Kan ik annuleren?", "U kunt uw bestelling annuleren zolang die niet is verzonden.", "Die is al verzonden.", "Dan kunt u uw bestelling niet annuleren."),
    ("nl", "Wat kost verzending?", "Verzending kost 4,95 euro.", "En voor leden?", "Voor leden is verzending gratis."),
    ("nl", "Kan ik met pin betalen?", "U kunt met pin betalen.", "En contant?", "U kunt niet contant betalen."),
    ("nl", "Is het al verzonden?", "Uw bestelling is nog niet verzonden.", "En nu?", "Uw bestelling is verzonden."),
    ("nl", "Hoe lang is de garantie?", "De garantie is 24 maanden.", "Dus twee jaar?", "Ja, de garantie is 2 jaar."),
    ("de", "Wie ist der Stand meiner Buchung?", "Ihre Buchung ist offen.", "Bitte stornieren.", "CALL cancel_booking", '{"status": "cancelled"}', "Ihre Buchung ist storniert."),
    ("de", "Was kostet es?", "Der Flug am Morgen kostet 120 Euro.", "Und am Abend?", "Der Flug am Abend kostet 180 Euro."),
    ("de", "Wie lange dauert es?", "Die Standardlieferung dauert 5 Tage.", "Schneller?", "Die Expresslieferung dauert 1 Tag."),
    ("de", "Darf mein Hund mit?", "Ja.", "Darf meine Katze mit?", "Nein."),
    ("de", "Kann ich mit Karte zahlen?", "Sie können mit Karte zahlen.", "Und bar?", "Sie können nicht bar zahlen."),
]


def as_messages(texts: tuple[str, ...]) -> list[dict[str, object]]:
    """The messages of a thread."""
    messages: list[dict[str, object]] = []
    speaker, place = "user", 0
    while place < len(texts):
        text = texts[place]
        if text.startswith("CALL "):
            call = {"id": f"c{place}", "function": {"name": text.removeprefix("CALL "), "arguments": "{}"}}
            messages.append({"role": "assistant", "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": f"c{place}", "content": texts[place + 1]})
            place += 2
            continue
        messages.append({"role": speaker, "content": text})
        speaker = "assistant" if speaker == "user" else "user"
        place += 1
    return messages
