"""Which sentences decline, in four languages, and which do not."""

import time

import pytest

from conqret.baseline.declining import clauses_that_claim, declines, refers

DECLINING = """
I'm sorry, I can't help with that.
I don't know.
I don't have enough information to answer this.
No idea, sorry.
The documents do not mention it.
It isn't stated in the documents you provided.
There is no information on refunds.
This is something only a human colleague can answer.
Dabei kann ich Ihnen leider nicht helfen.
Ich weiß es nicht.
Dazu liegen mir leider keine Angaben vor.
Das kann ich leider nicht beurteilen.
Die Artikel sagen nicht, ob Ihr Gartenhaus versichert ist.
Je ne sais pas.
Les documents ne mentionnent pas le prix.
No lo sé.
No tengo información sobre eso.
Los documentos no mencionan el precio.
"""
ANSWERING = """
The hotline cannot help customers of other providers.
Never share your password with anyone.
Guests without a ticket are not admitted.
Sie können den Vertrag nicht online kündigen.
Keine Gebühren fallen an.
Vous ne pouvez pas résilier en ligne.
No se puede cancelar en línea.
"""
REFERRING = """
Please contact our service team.
You can reach our team at help@example.org.
I would recommend contacting a lawyer.
A colleague will get back to you.
Bitte wenden Sie sich an den Kundendienst.
Unser Kundenservice hilft Ihnen gern weiter.
Veuillez contacter le service client.
Póngase en contacto con nosotros.
"""
STATING = """
Our service team is available from Monday to Friday.
Garages are covered up to 5,000 euros.
Die Garage ist bis 5.000 Euro versichert.
"""
BESIDE = """
I'm sorry, I don't know that exactly, but every shed is covered. | every shed is covered.
I cannot tell you the exact price; however, delivery is free above 50 euros. | delivery is free above 50 euros.
I don't have that information: the office is closed on Mondays. | the office is closed on Mondays.
Sheds are covered against fire; there is no information about theft. | Sheds are covered against fire
Dazu steht nichts in den Artikeln, Sie können aber den Service anrufen. |
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
