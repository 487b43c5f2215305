"""Contradict a sentence of another language than English by rule: its figures in any language; a name, a degree or a
negation where grammar lets one word stand for another (German, French, Spanish; names in Portuguese, too).

Words are exchanged for words of the same class, gender and number, so that the sentence stays grammatical. A negation
comes last: it takes the claim back, as the rules for English never do.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache

from conqret.perturb.changed_numbers import cased
from conqret.perturb.contradictions import Contradiction, pairs
from conqret.perturb.other_figures import other_figures
from conqret.perturb.sentence_edits import split_close

_DEGREES = {
    "de": pairs(
        "oft/fast immer, häufig/fast immer, selten/nie, seltener/nie mehr, meist/ausnahmslos, meistens/ausnahmslos, "
        "manchmal/meistens, Wochen/Monate, Monate/Wochen, Jahre/Monate, Tage/Wochen, Stunden/Minuten, Minuten/Stunden, "
        "wöchentlich/monatlich, monatlich/wöchentlich, jährlich/monatlich, Sommer/Winter, Winter/Sommer, "
        "Frühling/Herbst, Herbst/Frühling, Norden/Süden, Süden/Norden, Osten/Westen, Westen/Osten, "
        "Millionen/Milliarden, Milliarden/Millionen, Mio/Mrd, Mrd/Mio, verdoppelt/verdreifacht, "
        "verdreifacht/verdoppelt, Städten/Dörfern, Städte/Dörfer, Dörfer/Städte, Dörfern/Städten, "
        "Lehrer/Schüler, Lehrern/Schülern, Schüler/Lehrer, Schülern/Lehrern, morgens/abends, abends/morgens"
    ),
    "fr": pairs(
        "souvent/presque toujours, parfois/presque toujours, semaines/heures, heures/minutes, minutes/heures, "
        "jours/mois, mois/jours, millions/milliards, milliards/millions, doublé/triplé, triplé/doublé, "
        "doublée/triplée, étés/hivers, hivers/étés, printemps/hiver, nord/sud, sud/nord, matin/soir, soir/matin, "
        "hebdomadaire/mensuel, mensuel/hebdomadaire, élèves/enseignants, enseignants/élèves"
    ),
    "es": pairs(
        "a menudo/casi siempre, con frecuencia/casi siempre, a veces/casi siempre, semanas/horas, horas/semanas, "
        "meses/años, años/meses, días/meses, veranos/inviernos, inviernos/veranos, verano/invierno, invierno/verano, "
        "norte/sur, sur/norte, duplicó/triplicó, triplicó/duplicó, duplicado/triplicado, alumnos/profesores, "
        "profesores/alumnos, mensual/semanal, semanal/mensual, anual/mensual"
    ),
}
"""How much, how often, how long, who and when: the same claim with another degree or detail."""

NAMES_OF = {
    "de": ("Hallbrunn", "Merenthal", "Ostermeyn", "Brackwitz", "Tannfels", "Wolkersen"),
    "fr": ("Valcourt", "Merisier", "Aubremont", "Delorval", "Tissandre", "Courbenoît"),
    "es": ("Valderroble", "Monterrubia", "Echevalle", "Larrondosa", "Villatorre", "Quintanal"),
    "pt": ("Valdeiro", "Montalvar", "Figueirol", "Sardoeira", "Quintanes", "Albergal"),
}
"""Family names that nobody whom the documents name has."""

_NAMED_BY_CAPITALS = frozenset({"fr", "es", "pt"})
_name = re.compile(r"(?<!^)(?<![.!?:«“„¿¡(] )(?<![«“„¿¡(\n])\b[^\W\d_a-zß-öø-ÿœ][^\W\d_A-ZÀ-ÖØ-Þ]+\b(?!-)")

_ES_VERB = "es|son|era|eran|fue|fueron|está|están|puede|pueden|podría|podrían|ha|han|tiene|tienen|hay|había|debe|deben"
_FR_VERB = "est|sont|était|étaient|peut|peuvent|a|ont|avait|avaient|doit|doivent"


@dataclass(frozen=True, slots=True)
class _Negation:
    """A pattern, and what stands in its place; in a language's order of preference."""

    pattern: str
    replacement: str


