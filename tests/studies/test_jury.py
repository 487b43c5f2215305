"""Juries: what comes of their members' scores, what they gain, and the run that they leave."""

import json
from dataclasses import replace

import numpy as np
import pytest

from conqret.data import Call, Item, Measure, Part, Reason, Status, Trace
from conqret.errors import DeclarationError
from conqret.io.jsonl import compact
from conqret.io.label_set import LabelScale, Unit
from conqret.io.labels import read_labels
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.recorded_requests import OF_MEMBERS, requests_of
from conqret.runs.session import SessionCounts
from conqret.stats.agreement import alphas
from conqret.stats.resampling import leave_one_out
from conqret.studies.compare.compare_judges import FoldedChoice, SharedUnits, UnitSides
from conqret.studies.jury.jury_run import Ballots, jury
from conqret.studies.jury.result import jury_page, jury_tables
from tests.judging.runs import execution
from tests.studies.judged import judgment, scored

TOPICS, EACH = 12, 5


def shared(people, judges):
    """Judges and people in [0, 1] on the items of topics."""
    side = UnitSides(
        people, judges, LabelScale("interval", 0.0, 1.0), (len(people),) * len(judges), placed=True
    )
    units = tuple(Unit(f"i{place}") for place in range(len(people)))
    clusters = tuple(f"t{place // EACH}" for place in range(len(people)))
    return SharedUnits(tuple("abcdef"[: len(judges)]), units, clusters, "topic", {"clarity": side})


def items(topics=TOPICS, each=EACH):
    return [
        Item(id=f"i{topic}-{place}", topic=f"t{topic}", argument="It is so.")
        for topic in range(topics)
        for place in range(each)
    ]


