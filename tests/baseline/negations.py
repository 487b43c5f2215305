"""Sentences that differ in a negation, and sentences that agree though only one has one, in English and German."""

ENGLISH = """
Do not cancel with your old provider yourself. | Cancel with your old provider yourself.
Don’t unplug the router. | Unplug the router.
Nobody can read your messages. | Everybody can read your messages.
None of the tariffs include roaming. | All of the tariffs include roaming.
Without a receipt, we accept returns. | With a receipt, we accept returns.
We never ask for your password. | We ask for your password.
You cannot cancel online. | You can cancel online.
You mustn't open the device. | You must open the device.
You need not return the cable. | You need to return the cable.
It does not work abroad. | It does work abroad.
This isn't covered by the warranty. | This is covered by the warranty.
Not all customers get a discount. | All customers get a discount.
The router doesn't support the 5 GHz band. | The router does support the 5 GHz band.
Returns without a receipt cannot be processed. | Returns without a receipt can be processed.
The museum doesn't open on Mondays. | The museum opens on Mondays.
If the light blinks, do not unplug the router. | If the light blinks, unplug the router.
The vaccine doesn’t cause autism in children. | The vaccine does cause autism in children.
The portal shows neither invoices nor contracts. | The portal shows invoices and contracts.
Gift cards are accepted, vouchers are not. | Gift cards are accepted, vouchers are.
Refunds are given to nobody. | Refunds are given to everybody.
The old SIM can be reactivated never. | The old SIM can be reactivated.
Wait 5 minutes and do not unplug the router. | Wait 5 minutes and unplug the router.
The archive of the museum is open but entry is not free. | The archive of the museum is open and entry is free.
He paid the deposit but got no receipt. | He paid the deposit and got a receipt.
"""
"""A negated sentence and the affirmative one: the negation at the start, in the middle, at the end."""

GERMAN = """
Nicht den Stecker ziehen. | Den Stecker ziehen.
Niemand muss zu Hause sein. | Jemand muss zu Hause sein.
Ohne Quittung nehmen wir Waren zurück. | Mit Quittung nehmen wir Waren zurück.
Sie können den Vertrag nicht online kündigen. | Sie können den Vertrag online kündigen.
Es gibt keine Rückerstattung. | Es gibt eine Rückerstattung.
Der Umzug ist nicht kostenlos, wenn sich der Tarif ändert. | Der Umzug ist kostenlos, wenn sich der Tarif ändert.
Wenn die Lampe blinkt, ziehen Sie den Stecker nicht. | Wenn die Lampe blinkt, ziehen Sie den Stecker.
Keiner der Zeugen hat den Wagen gesehen. | Einer der Zeugen hat den Wagen gesehen.
Öffnen Sie das Gerät nicht. | Öffnen Sie das Gerät.
Schalten Sie den Router nicht aus. | Schalten Sie den Router aus.
Karten nehmen wir an, Gutscheine nicht. | Karten nehmen wir an, Gutscheine auch.
Das Passwort kennt niemand. | Das Passwort kennt jeder.
"""

AGREEING_ENGLISH = """
The move is free of charge. | The move is without charge.
Do not hesitate to contact the support team. | Contact the support team.
Don't forget to return the router. | Return the router.
Return the router no later than 14 days after the end. | Return the router within 14 days after the end.
The fee is not only high but unfair. | The fee is high and unfair.
Never share your password. You can share your user name. | You can share your user name.
You can cancel online, but you cannot cancel by phone. | You can cancel online.
Do not unplug the router. Wait 5 minutes. | Wait 5 minutes and do not unplug the router.
If a payment fails, we do not charge a fee. | We charge no fee if a payment fails.
Refunds are not possible. | Refunds cannot be made; they are never possible.
"""
"""A source and a claim that agree, though only one of them may have a negation."""

AGREEING_GERMAN = """
Wenn Sie nicht zahlen, wird der Anschluss gesperrt. | Der Anschluss wird gesperrt, wenn Sie nicht zahlen.
Sie können nicht online kündigen. | Online können Sie nicht kündigen.
Die Miete ist nicht nur hoch, sondern unfair. | Die Miete ist hoch und unfair.
Öffnen Sie das Gerät nicht. Ziehen Sie den Stecker. | Ziehen Sie den Stecker.
Sie können den Vertrag online nicht kündigen. | Sie können den Vertrag nicht online kündigen.
"""


