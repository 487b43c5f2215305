"""Does a reference to work that does not exist raise the score? (Authority bias: Chen et al. 2024, section 3.)"""

from __future__ import annotations

from conqret.perturb import Perturbation, inserted_texts
from conqret.perturb.added import among_sentences, languages_of, matched
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

CHANGE, CONTROL = matched(among_sentences, MATCHED, inserted_texts.REFERENCES)

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
    languages=languages_of(inserted_texts.REFERENCES),
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
