"""Which sentences decline, in four languages, and which do not."""

import time

import pytest

from conqret.baseline.declining import declines

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
