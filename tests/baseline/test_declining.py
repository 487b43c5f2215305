"""Which sentences decline, in four languages, and which do not."""

import time

import pytest

from conqret.baseline.declining import clauses_that_claim, declines, refers

DECLINING = """
I'm sorry, I can't help with that.
Unfortunately, I can't help with that.
I am not able to help with this question.
I'm unable to assist you here.
Sorry, I cannot help you with your request.
I don't know.
I do not have that information.
I don't have enough information to answer this.
I don't have access to your account details.
I'm not sure about that.
I have no idea.
No idea, sorry.
That is beyond my knowledge.
This is not something I can answer.
I could not find anything about that.
The documents do not mention it.
The provided context says nothing about prices.
It isn't stated in the documents you provided.
This cannot be determined from the text.
There is no information on refunds.
Not found.
That is outside of what I can help with.
That falls outside the scope of this assistant.
That question is beyond me, I'm afraid.
This isn't something I have information about.
This is something only a human colleague can answer.
We are unable to advise you on this matter; kindly get in touch with a colleague.
Dabei kann ich Ihnen leider nicht helfen.
Das weiß ich leider nicht.
Ich weiß es nicht.
Da bin ich überfragt.
Dazu habe ich keine Informationen.
Dazu liegen mir leider keine Angaben vor.
Keine Ahnung.
Ich kann Ihnen dabei leider nicht weiterhelfen.
Diese Frage kann ich nicht beantworten.
Das kann ich leider nicht beurteilen.
Dazu steht in den Unterlagen nichts.
Leider liegt mir dazu nichts vor.
Die Artikel sagen nicht, ob Ihr Gartenhaus versichert ist.
Das ist in den Dokumenten nicht angegeben.
Je ne sais pas.
Désolé, je ne peux pas vous aider.
Je ne suis pas en mesure de répondre.
Je n'ai trouvé aucune information à ce sujet.
Les documents ne mentionnent pas le prix.
Cela ne figure pas dans les documents.
No lo sé.
Lo siento, no puedo ayudarle con eso.
No tengo información sobre eso.
No he encontrado nada al respecto.
Los documentos no mencionan el precio.
No se indica en los documentos.
"""
ANSWERING = """
We can't help with lost parcels.
The hotline cannot help customers of other providers.
You cannot cancel online.
Never share your password with anyone.
No refunds are given after 14 days.
The archive does not include invoices.
Guests without a ticket are not admitted.
Nobody knows your password but you.
The move is not free of charge.
Sie können den Vertrag nicht online kündigen.
Der Helfer kann das Gerät nicht öffnen.
Keine Gebühren fallen an.
Ohne Vertrag gibt es keinen Rabatt.
Die Gebühr wird nicht erstattet.
Vous ne pouvez pas résilier en ligne.
Le remboursement n'est pas possible.
Le contrat n'est pas résiliable.
No se puede cancelar en línea.
El envío no es gratuito.
No hay gastos de envío.
"""
REFERRING = """
Please contact our service team.
Please ask the service team.
Please call our hotline on weekdays.
For further help, reach out to the claims department.
You can reach our team at help@example.org.
You could try ringing us.
Feel free to write to us.
I would recommend contacting a lawyer.
It is best to speak to an advisor.
A colleague will get back to you.
Our support staff will be happy to help you.
Bitte wenden Sie sich an den Kundendienst.
Rufen Sie uns gerne an.
Am besten fragen Sie Ihren Berater.
Kontaktieren Sie bitte unser Serviceteam per E-Mail.
Sie können aber den Service anrufen.
Unser Kundenservice hilft Ihnen gern weiter.
Veuillez contacter le service client.
Póngase en contacto con nosotros.
"""
STATING = """
Our service team is available from Monday to Friday.
You can ask for a refund within 14 days.
Please keep your receipt.
Garages are covered up to 5,000 euros.
Customers get a call within two days.
Die Garage ist bis 5.000 Euro versichert.
"""
BESIDE = """
I'm sorry, I don't know that exactly, but every shed is covered. | every shed is covered.
I'm not sure about your case, but the deductible is 150 euros. | the deductible is 150 euros.
I cannot tell you the exact price; however, delivery is free above 50 euros. | delivery is free above 50 euros.
I don't have that information: the office is closed on Mondays. | the office is closed on Mondays.
Sorry, no information about that, although your bike is covered. | your bike is covered.
Leider weiß ich das nicht genau, aber die Selbstbeteiligung beträgt 150 Euro. | die Selbstbeteiligung beträgt 150 Euro.
Sheds are covered against fire; there is no information about theft. | Sheds are covered against fire
I'm sorry, but I don't have enough information to answer that question. |
I don't know, but you can ask the service team. |
Dazu steht nichts in den Artikeln, Sie können aber den Service anrufen. |
I can't answer that, but I would recommend calling a lawyer. |
I'm afraid I can't answer that - our team can. |
Unfortunately theft is not covered, but fire and storm are. |
"""


@pytest.mark.parametrize("sentence", REFERRING.strip().splitlines())
def test_a_hint_whom_to_contact_is_recognized(sentence: str) -> None:
    assert refers(sentence)
    assert not declines(sentence)


@pytest.mark.parametrize("sentence", STATING.strip().splitlines())
def test_a_statement_is_no_hint(sentence: str) -> None:
    assert not refers(sentence)


@pytest.mark.parametrize("line", BESIDE.strip().splitlines())
def test_what_a_declining_sentence_claims_all_the_same(line: str) -> None:
    sentence, _, claim = map(str.strip, line.partition(" |"))
    before, after = clauses_that_claim(sentence)
    assert [*before, *after] == [claim][: bool(claim)]


@pytest.mark.parametrize("sentence", DECLINING.strip().splitlines())
def test_a_declining_sentence_is_recognized(sentence: str) -> None:
    assert declines(sentence)


@pytest.mark.parametrize("sentence", ANSWERING.strip().splitlines())
def test_a_negated_claim_does_not_decline(sentence: str) -> None:
    assert not declines(sentence)


def test_a_long_sentence_is_searched_in_linear_time() -> None:
    seconds = []
    for times in (5_000, 20_000):
        text = "I we not the documents ich kann je ne no se keine nicht " * times
        start = time.perf_counter()
        declines(text.replace("not", "nor"))
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 12 * seconds[0] + 0.1
