"""Sentences that differ in a negation, and sentences that agree though only one has one, in English and German."""

ENGLISH = """
Do not cancel with your old provider yourself. | Cancel with your old provider yourself.
Don't share your PIN with anyone. | Share your PIN with anyone.
Don’t unplug the router. | Unplug the router.
Never share your password. | Share your password.
No refunds are given. | Refunds are given.
Nobody can read your messages. | Everybody can read your messages.
None of the tariffs include roaming. | All of the tariffs include roaming.
Without a receipt, we accept returns. | With a receipt, we accept returns.
We never ask for your password. | We ask for your password.
You cannot cancel online. | You can cancel online.
You can't cancel by phone. | You can cancel by phone.
You must not share your password. | You must share your password.
You mustn't open the device. | You must open the device.
You need not return the cable. | You need to return the cable.
You should not unplug the router. | You should unplug the router.
It does not work abroad. | It does work abroad.
Please do not call the hotline. | Please call the hotline.
There is no activation fee. | There is an activation fee.
This isn't covered by the warranty. | This is covered by the warranty.
Not all customers get a discount. | All customers get a discount.
Customers must not open the device. | Customers must open the device.
The move is not free of charge. | The move is free of charge.
Refunds are not possible after 14 days. | Refunds are possible after 14 days.
The router doesn't support the 5 GHz band. | The router does support the 5 GHz band.
The technician will never ask for cash. | The technician will ask for cash.
The deposit cannot be transferred to another contract. | The deposit can be transferred to another contract.
Invoices are sent without a cover letter. | Invoices are sent with a cover letter.
Returns without a receipt cannot be processed. | Returns without a receipt can be processed.
The museum doesn't open on Mondays. | The museum opens on Mondays.
Private customers get no static address. | Private customers get a static address.
If the light blinks, do not unplug the router. | If the light blinks, unplug the router.
After the update, nobody needs a new password. | After the update, everybody needs a new password.
The mailbox hasn't been deleted. | The mailbox has been deleted.
The court did not accept the appeal of the company. | The court did accept the appeal of the company.
Students wouldn't pay the higher tuition fee. | Students would pay the higher tuition fee.
The vaccine doesn’t cause autism in children. | The vaccine does cause autism in children.
The portal shows neither invoices nor contracts. | The portal shows invoices and contracts.
Gift cards are accepted, vouchers are not. | Gift cards are accepted, vouchers are.
Refunds are given to nobody. | Refunds are given to everybody.
The line is not suspended. | The line is suspended.
The old SIM can be reactivated never. | The old SIM can be reactivated.
Wait 5 minutes and do not unplug the router. | Wait 5 minutes and unplug the router.
The app works on tablets without a contract. | The app works on tablets with a contract.
The archive of the museum is open but entry is not free. | The archive of the museum is open and entry is free.
He paid the deposit but got no receipt. | He paid the deposit and got a receipt.
"""
"""A negated sentence and the affirmative one: the negation at the start, in the middle, at the end."""

GERMAN = """
Nicht den Stecker ziehen. | Den Stecker ziehen.
Kein Kunde zahlt die Gebühr. | Jeder Kunde zahlt die Gebühr.
Niemand muss zu Hause sein. | Jemand muss zu Hause sein.
Niemals das Gerät öffnen. | Das Gerät öffnen.
Ohne Quittung nehmen wir Waren zurück. | Mit Quittung nehmen wir Waren zurück.
Kündigen Sie nicht selbst bei Ihrem alten Anbieter. | Kündigen Sie selbst bei Ihrem alten Anbieter.
Wir fragen Sie nie nach Ihrem Passwort. | Wir fragen Sie nach Ihrem Passwort.
Sie können den Vertrag nicht online kündigen. | Sie können den Vertrag online kündigen.
Sie dürfen Ihr Passwort nicht weitergeben. | Sie dürfen Ihr Passwort weitergeben.
Es gibt keine Rückerstattung. | Es gibt eine Rückerstattung.
Der Umzug ist nicht kostenlos. | Der Umzug ist kostenlos.
Der Umzug ist nicht kostenlos, wenn sich der Tarif ändert. | Der Umzug ist kostenlos, wenn sich der Tarif ändert.
Wenn die Lampe blinkt, ziehen Sie den Stecker nicht. | Wenn die Lampe blinkt, ziehen Sie den Stecker.
Keiner der Zeugen hat den Wagen gesehen. | Einer der Zeugen hat den Wagen gesehen.
Privatkunden erhalten keine feste Adresse. | Privatkunden erhalten eine feste Adresse.
Der Techniker nimmt niemals Bargeld an. | Der Techniker nimmt Bargeld an.
Das Gericht hat die Klage nicht angenommen. | Das Gericht hat die Klage angenommen.
Rechnungen kommen ohne Anschreiben per Post. | Rechnungen kommen mit Anschreiben per Post.
Öffnen Sie das Gerät nicht. | Öffnen Sie das Gerät.
Schalten Sie den Router nicht aus. | Schalten Sie den Router aus.
Teilen Sie Ihr Passwort niemals mit. | Teilen Sie Ihr Passwort mit.
Karten nehmen wir an, Gutscheine nicht. | Karten nehmen wir an, Gutscheine auch.
Das Passwort kennt niemand. | Das Passwort kennt jeder.
"""

AGREEING_ENGLISH = """
The move is free of charge. | The move is without charge.
The move comes at no charge. | The move is free of charge.
Do not hesitate to contact the support team. | Contact the support team.
Don't forget to return the router. | Return the router.
Return the router. | Don't forget to return the router.
Return the router no later than 14 days after the end. | Return the router within 14 days after the end.
The fee is not only high but unfair. | The fee is high and unfair.
Never share your password. You can share your user name. | You can share your user name.
You can cancel online, but you cannot cancel by phone. | You can cancel online.
You cannot cancel by phone. You can cancel online. | You can cancel online.
Do not unplug the router. Wait 5 minutes. | Wait 5 minutes and do not unplug the router.
Do not unplug the router while the update is running. | Do not unplug the router during the update.
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


def pairs(table: str, language: str) -> list[tuple[str, str, str]]:
    """The two sentences of each line, and their language."""
    return [
        (first, second, language)
        for first, second in (line.split(" | ") for line in table.strip().splitlines())
    ]