_NEGATIONS = {
    "de": (
        _Negation(r"(?<=\w )nicht (?!nur\b|mehr\b|zuletzt\b|erst\b)", ""),
        _Negation(r"\bkein(?=(?:en|em|es)?\b)", "ein"),
        _Negation(r"\b(?:niemals|nie)\b(?! mehr\b)", "immer"),
        _Negation(r"\b(?P<verb>ist|sind|war|waren)(?= [a-zäöüß]+\Z)", r"\g<verb> nicht"),
    ),
    "fr": (
        _Negation(rf"\bne (?P<verb>{_FR_VERB}) pas\b", r"\g<verb>"),
        _Negation(rf"\bn['’](?P<verb>{_FR_VERB}) pas\b", r"\g<verb>"),
        _Negation(
            r"(?<![\w’'-])(?<!\b[nlmts]e )(?<!\bl[ae] )(?<!\b[nv]ous )(?<!\bles )(?<!\blui )(?<!\by )(?<!\ben )"
            r"(?P<verb>est|était|étaient|a|ont|avait|avaient)(?P<also> donc| aussi)?(?![\w’'-]| pas\b| jamais\b)",
            r"n'\g<verb>\g<also> pas",
        ),
        _Negation(
            r"(?<![\w’'-])(?<!\b[nlmts]e )(?<!\bl[ae] )(?<!\b[nv]ous )(?<!\bles )(?<!\blui )(?<!\by )(?<!\ben )"
            r"(?P<verb>sont|peut|peuvent|doit|doivent)(?P<also> donc| aussi)?(?![\w’'-]| pas\b| jamais\b)",
            r"ne \g<verb>\g<also> pas",
        ),
    ),
    "es": (
        _Negation(rf"\bno (?P<verb>(?:(?:se|le|lo|les|los) )?(?:{_ES_VERB}))\b", r"\g<verb>"),
        _Negation(
            rf"(?<!\bno )(?<!\bnunca )(?P<verb>\b(?:se |le |lo |les |los )?(?:{_ES_VERB}))\b", r"no \g<verb>"
        ),
    ),
}


def other_contradiction(
    sentence: str, source: str, topic: str, language: str, rng: random.Random
) -> Contradiction | None:
    """``sentence`` changed so that ``source`` no longer bears it out; its citations stay, and so do the figures and
    names of the ``topic``. None where no rule of its language changes it."""
    body, close = split_close(sentence)
    rules = [("number", other_figures), ("name", _other_name)]
    rng.shuffle(rules)
    for kind, rule in (*rules, ("degree", _other_degree), ("negation", _negated)):
        changed = rule(body, source, topic, language, rng)
        if changed is not None and changed != body:
            return Contradiction(changed + close, kind)
    return None


def other_name(language: str, known: str, rng: random.Random) -> str | None:
    """A name for a text of this language that does not stand in what is ``known``; None where there is none."""
    strangers = [name for name in NAMES_OF.get(language, ()) if name not in known]
    return rng.choice(strangers) if strangers else None


def _other_name(body: str, source: str, topic: str, language: str, rng: random.Random) -> str | None:
    if language not in _NAMED_BY_CAPITALS:
        return None
    names = [name for name in _name.findall(body) if name in source and name not in topic]
    new = other_name(language, f"{source}\n{body}", rng)
    if not names or new is None:
        return None
    return re.sub(rf"\b{re.escape(rng.choice(names))}\b", new, body)


def _other_degree(body: str, source: str, topic: str, language: str, rng: random.Random) -> str | None:
    degrees = _DEGREES.get(language, {})
    there = [word for word in degrees if _word(word).search(body)]
    if not there:
        return None
    old = rng.choice(there)
    return _word(old).sub(lambda match: cased(degrees[old], match.group()), body)


@cache
def _word(text: str) -> re.Pattern[str]:
    """``text`` as a whole word, with or without a capital at the start of the sentence."""
    return re.compile(rf"(?<![\w-])(?:{text}|^{text[0].upper()}{text[1:]})(?![\w-])")


def _negated(body: str, source: str, topic: str, language: str, rng: random.Random) -> str | None:
    """A negation taken out where there is one, else put in where a verb stands that takes it."""
    for negation in _NEGATIONS.get(language, ()):
        changed, count = re.subn(negation.pattern, negation.replacement, body, count=1)
        if count:
            return changed
    return None