CONTRADICTING_ENGLISH = """
You may cancel a new policy within 14 days without giving a reason. | You may cancel within 14 days only with a reason.
Without approval, travel costs above 500 euros are not refunded. | Travel costs are refunded without approval.
You may not enter the laboratory without protective goggles. | You may enter the laboratory without protective goggles.
Never transfer money without checking the account number. | Always transfer money without checking the account number.
The app works offline without an account. | The app does not work without an account.
The app works offline without an account. | The app works offline only with an account.
You can pause your subscription without losing your discount. | You lose your discount when you pause your subscription.
The fee is waived unless the payment is late. | The fee is waived if the payment is late.
Guests without tickets are not admitted. | Guests without tickets are admitted.
Guests without tickets are not admitted. | Guests with tickets are not admitted.
You can log in without a password. | You need a password to log in.
The contract runs without a minimum term. | The contract runs with a minimum term of two years.
Children travel free of charge and without a ticket. | Children need a ticket to travel.
Bicycles that were not locked are never covered. | Unlocked bicycles are covered.
"""
CONTRADICTING_GERMAN = """
Sie können die Ware ohne Kassenbon zurückgeben. | Sie können die Ware nur mit Kassenbon zurückgeben.
Ohne vorherige Anmeldung ist der Besuch nicht möglich. | Der Besuch ist ohne Anmeldung möglich.
Mieter dürfen ohne Zustimmung des Vermieters kein Tier halten. | Mieter dürfen ohne Zustimmung ein Tier halten.
Wir können Ihnen ohne Ihre Kundennummer nicht helfen. | Wir können Ihnen ohne Ihre Kundennummer helfen.
Der Vertrag läuft ohne Mindestlaufzeit. | Der Vertrag läuft mit Mindestlaufzeit.
Sie zahlen ohne Aufpreis mit Karte. | Sie zahlen mit Karte nicht ohne Aufpreis.
"""
"""A source and a claim that differ in one negation, or in *with* and *without*, in other words."""

SUPPORTING_ENGLISH = """
You may cancel a new policy without giving a reason. | Cancel without giving a reason.
You may cancel within 14 days without giving a reason. | Cancel without giving a reason within 14 days.
You can change the heir at any time without the consent of the partner. | Change the heir without the partner's consent.
Without prior approval, travel costs are not refunded. | Travel costs are not refunded without prior approval.
You may not enter the laboratory without goggles. | Without goggles you may not enter the laboratory.
The app works offline without an account. | The app works without an account.
You can log in without a password. | You don't need a password to log in.
You lose the discount unless you pay on time. | If you do not pay on time, you lose the discount.
If you do not pay on time, you lose the discount. | You lose the discount unless you pay on time.
You can park here without a permit except on Sundays. | Except on Sundays you can park here without a permit.
The contract runs without a minimum term. | There is no minimum term for the contract.
There is no minimum term for the contract. | The contract runs without a minimum term.
Admission is free from Monday to Friday. | From Monday to Friday admission is free.
Repairs up to 500 euros can be done without our approval. | Repairs up to 500 euros do not need our approval.
"""
SUPPORTING_GERMAN = """
Sie können ohne Angabe von Gründen in 14 Tagen kündigen. | Sie können in 14 Tagen ohne Angabe von Gründen kündigen.
Ändern Sie nichts am Schaden ohne Rücksprache mit uns. | Ändern Sie ohne Rücksprache nichts am Schaden.
Sie können die Ware ohne Verpackung und ohne Kassenbon zurückgeben. | Sie können die Ware ohne Kassenbon zurückgeben.
Ohne vorherige Anmeldung ist der Besuch nicht möglich. | Der Besuch ist ohne Anmeldung nicht möglich.
Der Vertrag läuft ohne Mindestlaufzeit. | Der Vertrag hat keine Mindestlaufzeit.
Sie zahlen ohne Aufpreis mit Karte oder auf Rechnung. | Sie zahlen mit Karte ohne Aufpreis.
"""
"""A source and a claim that says the same with fewer words, in another order or by another negation."""

UNCLEAR_ENGLISH = """
A bicycle is not covered unless it was locked. | A bicycle is covered if it was locked.
Do not sign anything without asking us first. | Ask us before you sign anything.
Without prior approval, travel costs are not refunded. | Travel costs are refunded with prior approval.
The deposit is not returned unless the keys are here. | The deposit is returned if the keys are here.
Never drive without a licence or without a plate. | You must have a licence and a plate to drive.
No customer is left without an answer for two days. | Every customer gets an answer within two days.
Everything is insured except jewellery. | Jewellery is not insured.
It is not uncommon for parcels to arrive late. | It is common for parcels to arrive late.
Only registered users can download the manual. | Unregistered users cannot download the manual.
Only registered users can download the manual. | Unregistered users can download the manual.
"""
UNCLEAR_GERMAN = """
Ohne Anmeldung ist der Besuch nicht möglich. | Der Besuch ist mit Anmeldung möglich.
Das Konto wird nicht gesperrt, sofern Sie zahlen. | Das Konto wird gesperrt, wenn Sie nicht zahlen.
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
