"""Does a reference to work that does not exist raise the score? (Authority bias: Chen et al. 2024, section 3.)"""

from __future__ import annotations

from conqret.perturb import Perturbation
from conqret.perturb.added import Texts, among_sentences, languages_of, matched
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, QUALITY, expect
from conqret.studies.bias.contrast import Probe, perturbed

REFERENCES = 3

MATCHED = (
    (
        "(Aldermoor and Quist 2019, Transactions on Public Questions 41, pp. 112-131)",
        "(something one might very well say considering these various questions etc.)",
    ),
    (
        "(Vesterholt et al. 2021, The Larkhill Review of Policy 8, p. 77)",
        "(something of this kind, as people say whenever they come to it)",
    ),
    (
        "(Institute for Considered Judgement, Report 14, second edition)",
        "(somewhere between consideration, another thing, as goes often)",
    ),
    (
        "(Prof. I. Tamsin-Brandt, inaugural lecture, University of Westmarch 2018)",
        "(that is to-and-fro considering, sometimes this way, occasionally others)",
    ),
    (
        "(Orrin, Calloway and Dace 2020, Annals of Deliberation 12, table 3)",
        "(all in all, whatever may be considered there, wherever one looked)",
    ),
)
"""Neither the people nor the places of publication exist; none is a mark that points to a document of the item. Beside
each a neutral text of as many words and characters, which refers to nothing."""

_REFERENCES = (
    "(Aldermoor & Quist 2019: 41, 112–131)",
    "(Vesterholt et al. 2021: 8, 77)",
    "(Tamsin-Brandt 2018: 14)",
)

OTHER_REFERENCES: Texts = {
    **dict.fromkeys(("de", "fr", "es", "pt"), _REFERENCES),
    "ru": ("(Алдермур, Квист 2019: 41, 112–131)", "(Вестерхольт 2021: 8, 77)", "(Тамсин-Брандт 2018: 14)"),
    "ar": ("(ألدرمور وكويست 2019: 41، 112–131)", "(فسترهولت 2021: 8، 77)", "(تامسين براندت 2018: 14)"),
    "hi": ("(एल्डरमूर, क्विस्ट 2019: 41, 112–131)", "(वेस्टरहोल्ट 2021: 8, 77)", "(टैमसिन-ब्रांट 2018: 14)"),
    "zh": ("（奥尔德穆尔、奎斯特，2019：41，112–131）", "（韦斯特霍尔特，2021：8，77）", "（塔姆辛-勃兰特，2018：14）"),
    "ja": (
        "（アルダームーア、クイスト 2019：41、112–131）",
        "（ヴェスターホルト 2021：8、77）",
        "（タムシン＝ブラント 2018：14）",
    ),
}  # fmt: skip
"""References to work that does not exist."""

CHANGE, CONTROL = matched(among_sentences, MATCHED, OTHER_REFERENCES)

PERTURBATION = Perturbation(
    name="authority",
    summary="references to work that does not exist",
    unit="references",
    levels=(0, 1, REFERENCES),
    expects=expect(no_rise=(*GROUNDING, *ANSWER, *QUALITY, *PREFERENCE)),
    needs=frozenset({"argument"}),
    source="own; authority bias as in Chen et al. 2024",
    change=CHANGE,
    control=CONTROL,
    languages=languages_of(OTHER_REFERENCES),
    most=None,
)


PROBE = Probe(
    name="authority",
    contrasts=perturbed(
        PERTURBATION,
        REFERENCES,
        name=f"{REFERENCES} invented references added",
        adverse="rise",
        up="higher with invented references",
    ),
    compares="three references to work that does not exist, against neutral text of the same length",
    finds="a rise",
    advice="tell the judge that only the documents count as a source",
    source="Chen et al. 2024; CALM: authority",
)
