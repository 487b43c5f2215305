"""The same said in other words: a share of the argument's sentences rewritten without a change of meaning.

By a model; or by rule, which exchanges set phrases and reporting words for others that mean the same wherever
they stand, and touches nothing else. That is a weak paraphrase, and an honest one: a sentence without such a
phrase stays as it is, and the record says how many sentences could be rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from conqret.data.sentences import sentences
from conqret.perturb.base import Change, Changed, Draw, InapplicableError, Perturbation
from conqret.perturb.expectations import EVERYTHING, expect
from conqret.perturb.sentences import replace_sentences, same_elsewhere

PROMPT = "perturb/paraphrase"

_SAME = {
    "because of": "owing to", "owing to": "because of", "in order to": "so as to", "such as": "for instance",
    "for example": "for instance", "for instance": "for example", "however": "nevertheless",
    "nevertheless": "however", "moreover": "furthermore", "furthermore": "moreover", "in addition": "besides",
    "therefore": "for that reason", "as well as": "and also", "a number of": "several", "at least": "no fewer than",
    "according to": "as reported by", "while": "whereas", "whereas": "while", "although": "even though",
    "even though": "although", "whether": "whether or not", "about": "roughly", "roughly": "about",
    "around": "about", "nearly": "almost", "almost": "nearly", "more than": "over", "per cent": "percent",
    "percent": "per cent", "so that": "in such a way that", "instead of": "rather than", "until": "up to the time when",
    "every": "each", "because": "since", "also": "likewise", "but": "yet", "wherever": "in every place where",
    "whenever": "every time", "children": "youngsters", "people": "persons", "showed": "made clear",
    "shows": "makes clear", "found": "established", "begin": "start", "began": "started", "buy": "purchase",
    "help": "assist", "enough": "sufficient", "often": "frequently", "often enough": "frequently enough",
    "use": "make use of", "used to": "formerly would", "said": "stated", "says": "states", "and whoever": "and anyone who",
}  # fmt: skip
_RISKY = frozenset({"about", "around", "but", "used to", "use", "found", "because", "until", "help", "over", "at least"})
_PHRASES = {old: new for old, new in _SAME.items() if old not in _RISKY}
"""Those whose replacement fits grammatically wherever the phrase stands."""

_phrase = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _PHRASES), key=len, reverse=True))})\b", re.IGNORECASE)