def written(folder, values, given=None):
    """A run of a judge that says these ``values`` (None: it refuses), by item."""
    plan = execution(folder, given or items(), name="listwise", metrics=("clarity",))
    run, record = plan.folder, plan.record
    lines = []
    for item in plan.source:
        value = values[item.id]
        measure = Measure.missing(Reason.REFUSAL) if value is None else scored(value)
        one = judgment(item.id, {"clarity": measure}, topic=item.topic, fingerprint=record.fingerprint)
        one = one.model_copy(update={"trace": Trace(calls=(Call(key=item.id, ask="listwise"),))})
        lines.append(compact(one.model_dump(mode="json")) + b"\n")
    with run.claimed(record, begin=lambda: run.write_items(plan.source)):
        run.judgments_file.write_bytes(b"".join(lines))
        with run.rows() as rows:
            run.write_results(rows, SessionCounts())
    return folder


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three runs whose errors are independent, a fourth that errs as the third does, and labels."""
    folder = tmp_path_factory.mktemp("jury")
    rng = np.random.default_rng(7)
    worth = {item.id: rng.uniform() for item in items()}
    off = 0.35 * rng.normal(size=(3, len(worth)))
    errors = dict(zip("abcd", [*off, off[2] + 0.02 * rng.normal(size=len(worth))], strict=True))
    for name, error in errors.items():
        values = np.clip(np.array(list(worth.values())) + error, 0, 1).tolist()
        said = dict(zip(worth, values, strict=True))
        if name == "d":
            said["i3-1"] = None
        written(folder / name, said)
    file = folder / "labels.csv"
    rows = [f"{item},clarity,ann,{value:.4f}" for item, value in worth.items()]
    file.write_text("\n".join(["item,dimension,annotator,value", *rows]) + "\n", encoding="utf-8")
    return folder, read_labels(file, scales=["0:1"], level="interval"), worth


def test_a_jury_of_judges_that_err_apart_gains(study, tmp_path):
    folder, labels, _ = study
    found = jury([folder / name for name in "abc"], tmp_path / "jury", labels)
    own = found.checked.reached
    assert own.gain.low > 0
    assert own.shown == "each"
    assert max(own.over.values()) < 0.05
    members = [member.alpha.value for member in found.members]
    assert own.over_average.value == pytest.approx(own.alpha.value - sum(members) / 3)
    assert own.gain.value == pytest.approx(own.alpha.value - found.checked.best.alpha.value)
    assert found.checked.best.alpha.value <= max(member.alpha.value for member in found.members)
    assert found.verdict.startswith(
        "the jury (mean) agrees better with annotators than each of its 3 members"
    )
    assert [len(table.rows) for table in jury_tables(found)] == [1, 3, 3, 10]
    furthest = found.disagreements[0]
    assert max(furthest.values) - min(furthest.values) >= 0.5
    assert furthest.jury == pytest.approx(sum(furthest.values) / 3)
    assert "".join(jury_page(found).html()).count('<svg class="chart"') == 1


def test_the_run_of_a_jury_is_one_like_any_other(study, tmp_path):
    folder, labels, worth = study
    members = [folder / name for name in "abd"]
    found = jury(members, tmp_path / "jury", labels, rule="median")
    run = JudgeFolder(tmp_path / "jury")
    record, judged = run.record(), {one.item: one for one in run.finished()}
    assert (record.format, record.model, record.baseline) == ("jury", "median of 3 judges", True)
    each = [{one.item: one for one in JudgeFolder(member).judgments()} for member in members]
    assert record.notes == [
        "Rule: median",
        *(f"Member {x.name}: listwise with offline ({x.fingerprint})" for x in found.members),
    ]
    for item in worth:
        said = [one[item].value("clarity") for one in each]
        if None not in said:
            assert judged[item].value("clarity") == pytest.approx(np.median(said))
        assert [call.ask.split(":")[0] for call in judged[item].trace.calls] == [
            name for name, one in zip("abd", each, strict=True) for _ in one[item].trace.calls
        ]
    (shown,) = requests_of(run, [item])
    assert {lack for exchange in shown.exchanges for lack in exchange.lacks} == {OF_MEMBERS}
    lost = judged["i3-1"].measures["clarity"]
    assert (lost.status, lost.reason) == (Status.UNSCORED, Reason.REFUSAL)
    assert lost.detail.startswith("d")
    assert (found.scored, found.items) == (59, 60)
    assert json.loads((tmp_path / "jury/jury.json").read_bytes())["rule"] == "median"
    before = run.judgments_file.read_bytes()
    with pytest.raises(DeclarationError, match="contains another run"):
        jury(members, tmp_path / "jury", labels)
    assert run.judgments_file.read_bytes() == before
    alone = jury(members, tmp_path / "alone")
    assert alone.checked is None
    assert "unknown without human labels" in alone.verdict


def test_what_is_no_jury(study, tmp_path):
    folder, labels, worth = study
    few = items(topics=3)
    written(tmp_path / "few", dict.fromkeys(worth, 0.5), given=few)
    for runs, more, message in (
        (["a", "a"], {}, "at least two different runs"),
        (["a", tmp_path / "few"], {}, "judges other items"),
        (["a", tmp_path / "none"], {}, "does not exist"),
        (["a", "b"], {"output": folder / "a", "overwrite": True}, "is a member of the jury"),
    ):
        asked = {"labels": labels, "output": tmp_path / "out", **more}
        with pytest.raises(DeclarationError, match=message):
            jury([folder / run for run in runs], **asked)
    assert not (tmp_path / "out").exists()
    assert JudgeFolder(folder / "a").summary().total == 60


def test_parts_that_all_members_have_are_put_together():
    def rated(low, high, *more):
        parts = (Part(id="d1", value=low), Part(id="d2", value=high), *more)
        return {"i": judgment("i", {"relevance": scored((low + high) / 2, parts=parts)})}

    ballots = Ballots(
        ("a", "b"), (rated(0.0, 1.0), rated(0.5, 1.0, Part(id="d3", value=1.0))), ("relevance",)
    )
    (made,) = ballots.judged("mean", model="m", fingerprint="f")
    measure = made.measures["relevance"]
    assert {part.id: part.value for part in measure.parts} == {"d1": 0.25, "d2": 1.0}
    assert (measure.value, measure.explanation) == (0.625, "m: a 0.50; b 0.75")


def test_the_member_is_chosen_again_without_each_topic():
    """The interval of what is chosen, and so of the gain, by hand: without a topic the choice of each fold is made
    without it, too. Members that are nearly alike are then chosen otherwise, and the interval is wider."""
    rng = np.random.default_rng(8)
    people = rng.uniform(size=TOPICS * EACH)
    both = shared(people, people + 0.3 * rng.normal(size=(3, len(people))))
    drawn, side = leave_one_out(both.clusters), both.sides["clarity"]
    choice = FoldedChoice.choose(both, 13, drawn)
    found = choice.mean_alpha(both, drawn)
    series, fixed, topics = np.zeros(len(people)), found.without.copy(), np.array(both.clusters)

    def alpha(judge, kept):
        return alphas(np.stack([judge[kept], people[kept]])[None], "interval")[0].value

    for place, topic in enumerate(dict.fromkeys(both.clusters)):
        kept = topics != topic
        for fold in range(5):
            outside = kept & (choice.fold != fold)
            best = max(range(3), key=lambda judge: alpha(side.judges[judge], outside))
            series[choice.fold == fold] = side.judges[best][choice.fold == fold]
        assert found.without[place] == pytest.approx(alpha(series, kept))
        fixed[place] = alpha(side.judges[choice.best[choice.fold], np.arange(len(people))], kept)
    assert found.error > replace(found, without=fixed).error
