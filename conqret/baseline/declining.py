"""Sentences by which an answer declines: something is not known, was not found, or cannot be said; hints whom to
contact; and what a declining sentence claims all the same.
"""

from __future__ import annotations

import re
from itertools import chain

_SOURCE = (
    "(?:documents?|documentation|docs|contexts?|sources?|texts?|passages?|excerpts?|articles?|pages?|materials"
    "|knowledge base|information provided|provided information)"
)
_NOT = "(?:not|\\w+n['’]t|cannot|unable|afraid|no|nothing|none)"
_HOLDS = "(?:mention|contain|cover|stat|specif|includ|provid|describ|answer|address|discuss|say|about|regard|inform)"
_THIS = "(?:this|that|it|your (?:question|request|query)|the question)"
_QUELLE = "(?:dokument|unterlag|quelle|text|artikel|kontext|auszug|auszüg|angaben|informationen)"
_SOURCE_FR = "(?:documents?|textes?|sources?|contexte|extraits?|articles?)"
_FUENTE = "(?:documentos?|textos?|fuentes?|contexto|fragmentos?|artículos?)"

PATTERNS = {
    "en": (
        # I could not find anything about it; I found nothing; I'm not sure
        rf"\b(?:I|we)\b.{{0,25}}?\b{_NOT}\b.{{0,40}}?\b(?:know|find|found|say|answer|tell|determine|sure|inform)",
        r"\b(?:I|we)(?:['’]ve| have)? (?:find|found|know|have) "
        r"(?:nothing|no (?:answer|mention|results?|idea|details|data))\b",
        # I can't help with that; I'm unable to assist you here
        rf"\b(?:can ?not|can['’]t|could not|couldn['’]t|unable to|not able to) (?:\w+ )?(?:help|assist|advise)(?: you)?"
        rf"(?: (?:with|on|about) {_THIS}\b| here\b| further\b|\W*$)",
        # not something I can answer; outside of what we can help with; that is beyond me; something only you can answer
        r"(?:\bnot|n['’]t) something (?:that )?(?:I|we) (?:can|have|know)\b",
        r"\b(?:beyond|outside)(?: of)? what (?:I|we) can (?:help|answer|say|assist|advise)",
        r"\b(?:beyond|outside|not within) (?:of )?(?:my|our) (?:knowledge|scope|expertise)\b",
        r"\b(?:beyond|outside)(?: of)? the scope of (?:this (?:assistant|bot|chat|service)|what (?:I|we)|my|our)\b",
        r"\bis beyond (?:me|us)\b|\bis something (?:that )?only (?:\w+ ){1,5}?can (?:answer|say|tell|advise|help)\b",
        r"\b(?:I|we)(?: do|['’]m| am)? (?:not|n['’]t|don['’]t) have (?:\w+ ){0,2}?(?:access|details|data|answer)\b",
        r"^\W*(?:(?:sorry|unfortunately)\W+)?no idea\b",
        # the documents do not mention it; the context says nothing about it; it is not stated in the text
        rf"\b{_SOURCE}\b.{{0,30}}?\b{_NOT}\b.{{0,40}}?\b{_HOLDS}",
        rf"\b(?:none|neither|nothing) (?:of|in) .{{0,20}}?\b{_SOURCE}\b",
        rf"(?:\bnot|n['’]t) (?:\w+ )?{_HOLDS}\w* (?:\w+ )?(?:in|by|from) (?:\w+ ){{0,3}}?{_SOURCE}\b",
        # the sources are silent; there is no information on it; nothing was found; it cannot be determined
        rf"\b{_SOURCE} (?:is|are) silent\b",
        r"(?:^\W*(?:(?:sorry|unfortunately)\W+)?|\b(?:is|are|was|were|have|there['’]s) )"
        r"(?:no|not enough|insufficient) (?:\w+ ){0,2}?(?:information|mention|answer|result)s?\b(?! either)",
        r"n['’]t enough (?:\w+ ){0,2}?information\b",
        r"(?:^\W*|\bthere (?:is|was) |\bthere['’]s )nothing (?:\w+ ){0,2}?(?:found|mentioned|about|on|regarding)\b",
        r"\b(?:can ?not|can['’]t|could not|couldn['’]t) be (?:\w+ )?(?:determined|answered|found)",
        r"\bunable to (?:find|answer|say|tell|determine)",
        r"^\W*(?:not (?:found|known|stated|specified|mentioned)|unknown|n/a)\W*$",
    ),
    "de": (
        # keine Angaben; dazu steht nichts in den Unterlagen; dazu kann ich nichts sagen; ich weiß es nicht
        r"\bkeine(?:rlei)? (?:\w+ )?(?:information|angabe|auskunft|auskünfte|hinweis|antwort|treffer|ergebnis"
        r"|ahnung|kenntnis|daten\b)",
        r"\b(?:finde|fand|finden|steht|stehen|weiß|wissen|sagen|sagt|enthält|enthalten) (?:\w+ ){0,5}?nichts\b",
        r"\bnichts? (?:\w+ ){0,3}?(?:sagen|gesagt|beantworten|finden|gefunden|hervor|entnehmen|bekannt|enthalten"
        r"|angegeben|erwähnt)",
        r"\b(?:ich|wir) (?:weiß|wissen) (?:es |das |dazu )?(?:leider )?nicht",
        r"\b(?:weiß|wissen) (?:ich|wir) (?:es |das |dazu )?(?:leider )?nicht",
        # dabei kann ich Ihnen leider nicht helfen; ich konnte es nicht finden; da bin ich überfragt
        r"\b(?:kann|können|konnte|konnten) (?:ich|wir) (?:\w+ ){0,4}?nicht (?:\w+ )?(?:weiter)?(?:helfen|beurteilen)\b",
        r"\b(?:ich|wir) (?:kann|können|konnte|konnten) (?:\w+ ){0,5}?nicht (?:\w+ )?(?:weiter)?(?:helfen|beurteilen)\b",
        r"\bnicht beantwort(?:en|et|bar)\b|\büberfragt\b|\bliegt (?:\w+ ){0,4}?nichts vor\b",
        rf"\b{_QUELLE}\w* (?:sagen|sagt|verraten|verrät) (?:\w+ ){{0,3}}?nicht\b",
        rf"\b{_QUELLE}\w* (?:\w+ ){{0,3}}?nicht (?:enthalten|erwähnt|angegeben|genannt|zu finden)",
    ),
    "fr": (
        r"\bje (?:ne |n['’])(?:le |l['’]|la )?(?:sais|connais) pas\b|\baucune idée\b",
        r"\b(?:je|nous) ne (?:peux|pouvons|puis)(?: malheureusement)? pas (?:\w+ ){0,2}?"
        r"(?:aider|répondre|dire|trouver|déterminer)",
        r"\bne (?:suis|sommes)(?: malheureusement)? pas en mesure\b",
        r"\b(?:n['’]ai|n['’]avons|n['’]y a|ne dispose|ne disposons|ne trouve|n['’]ai trouvé) (?:malheureusement )?"
        r"(?:pas|aucune?|rien)\b.{0,30}?(?:information|réponse|donnée|renseignement|trouvé|mention|précision)",
        rf"\b{_SOURCE_FR}\b.{{0,30}}?\bn(?:e |['’])(?:\w+ ){{1,2}}?(?:pas|rien|aucune?)\b",
        rf"\b(?:ne figure|n['’]est|n['’]apparaît) pas (?:\w+ ){{0,2}}?(?:dans|par) (?:\w+ ){{0,2}}?{_SOURCE_FR}\b",
    ),
    "es": (
        r"(?:^|[,;.] ?|\byo )no (?:lo )?sé\b",
        r"\bno (?:le |te |lo )?(?:puedo|podemos|pude)(?: \w+)? ?"
        r"(?:ayudar|responder|contestar|decir|encontrar|determinar)",
        r"\bno (?:tengo|tenemos|dispongo|disponemos|cuento|hay|encuentro|encontré|he encontrado|se encontró)\b.{0,30}?"
        r"(?:información|datos|respuesta|mención|detalles|nada|resultados)",
        rf"\b{_FUENTE}\b.{{0,25}}?\bno (?:\w+ )?(?:mencion|contien|indic|dice|especific|incluy|respond|habla)",
        rf"\bno se (?:\w+ )?(?:menciona|indica|especifica|encuentra|dice)\b.{{0,20}}?\b{_FUENTE}\b",
    ),
}
"""Patterns of such sentences, by language; every repetition is bounded, so a search takes linear time."""

