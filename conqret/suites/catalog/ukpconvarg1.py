"""UKPConvArg1Strict: which of two arguments on the same side of a debate is more convincing, by crowd
vote.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from conqret.io.checks import filled, identifier
from conqret.io.csv_files import csv_rows
from conqret.suites.suite import Suite, SuiteData, SuiteFile, printed
from conqret.suites.suite_files import data_of_rows, files_present, published, published_rows, word
from conqret.suites.suite_statistics import over_groups, preference_accuracy, preference_half_ties, share

PAIRS = "UKPConvArg1Strict-CSV"
_FIRST, _SECOND = "ee675d2da00795ec8289c7094ad4570481728f33", "7c598e0a02ad2310dc9eb670c55a21b93a33e82f"
DEBATES = {
    "ban-plastic-water-bottles": ("no-bad-for-the-economy", "yes-emergencies-only"),
    "christianity-or-atheism-": ("atheism", "christianity"),
    "evolution-vs-creation": ("creation", "evolution"),
    "firefox-vs-internet-explorer": (
        "it-has-a-cute-logo-oh-and-extensions-err-add-ons",
        "there-s-more-browsers-than-the-ie-firefox-is-an-animal",
    ),
    "gay-marriage-right-or-wrong": ("allowing-gay-marriage-is-right", "allowing-gay-marriage-is-wrong"),
    "human-growth-and-development-should-parents-use-spanking-as-an-option-to-discipline-": ("no", "yes"),
    "if-your-spouse-committed-murder-and-he-or-she-confided-in-you-would-you-turn-them-in-": ("no", "yes"),
    "india-has-the-potential-to-lead-the-world-": ("no-against", "yes-for"),
    "is-it-better-to-have-a-lousy-father-or-to-be-fatherless-": ("fatherless", "lousy-father"),
    "is-porn-wrong-": ("no-is-is-not", "yes-porn-is-wrong"),
    "is-the-school-uniform-a-good-or-bad-idea-": ("bad", "good"),
    "personal-pursuit-or-advancing-the-common-good-": ("advancing-the-commond-good", "personal-pursuit"),
    "pro-choice-vs-pro-life": ("pro-choice", "pro-life"),
    "should-physical-education-be-mandatory-in-schools-": ("no-", "yes-"),
    "tv-is-better-than-books": ("books", "tv"),
    "william-farquhar-ought-to-be-honoured-as-the-rightful-founder-of-singapore": (
        "no-it-is-raffles-",
        "yes-of-course-",
    ),
}
"""The sixteen debates, with the sides of each."""
_CHANGED = (
    "there-s-more-browsers-than-the-ie-firefox-is-an-animal",
    "advancing-the-commond-good",
    "personal-pursuit",
)
SIDES = {
    f"{debate}_{side}": _SECOND if side in _CHANGED else _FIRST
    for debate, sides in DEBATES.items()
    for side in sides
}
"""For each side of a debate, which has a file of its own, a commit that contains the file."""
PAIR = published(
    id=("#id", identifier),
    better=("label", word({"a1": 1.0, "a2": 0.0})),
    first=("a1", filled),
    second=("a2", filled),
)
LONGER = "the longer argument (words)"


def read(folder: Path) -> SuiteData:
    """Read the pairs of all sides in the folder.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    pairs = list(_pairs(folder))
    longer = {pair["id"]: _longer(pair) for pair in pairs}
    return data_of_rows(pairs, "preference", logs={LONGER: {"preference": longer}}, rules=(LONGER,))


def _pairs(folder: Path) -> Iterator[dict[str, Any]]:
    for name in files_present(folder, tuple(f"{PAIRS}/{side}.csv" for side in SIDES), "pairs"):
        side = Path(name).stem
        for row in published_rows(folder, name, PAIR, partial(csv_rows, quoted=False), unique="id"):
            yield {
                "id": f"{side}/{row['id']}",
                "topic": _topic(side),
                "argument": row["first"].replace("<br/>", "\n"),
                "second_argument": row["second"].replace("<br/>", "\n"),
                "preference": row["better"],
                "cluster": side.partition("_")[0],
                "group": side,
            }


def _topic(side: str) -> str:
    """The question of a debate, and the side on which both arguments are, in the words of the file's name."""
    debate, _, of = (part.replace("-", " ").strip() for part in side.partition("_"))
    return f"{debate} (both arguments are on the side: {of})"


def _longer(pair: dict[str, Any]) -> float:
    """The preference for the argument with more words."""
    words = len(pair["argument"].split()) - len(pair["second_argument"].split())
    return 0.5 + 0.5 * ((words > 0) - (words < 0))


SUITE = Suite(
    name="ukpconvarg1",
    title="UKPConvArg1Strict",
    question="Which of two arguments on the same side of a debate convinces more?",
    source=(
        "Habernal and Gurevych, Which argument is more convincing?, ACL 2016, https://aclanthology.org/P16-1150/"
    ),
    license="CC-BY-4.0: use and pass on with attribution",
    files=tuple(
        SuiteFile(
            f"{PAIRS}/{side}.csv",
            "UKPLab/acl2016-convincing-arguments",
            commit,
            f"data/{PAIRS}/{side}.csv",
            optional=True,
        )
        for side, commit in SIDES.items()
    ),
    public_since="2016-06",
    task="preference",
    read=read,
    metrics=("preference",),
    judging={"format": "direct"},
    statistics=(
        share(
            "accuracy",
            "share of pairs whose more convincing argument is preferred, a tie counting as half: mean over the "
            "sides of the debates",
            over_groups(preference_half_ties),
            chance=0.5,
        ),
        share(
            "accuracy_ties_wrong",
            "the same, but a tie is wrong",
            over_groups(preference_accuracy),
            chance=0.5,
        ),
    ),
    published=printed(
        {"SVM with linguistic features": [0.78], "bidirectional LSTM": [0.76]},
        ["accuracy"],
        2,
        "cross-topic evaluation",
        note="mean over all 32 sides; the predictions were not released",
    ),
    whole={"items": 11_650, "clusters": 16},
    about="debates and arguments",
)
