"""What a tournament says of arguments whose quality is known: the items, and the figures.

    python benchmarks/tournaments.py items -o tournaments/              draws the items and their labels
    conqret tournament tournaments/webis.jsonl --design random --comparisons 4 ... -o tournaments/webis
    conqret judge tournaments/speeches.jsonl --criterion ... -o tournaments/speeches-ratings     (if ratings are wanted)
    python benchmarks/tournaments.py figures -o tournaments/            compares the strengths with the labels

CONQRET_DATA names the folder with ``webis-argquality20/`` (premises with the quality that follows from paired
comparisons), ``ukpconvarg1/`` (ranks of convincingness) and ``debate_speeches/`` (opening speeches by people and
systems, with fifteen ratings each); none is part of the repository. Topics, and the arguments of a topic, are drawn by
a seed that looks at no label.

Correlations are Spearman's, within each topic, and their mean over topics; length in words stands beside it, and the
tournament after two and three comparisons an argument, which is estimated of the first pairs alone. Intervals are 95%
bootstrap intervals over topics, and differences are paired. Systems are ranked by the mean of their arguments'
strengths and by that of their labels.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from harness import arguments, csv_rows, data, json_rows, write_rows
from numpy.typing import NDArray
from scipy.stats import kendalltau, spearmanr

from conqret.data import Item
from conqret.stats.comparative_judgment import compared_strengths
from conqret.studies.tournament.item_groups import ItemGroup
from conqret.studies.tournament.ranking import pair_outcomes
from conqret.studies.tournament.result import ComparisonResult, Tournament
from conqret.studies.tournament.tournament_run import TournamentFolder

EACH = 8
"""Arguments of a topic."""
DRAWS = 10_000
"""Of the bootstrap."""
SETS = {"webis": 12, "webis-kept-back": 8, "speeches": 12, "speeches-kept-back": 4, "ukp": 8, "ukp-whole": 4}
"""How many topics of each set. Of UKPConvArg1 one side of so many debates; both sides of the others are kept back, and
of the first debates all arguments of that side are a set, too."""
LANGUAGE = "en"
"""Of all of them: some texts are too short to tell."""

Values = NDArray[np.float64]
Label = dict[str, Any]


def _chosen(names: Sequence[str], kind: str, count: int, seed: int) -> list[str]:
    """The topics of a set, by the seed alone."""
    return random.Random(f"{seed}/{kind}").sample(sorted(names), len(names))[:count]


def webis(folder: Path, seed: int, *, kept_back: bool = False) -> Iterator[tuple[Item, Label]]:
    """Premises of Webis-ArgQuality-20 that are arguments; ``kept_back``: those of the topics that are left."""
    place = folder / "webis-argquality20"
    topics = {
        row["Topic ID"]: " ".join(row["Long Query"].split())
        for row in csv_rows(place / "webis-argquality20-topics.csv")
    }
    premises: dict[str, list[dict[str, str]]] = {topic: [] for topic in topics}
    for row in csv_rows(place / "webis-argquality20-arguments.csv"):
        if row["Is Argument?"] == "True" and row["Premise"].strip():
            premises[row["Topic ID"]].append(row)
    order = _chosen(list(topics), "webis", len(topics), seed)
    count = SETS["webis"]
    for topic in order[count : count + SETS["webis-kept-back"]] if kept_back else order[:count]:
        for row in random.Random(f"{seed}/{topic}").sample(premises[topic], EACH):
            item = Item(
                id=f"webis-{topic}-{row['Discussion ID']}-{row['Argument ID']}",
                topic=topics[topic],
                argument=row["Premise"].strip(),
                language=LANGUAGE,
            )
            yield item, {"label": float(row["Combined Quality"])}


def speeches(folder: Path, seed: int, *, kept_back: bool = False) -> Iterator[tuple[Item, Label]]:
    """Opening speeches, with their authors' kind as the system, and the mean of their ratings; ``kept_back``: those of
    the topics that come next."""
    by_topic: dict[str, list[dict[str, str]]] = {}
    for row in csv_rows(folder / "debate_speeches" / "speeches.csv.gz"):
        by_topic.setdefault(row["topic"], []).append(row)
    count = SETS["speeches"]
    order = _chosen(list(by_topic), "speeches", count + SETS["speeches-kept-back"], seed)
    for topic in order[count:] if kept_back else order[:count]:
        rows = sorted(by_topic[topic], key=lambda row: row["id"])
        for row in random.Random(f"{seed}/{topic}").sample(rows, EACH):
            item = Item(
                id=f"s-{row['id'][:8]}",
                topic=topic,
                stance="pro",
                argument=row["text"],
                language=LANGUAGE,
                metadata={"system": row["source"]},
            )
            yield item, {"label": float(np.mean(json.loads(row["goodopeningspeech"])))}


def ukp(
    folder: Path, seed: int, *, kept_back: bool = False, whole: bool = False
) -> Iterator[tuple[Item, Label]]:
    """Arguments of one side of a debate; a rank near 0 is the most convincing one, so that it is turned round.
    ``kept_back``: both sides of the debates that are left; ``whole``: all arguments of the first sides."""
    sides: dict[str, list[Path]] = {}
    for path in sorted((folder / "ukpconvarg1" / "UKPConvArg1-Ranking-CSV").glob("*.csv")):
        sides.setdefault(path.stem.partition("_")[0], []).append(path)
    order, count = _chosen(list(sides), "ukp", len(sides), seed), SETS["ukp"]
    chosen = [random.Random(f"{seed}/{debate}").choice(sides[debate]) for debate in order[:count]]
    if kept_back:
        chosen = [path for debate in order[count:] for path in sides[debate]]
    for path in chosen[: SETS["ukp-whole"]] if whole else chosen:
        debate, _, side = path.stem.partition("_")
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
        for line in lines if whole else random.Random(f"{seed}/{path.stem}").sample(lines, EACH):
            name, rank, text = line.split("\t")
            item = Item(
                id=f"{path.stem[:60]}-{name}",
                topic=f"{_words(debate)} (both arguments are on the side: {_words(side)})",
                argument=text.replace("<br/>", "\n").strip(),
                language=LANGUAGE,
            )
            yield item, {"label": -float(rank)}


def _words(slug: str) -> str:
    return " ".join(slug.replace("-", " ").split())


READERS: dict[str, Callable[[Path, int], Iterator[tuple[Item, Label]]]] = {
    "webis": webis,
    "webis-kept-back": lambda folder, seed: webis(folder, seed, kept_back=True),
    "speeches": speeches,
    "speeches-kept-back": lambda folder, seed: speeches(folder, seed, kept_back=True),
    "ukp": ukp,
    "ukp-kept-back": lambda folder, seed: ukp(folder, seed, kept_back=True),
    "ukp-whole": lambda folder, seed: ukp(folder, seed, whole=True),
}


def draw(folder: Path, out: Path, seed: int) -> None:
    """Write NAME.jsonl and NAME-labels.csv of each set."""
    for name, reader in READERS.items():
        drawn = list(reader(folder, seed))
        write_rows(out / f"{name}.jsonl", [item for item, _ in drawn])
        labels = pl.DataFrame([{"item": item.id} | label for item, label in drawn])
        labels.write_csv(out / f"{name}-labels.csv")
        print(f"{out / name}.jsonl: {len(drawn)} items")


def _spearman(one: Values, other: Values) -> float:
    """The correlation of a topic; one whose values are all alike has no order, and counts as 0."""
    return 0.0 if np.ptp(one) == 0 or np.ptp(other) == 0 else float(spearmanr(one, other).statistic)


def _tau(frame: pl.DataFrame, draws: NDArray[np.intp]) -> Values:
    """Kendall's tau of the systems' means of ``score`` and ``label``, of each draw of topics."""
    sums = {
        name: frame.pivot(on="system", index="topic", values=name, aggregate_function="sum")
        .drop("topic")
        .fill_null(0)
        .to_numpy()
        for name in ("score", "label", "one")
    }
    found = []
    for drawn in draws:
        count = sums["one"][drawn].sum(axis=0)
        there = count > 0
        means = [sums[name][drawn].sum(axis=0)[there] / count[there] for name in ("score", "label")]
        found.append(kendalltau(*means).statistic)
    return np.array(found)


def _interval(values: Values) -> str:
    low, high = np.percentile(values, [2.5, 97.5])
    return f"[{low:.3f}, {high:.3f}]"


def _row(name: str, by_topic: Values, draws: NDArray[np.intp]) -> None:
    print(f"  {name}: {by_topic.mean():.3f} {_interval(by_topic[draws].mean(axis=1))}")


def _print_rows(found: dict[str, Values], draws: NDArray[np.intp]) -> None:
    for way, by_topic in found.items():
        _row({"score": "strength", "words": "length"}.get(way, way), by_topic, draws)
        if way != "score":
            _row(f"strength less {'length' if way == 'words' else way}", found["score"] - by_topic, draws)


def together(found: dict[str, dict[str, Values]], name: str, seed: int) -> None:
    """Print the same of a set with the topics that were kept back of it."""
    both = found.get(name, {}), found.get(f"{name}-kept-back", {})
    if all(both):
        joined = {way: np.concatenate([part[way] for part in both]) for way in both[0]}
        topics = len(joined["score"])
        print(f"{name}, all {topics} topics")
        _print_rows(joined, np.random.default_rng(seed).integers(topics, size=(DRAWS, topics)))


def early(tournament: Tournament, comparisons: float) -> dict[str, float]:
    """The strengths after so many comparisons an argument: of the first pairs of each topic alone."""
    kept: list[ComparisonResult] = []
    for group in tournament.groups:
        made = [each for each in tournament.comparisons if each.group == group.name]
        kept += made[: round(len(group.items) * comparisons / 2)]
    groups = [
        ItemGroup(group.name, tuple(Item(id=item.id, topic=group.name) for item in group.items))
        for group in tournament.groups
    ]
    strengths = compared_strengths(pair_outcomes(groups, kept))
    return {
        item.id: float(value)
        for number, group in enumerate(groups)
        for item, value in zip(group.items, strengths.group(number)[0], strict=True)
    }


def figures(out: Path, name: str, seed: int) -> dict[str, Values]:
    """Print what the tournament in ``out / name`` comes to; the correlations of its topics."""
    tournament = TournamentFolder(out / name).tournament()
    ranked = [(group.name, item) for group in tournament.groups for item in group.items]
    systems = {
        item["id"]: item.get("metadata", {}).get("system", "") for item in json_rows(out / f"{name}.jsonl")
    }
    frame = pl.DataFrame(
        [
            {"item": item.id, "topic": topic, "system": systems[item.id], "score": item.strength, "one": 1}
            | {"words": float(item.words)}
            for topic, item in ranked
        ]
    ).join(pl.read_csv(out / f"{name}-labels.csv"), on="item")
    ways = ["score", "words"]
    for comparisons in (2, 3):
        fewer = early(tournament, comparisons)
        ways.append(f"after {comparisons} comparisons an argument")
        frame = frame.with_columns(frame["item"].replace_strict(fewer).alias(ways[-1]))
    ratings = out / f"{name}-ratings" / "scores.parquet"
    if ratings.exists():
        scores = pl.read_parquet(ratings).filter(pl.col("part").is_null()).select("item", rating="value")
        frame, ways = frame.join(scores, on="item"), [*ways, "rating"]
    topics = frame.partition_by("topic", maintain_order=True)
    rng = np.random.default_rng(seed)
    draws = rng.integers(len(topics), size=(DRAWS, len(topics)))
    found = {
        way: np.array([_spearman(topic[way].to_numpy(), topic["label"].to_numpy()) for topic in topics])
        for way in ways
    }
    answers = [each.outcome for each in tournament.comparisons if each.outcome is not None]
    slight, ties = (
        sum(answer in kind for answer in answers) / len(answers) for kind in ((0.25, 0.75), (0.5,))
    )
    print(f"{name}: {len(topics)} topics, {len(frame)} arguments, {tournament.answered} comparisons")
    print(f"  slightly {slight:.0%}, ties {ties:.0%}, reliability {tournament.reliability or 0:.2f}")
    _print_rows(found, draws)
    if tournament.systems:
        means = dict(frame.group_by("system").agg(pl.col("label").mean()).iter_rows())
        said = {system.name: system.strength.value for system in tournament.systems}
        tau = kendalltau([said[name] for name in means], list(means.values())).statistic
        print(f"  systems' tau by the strengths that the tournament gives them: {tau:.3f}")
        whole = np.arange(len(topics))[None]
        for way in ("score", "words", *(["rating"] if "rating" in ways else [])):
            scored = frame.select("topic", "system", "label", "one", score=pl.col(way))
            taus = _tau(scored, draws[:1000])
            print(
                f"  systems' tau by {way}: {_tau(scored, whole)[0]:.3f} {_interval(taus[np.isfinite(taus)])}"
            )
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("step", choices=("items", "figures"))
    parser.add_argument(
        "-o", "--out", type=Path, required=True, help="folder of items, labels and tournaments"
    )
    parser.add_argument("--seed", type=int, default=13)
    options = parser.parse_args()
    if options.step == "items":
        draw(data("webis-argquality20", "debate_speeches", "ukpconvarg1"), options.out, options.seed)
    else:
        made = [name for name in READERS if (options.out / name / "tournament.json").exists()]
        by_set = {name: figures(options.out, name, options.seed) for name in made}
        for name in READERS:
            together(by_set, name, options.seed)


if __name__ == "__main__":
    main()