_DECLINES = re.compile("|".join(chain.from_iterable(PATTERNS.values())), re.IGNORECASE)

_WHO = "(?:agent|advis[eo]r|colleague|department|desk|expert|staff|support|team)s?"
HINTS = (
    # please contact us; you could speak to a colleague; feel free to write to the team; I'd suggest calling a lawyer
    r"(?:^\W*|, |\b(?:please|kindly|you (?:can|could|may|might|should)|(?:best|free|have|need|try|welcome) to|try"
    r"|recommend|suggest)\b(?: \w+){0,3}? )(?:contact|ask(?! for\b|ing for\b)|consult|reach|get in touch"
    r"|check|visit|refer to|speak (?:to|with)|talk to|(?:turn|writ(?:e|ing)) to"
    r"|(?:call|ring|phone|e-?mail)(?:ing)? (?:us|our|the|your|an?)\b)",
    # a colleague will get back to you; our team will be happy to help
    rf"\b{_WHO} (?:will|can|would|is|are) (?:\w+ ){{0,4}}?(?:get back|be in touch|help|assist|advise|answer)\b",
    rf"\b{_WHO} can\W*$",
    r"\b(?:wenden|melden) Sie sich\b|\b(?:kontaktieren|fragen|schreiben) Sie\b|\brufen Sie\b.{0,40}?\ban\b",
    r"\bwende dich\b|\bSie können\b.{0,60}?\b(?:anrufen|kontaktieren|fragen|schreiben|wenden)\b",
    r"\b(?:hilft|helfen|berät|beraten) (?:Ihnen|dir|Sie|dich)\b|\bmeldet sich\b",
    r"\b(?:contactez|appelez|écrivez|demandez|adressez)[- ]|\bveuillez (?:contacter|appeler|demander)\b",
    r"\b(?:contacte|llame|escriba|pregunte|consulte|póngase en contacto)\b",
)
"""Patterns of sentences that refer the reader to others, of all languages."""

