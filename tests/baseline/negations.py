"""Sentences that differ in a negation, and sentences that agree though only one has one, in English and German."""

ENGLISH = """
Do not cancel with your old provider yourself. | Cancel with your old provider yourself.
Nobody can read your messages. | Everybody can read your messages.
Without a receipt, we accept returns. | With a receipt, we accept returns.
You cannot cancel online. | You can cancel online.
You mustn't open the device. | You must open the device.
Not all customers get a discount. | All customers get a discount.
The museum doesn't open on Mondays. | The museum opens on Mondays.
If the light blinks, do not unplug the router. | If the light blinks, unplug the router.
The portal shows neither invoices nor contracts. | The portal shows invoices and contracts.
Refunds are given to nobody. | Refunds are given to everybody.
The old SIM can be reactivated never. | The old SIM can be reactivated.
The archive of the museum is open but entry is not free. | The archive of the museum is open and entry is free.
"""
"""A negated sentence and the affirmative one: the negation at the start, in the middle, at the end."""

GERMAN = """
Nicht den Stecker ziehen. | Den Stecker ziehen.
Ohne Quittung nehmen wir Waren zurück. | Mit Quittung nehmen wir Waren zurück.
Sie können den Vertrag nicht online kündigen. | Sie können den Vertrag online kündigen.
Der Umzug ist nicht kostenlos, wenn sich der Tarif ändert. | Der Umzug ist kostenlos, wenn sich der Tarif ändert.
Keiner der Zeugen hat den Wagen gesehen. | Einer der Zeugen hat den Wagen gesehen.
Öffnen Sie das Gerät nicht. | Öffnen Sie das Gerät.
Das Passwort kennt niemand. | Das Passwort kennt jeder.
"""

AGREEING_ENGLISH = """
Do not hesitate to contact the support team. | Contact the support team.
Return the router no later than 14 days after the end. | Return the router within 14 days after the end.
The fee is not only high but unfair. | The fee is high and unfair.
Never share your password. You can share your user name. | You can share your user name.
You can cancel online, but you cannot cancel by phone. | You can cancel online.
Do not unplug the router. Wait 5 minutes. | Wait 5 minutes and do not unplug the router.
If a payment fails, we do not charge a fee. | We charge no fee if a payment fails.
"""
"""A source and a claim that agree, though only one of them may have a negation."""

AGREEING_GERMAN = """
Wenn Sie nicht zahlen, wird der Anschluss gesperrt. | Der Anschluss wird gesperrt, wenn Sie nicht zahlen.
Die Miete ist nicht nur hoch, sondern unfair. | Die Miete ist hoch und unfair.
Öffnen Sie das Gerät nicht. Ziehen Sie den Stecker. | Ziehen Sie den Stecker.
"""


CONTRADICTING_ENGLISH = """
You may cancel a new policy within 14 days without giving a reason. | You may cancel within 14 days only with a reason.
You may not enter the laboratory without protective goggles. | You may enter the laboratory without protective goggles.
Never transfer money without checking the account number. | Always transfer money without checking the account number.
The app works offline without an account. | The app works offline only with an account.
The fee is waived unless the payment is late. | The fee is waived if the payment is late.
Guests without tickets are not admitted. | Guests with tickets are not admitted.
You can log in without a password. | You need a password to log in.
Children travel free of charge and without a ticket. | Children need a ticket to travel.
Bicycles that were not locked are never covered. | Unlocked bicycles are covered.
"""
CONTRADICTING_GERMAN = """
Sie können die Ware ohne Kassenbon zurückgeben. | Sie können die Ware nur mit Kassenbon zurückgeben.
Mieter dürfen ohne Zustimmung des Vermieters kein Tier halten. | Mieter dürfen ohne Zustimmung ein Tier halten.
Sie zahlen ohne Aufpreis mit Karte. | Sie zahlen mit Karte nicht ohne Aufpreis.
"""
"""A source and a claim that differ in one negation, or in *with* and *without*, in other words."""

SUPPORTING_ENGLISH = """
You may cancel a new policy without giving a reason. | Cancel without giving a reason.
You can change the heir at any time without the consent of the partner. | Change the heir without the partner's consent.
Without prior approval, travel costs are not refunded. | Travel costs are not refunded without prior approval.
You can log in without a password. | You don't need a password to log in.
You lose the discount unless you pay on time. | If you do not pay on time, you lose the discount.
You can park here without a permit except on Sundays. | Except on Sundays you can park here without a permit.
The contract runs without a minimum term. | There is no minimum term for the contract.
Admission is free from Monday to Friday. | From Monday to Friday admission is free.
"""
SUPPORTING_GERMAN = """
Sie können ohne Angabe von Gründen in 14 Tagen kündigen. | Sie können in 14 Tagen ohne Angabe von Gründen kündigen.
Sie können die Ware ohne Verpackung und ohne Kassenbon zurückgeben. | Sie können die Ware ohne Kassenbon zurückgeben.
Der Vertrag läuft ohne Mindestlaufzeit. | Der Vertrag hat keine Mindestlaufzeit.
"""
"""A source and a claim that says the same with fewer words, in another order or by another negation."""

UNCLEAR_ENGLISH = """
A bicycle is not covered unless it was locked. | A bicycle is covered if it was locked.
Do not sign anything without asking us first. | Ask us before you sign anything.
No customer is left without an answer for two days. | Every customer gets an answer within two days.
Everything is insured except jewellery. | Jewellery is not insured.
It is not uncommon for parcels to arrive late. | It is common for parcels to arrive late.
Only registered users can download the manual. | Unregistered users can download the manual.
"""
UNCLEAR_GERMAN = """
Ohne Anmeldung ist der Besuch nicht möglich. | Der Besuch ist mit Anmeldung möglich.
Das Rad ist nicht versichert, es sei denn, es war abgeschlossen. | Das Rad ist versichert, wenn es abgeschlossen war.
Alles ist versichert außer Schmuck. | Schmuck ist nicht versichert.
"""
"""A source and a claim whose negations meet: words do not tell what they say together."""


def pairs(table: str, language: str) -> list[tuple[str, str, str]]:
    """The two sentences of each line, and their language."""
    return [
        (first, second, language)
        for first, second in (line.split(" | ") for line in table.strip().splitlines())
    ]
