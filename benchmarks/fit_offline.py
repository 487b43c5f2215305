"""The fitted weights of the offline baseline, and what they reach on topics left out.

    CONQRET_DATA=… python benchmarks/fit_offline.py            # prints the figures, writes nothing (two minutes)
    CONQRET_DATA=… python benchmarks/fit_offline.py --write    # and writes conqret/baseline/fitted.json

Needs Webis-ArgQuality-20 (Gienapp et al., ACL 2020) and UKPConvArg1Strict (Habernal and Gurevych, ACL 2016) in the
folder that CONQRET_DATA names, and scikit-learn.

**Preference**: logistic regression without intercept on the difference of the two texts' features, on the pairs of
UKPConvArg1Strict; a debate with both of its sides is left out at a time.

**Quality** (logical = cogency, rhetorical = effectiveness, dialectical = reasonableness): people reward length, and a
fit on all texts at once learns little else. So features and target (the share of texts that are rated lower) are taken
as differences from the mean of their topic and fifth of length, and ridge regression sees nothing but differences
between texts of a topic that are about equally long. How much length itself weighs is found within the fifths, too.
At last, one intercept and one slope turn the score into log-odds of the share of all texts of both sets that score
lower, so that ratings use the whole of a scale, for short comments as for long ones. A topic is left out at a time.

Intervals are 95% intervals over topics or debates.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from harness import arguments, csv_rows, data, interval
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

from conqret.baseline.text_quality import WEIGHTS, WIDEST, surface
from conqret.stats.resampling import mean_interval
from conqret.text.analysis import Text

DIMENSIONS = {"cogency": "Logical Quality", "effectiveness": "Rhetorical Quality",
              "reasonableness": "Dialectical Quality"}  # fmt: skip
BANDS = 5  # fifths of the length in characters, which goes further than words do (over all .73, .74, .73)
RIDGE = 30.0  # results stay the same from 3 to 100
INVERSE_PENALTY = 0.01  # of the logistic regression; results stay the same from .001 to 10
DECIMALS = 4

Array = np.ndarray[Any, Any]


class Pairs(NamedTuple):
    """Two texts each, which of them convinces more people (1: the first), and the debate."""

    first: list[str]
    second: list[str]
    label: Array
    debate: Array


class Rated(NamedTuple):
    """Texts with their topic, and their published quality by dimension."""

    text: list[str]
    topic: Array
    quality: dict[str, Array]


def ukp_files() -> list[Path]:
    """One file a side of a debate; its name begins with the debate's."""
    return sorted((data("ukpconvarg1") / "ukpconvarg1").glob("UKPConvArg1Strict-CSV/*.csv"))


def webis_file() -> Path:
    """The rated arguments."""
    return data("webis-argquality20") / "webis-argquality20" / "webis-argquality20-arguments.csv"