_HINTS = re.compile("|".join(HINTS), re.IGNORECASE)
_TURN = re.compile(
    r"[;:]\s+|\s[-–]\s|—|,?\s(?=but\s)|,\s(?=(?:although|though|however|yet|aber|jedoch|allerdings|doch|obwohl)\b)",
    re.IGNORECASE,
)
_TURNING = re.compile(
    r"^(?:but|although|though|however|yet|aber|jedoch|allerdings|doch|obwohl)\b,?\s*", re.IGNORECASE
)
"""Where a sentence may go on with something else, and the words with which it does."""


def declines(sentence: str) -> bool:
    """Return True if a sentence says that something is not known, was not found or cannot be said.

    It is recognized by patterns in English, German, French and Spanish.
    """
    return _DECLINES.search(sentence) is not None


def refers(sentence: str) -> bool:
    """Return True if a sentence tells the reader whom to contact, by patterns in the same languages."""
    return _HINTS.search(sentence) is not None


def clauses_that_claim(sentence: str) -> tuple[list[str], list[str]]:
    """Return what a declining sentence may claim all the same: its clauses, parted by *but*, a colon and the like, that
    neither decline nor refer to others (``I do not know, but every shed is covered``).

    Returns:
        The clauses before the one that declines (without those about the writer), and the clauses after it.
    """
    before, after = list[str](), list[str]()
    declined = False
    for part in _TURN.split(sentence):
        clause = _TURNING.sub("", part, count=1)
        if declines(clause):
            declined = True
        elif len(clause.split()) >= _CLAUSE and not refers(clause) and not _WRITER.match(clause):
            (after if declined else before).append(clause)
    return (before, after) if declined else ([], [])


_CLAUSE = 3
"""The fewest words of a clause that claims something."""
_WRITER = re.compile(r"\W*(?:I|thanks?|sorry|ich|vielen dank|danke|tut mir)\b", re.IGNORECASE)
