"""Aspects under which public questions are debated, each with the words that give it away."""

from __future__ import annotations

from conqret.text.analysis import Sentence

_ASPECTS = {
    "Cost and who pays": "cost price pay money tax budget expensive fund spend afford million billion",
    "Effect on the economy and jobs": "economy job employ business market wage trade industry growth worker",
    "Individual rights and freedom": "right freedom liberty choice consent autonomy constitution privacy",
    "Health": "health disease medical doctor patient hospital illness treatment drug harm",
    "Safety and crime": "safe danger risk crime police violence accident injury protect security death",
    "Fairness and equality": "fair equal justice discriminate poor rich inequality minority bias poverty",
    "Enforcement and practical workability": "enforce implement practice rule penalty comply inspect evade",
    "Law and precedent": "law court legal constitution precedent judge statute legislation regulate",
    "Children, families and schools": "child parent family school teacher student young education learn",
    "The environment and animals": "environment climate animal nature pollution species energy waste carbon",
    "Morality and values": "moral ethics value religion wrong dignity duty responsible belief",
    "What research and figures show": "study research evidence survey data report statistics percent found scientist",
    "Alternatives": "alternative instead option substitute replace reform other solution",
    "Experience elsewhere and in the past": "country state city history year example abroad elsewhere nation",
    "Unintended consequences": "consequence unintended lead cause effect result increase decline worse",
    "Public opinion and democracy": "public opinion vote poll majority democracy election people citizen voter",
    "Who benefits and who loses": "benefit gain lose interest group help hurt company consumer",
    "Long-term outcomes": "future long generation lasting decade term sustainable later permanent",
    "Role of government": "government state federal policy minister council authority regulate intervene",
    "Quality of life and community": "community life social society culture neighbour people live happy family",
    "Technology and innovation": "technology computer internet machine innovation software data electronic",
    "Trust and accountability": "trust transparency accountable corruption fraud honest audit secret abuse",
}
ASPECTS: dict[str, frozenset[str]] = {name: Sentence(words).terms for name, words in _ASPECTS.items()}
"""Aspect to the stems of its words, in the order in which nuggets use them."""