def pairs() -> Pairs:
    """The pairs of UKPConvArg1Strict, ``<br/>`` as a new line."""
    rows = [
        (path.stem.partition("_")[0], *line.split("\t"))
        for path in ukp_files()
        for line in path.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    return Pairs(
        [_plain(row[3]) for row in rows],
        [_plain(row[4]) for row in rows],
        np.array([row[2] == "a1" for row in rows], dtype=int),
        np.array([row[0] for row in rows]),
    )


def _plain(text: str) -> str:
    return html.unescape(re.sub(r"\s*<br/>\s*", "\n", text))


def rated() -> Rated:
    """The premises of Webis-ArgQuality-20 with their quality."""
    rows = csv_rows(webis_file())
    return Rated(
        [row["Premise"].strip() for row in rows],
        np.array([row["Topic ID"] for row in rows]),
        {name: np.array([float(row[column]) for row in rows]) for name, column in DIMENSIONS.items()},
    )


class Scale(NamedTuple):
    """Mean and standard deviation of each feature; what stands in the file."""

    names: tuple[str, ...]
    mean: Array
    sd: Array

    @classmethod
    def of(cls, texts: Iterable[str]) -> Scale:
        """The scale of the features over ``texts``, rounded as it is written."""
        rows = [surface(Text(text)) for text in texts]
        values = np.array([list(row.values()) for row in rows])
        mean, sd = values.mean(axis=0).round(DECIMALS), values.std(axis=0).round(DECIMALS)
        return cls(tuple(rows[0]), mean, sd)

    def of_texts(self, texts: Sequence[str]) -> Array:
        """Standardised features, a row a text, as `conqret.baseline.text_quality` standardises them."""
        known = {text: list(surface(Text(text)).values()) for text in set(texts)}
        return np.clip((np.array([known[text] for text in texts]) - self.mean) / self.sd, -WIDEST, WIDEST)


def fit_preference(difference: Array, label: Array) -> Array:
    """The weights of a preference."""
    model = LogisticRegression(C=INVERSE_PENALTY, fit_intercept=False).fit(difference, label)
    return np.asarray(model.coef_[0])


def fit_quality(z: Array, quality: Array, topic: Array, band: Array, reference: Array) -> tuple[float, Array]:
    """Intercept and weights of one quality, in log-odds of the share of ``reference`` that scores lower."""
    groups = np.array([f"{t}/{b}" for t, b in zip(topic, band, strict=True)])
    share = (rankdata(quality) - 0.5) / len(quality)
    near, target = centred(z, groups), centred(share[:, None], groups)[:, 0]
    penalty = np.diag([0.0] + [RIDGE] * (z.shape[1] - 1))  # length is the first feature, and goes free
    weights = np.linalg.solve(near.T @ near + penalty, near.T @ target)
    score = reference @ weights
    lower = (rankdata(score) - 0.5) / len(score)
    won = np.repeat([1, 0], len(score)), np.concatenate([lower, 1 - lower])
    line = LogisticRegression(C=np.inf).fit(np.tile(score, 2)[:, None], won[0], sample_weight=won[1])
    return float(line.intercept_[0]), weights * float(line.coef_[0, 0])


def centred(values: Array, groups: Array) -> Array:
    """``values`` less the mean of their group."""
    found = values.astype(float).copy()
    for group in np.unique(groups):
        found[groups == group] -= found[groups == group].mean(axis=0)
    return found


def bands(length: Array) -> Array:
    """The fifth of length that each text is in."""
    return np.searchsorted(np.quantile(length, np.arange(1, BANDS) / BANDS), length)


def within(score: Array, quality: Array, groups: Array) -> float:
    """Spearman's rho within groups, averaged with their sizes as weights; groups that do not vary are left out."""
    sizes, values = [], []
    for group in np.unique(groups):
        here = groups == group
        if np.ptp(score[here]) and np.ptp(quality[here]):
            sizes.append(here.sum())
            values.append(np.corrcoef(rankdata(score[here]), rankdata(quality[here]))[0, 1])
    return float(np.average(values, weights=sizes))


def preference(data: Pairs, scale: Scale) -> tuple[Array, dict[str, str]]:
    """The weights on all debates, and the accuracy on debates left out beside that of the longer text."""
    difference = scale.of_texts(data.first) - scale.of_texts(data.second)
    margin = np.zeros(len(data.label))
    for debate in np.unique(data.debate):
        out = data.debate == debate
        margin[out] = difference[out] @ fit_preference(difference[~out], data.label[~out])
    longer = np.array([len(a) - len(b) for a, b in zip(data.first, data.second, strict=True)])
    correct, trivial = (margin > 0) == data.label, (longer > 0) == data.label
    for debate in np.unique(data.debate):
        out = data.debate == debate
        print(f"  {debate[:50]:52} {correct[out].mean():.3f}   longer {trivial[out].mean():.3f}")
    figures = {
        name: str(mean_interval(right, data.debate.tolist(), scale="share"))
        for name, right in (("accuracy", correct), ("accuracy of the longer text", trivial))
    }
    print("  accuracy, difference", mean_interval(correct * 1.0 - trivial, data.debate.tolist()))
    return fit_preference(difference, data.label), figures


def quality(
    data: Rated, others: Sequence[str], scale: Scale, name: str
) -> tuple[float, Array, dict[str, str]]:
    """The model of one quality on all topics, and Spearman's rho on topics left out beside that of length."""
    z, target = scale.of_texts(data.text), data.quality[name]
    reference = np.vstack([z, scale.of_texts(others)])
    length = np.array([len(text) for text in data.text])
    band = bands(length)
    score = np.zeros(len(target))
    for topic in np.unique(data.topic):
        out = data.topic == topic
        intercept, weights = fit_quality(z[~out], target[~out], data.topic[~out], band[~out], reference)
        score[out] = intercept + z[out] @ weights
    both = np.array([f"{t}/{b}" for t, b in zip(data.topic, band, strict=True)])
    whole = np.zeros(len(target))
    rounded = np.round(2 / (1 + np.exp(-score)))
    figures = {}
    for title, groups in (("over all", whole), ("within topics", data.topic), ("within bands of length", band),
                          ("within topic and band", both)):  # fmt: skip
        for what, values in (("", score), (", on three points", rounded), (", length alone", length)):
            figures[title + what] = str(
                interval(
                    lambda rows, v=values, g=groups: within(v[rows], target[rows], g[rows]),
                    data.topic.tolist(),
                )
            )
        for what, values in (("", score), (", on three points", rounded)):
            gap = interval(
                lambda rows, v=values, g=groups: (
                    within(v[rows], target[rows], g[rows]) - within(length[rows], target[rows], g[rows])
                ),
                data.topic.tolist(),
            )
            print(f"  {name}, {title}{what}, difference from length alone: {gap}")
    return *fit_quality(z, target, data.topic, band, reference), figures


def digest(files: Iterable[Path]) -> str:
    """SHA-256 of the files, one after another."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--write", action="store_true", help="write conqret/baseline/fitted.json")
    options = parser.parse_args()
    compared, judged = pairs(), rated()
    scale = Scale.of(judged.text)
    models: dict[str, Any] = {}
    weights, figures = preference(compared, scale)
    models["preference"] = model(scale, 0.0, weights, figures)
    others = sorted({*compared.first, *compared.second})
    for name in DIMENSIONS:
        intercept, weights, figures = quality(judged, others, scale, name)
        models[name] = model(scale, intercept, weights, figures)
    for name, one in models.items():
        print(name, json.dumps(one["weights"]))
        for title, figure in one["left_out"].items():
            print(f"  {title:40} {figure}")
    if options.write:
        text = json.dumps(held(scale, models, len(compared.label), len(judged.text)), indent=1)
        WEIGHTS.write_text(text + "\n", encoding="utf-8")
        print(WEIGHTS)


def model(scale: Scale, intercept: float, weights: Array, figures: dict[str, str]) -> dict[str, Any]:
    """One model as it is written."""
    return {
        "intercept": round(intercept, DECIMALS),
        "weights": dict(zip(scale.names, weights.round(DECIMALS).tolist(), strict=True)),
        "left_out": figures,
    }


def held(scale: Scale, models: dict[str, Any], pairs: int, texts: int) -> dict[str, Any]:
    """The whole file: where the numbers come from, the features' scale, the models."""
    rows = zip(scale.names, scale.mean.tolist(), scale.sd.tolist(), strict=True)
    return {
        "provenance": {
            "made_by": "benchmarks/fit_offline.py --write",
            "preference": {
                "data": "UKPConvArg1Strict, 12 of its 16 debates (Habernal and Gurevych, ACL 2016; CC BY 4.0)",
                "pairs": pairs,
                "sha256": digest(ukp_files()),
            },
            "quality": {
                "data": "Webis-ArgQuality-20 (Gienapp et al., ACL 2020)",
                "texts": texts,
                "sha256": digest([webis_file()]),
            },
            "left_out": "each figure is on topics or debates that the fit had not seen, with its 95% interval",
        },
        "features": {name: {"mean": mean, "sd": sd} for name, mean, sd in rows},
        "models": models,
    }


if __name__ == "__main__":
    main()
