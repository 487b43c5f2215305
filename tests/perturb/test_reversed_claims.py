"""Sentences turned round by rule."""

import pytest

from conqret.perturb import PERTURBATIONS, records
from conqret.perturb.kinds.reversed_claims import turned_round
from conqret.text.citations import citations


@pytest.mark.parametrize(
    ("sentence", "opposite", "kind"),
    [
        ("Jobs rose from 61% to 64% in a year", "Jobs fell from 64% to 61% in a year", "opposite"),
        ("It is not borne out", "It is borne out", "negation"),
        (
            "In towns that are poor, trams would help",
            "In towns that are poor, trams would not help",
            "negation",
        ),
        ("The Chamber found savings", "It is not true that the Chamber found savings", "denial"),
        ("Verrin pays for it", "It is not true that Verrin pays for it", "denial"),
    ],
)
def test_a_sentence_says_the_opposite(sentence, opposite, kind):
    assert turned_round(sentence, "In the town of Verrin") == (opposite, kind)


def test_every_citing_sentence_can_be_turned_round(demo):
    for item in demo:
        (record,) = records(PERTURBATIONS["reverse-share"].apply(item, 100))
        for change in record.changes:
            assert change.before != change.after
            assert citations(change.before) == citations(change.after)
