"""Two runs beside each other: paired by item or topic, tested over topics, corrected by few labels."""

import re
from pathlib import Path

import numpy as np
import pytest

from conqret.console.conditions import check_difference, parse_difference
from conqret.data import Measure, Part, Reason
from conqret.data.judgment import CascadeStage
from conqret.errors import DeclarationError
from conqret.io.labels import read_labels
from conqret.show import words
from conqret.studies.diff.difference import diff
from conqret.studies.diff.result import difference_page, difference_tables, remarks
from tests.studies.judged import Run, judgment, scored


def runs(scores, *, prefix="", cascade=None, **more):
    """A run from scores by topic and place; None has no score."""
    kept = [
        judgment(
            f"{prefix}{topic}-{place}",
            {"clarity": scored(value) if value is not None else Measure.missing(Reason.REFUSAL)},
            topic=f"topic {topic}",
            **more,
        ).model_copy(update={"cascade": cascade})
        for topic, row in enumerate(scores)
        for place, value in enumerate(row)
    ]
    return Run(Path(prefix or "first"), kept)


def test_paired_differences_by_hand():
    before = runs([[0.5, 0.5]] * 7)
    after = runs([[0.6, 0.5 + 0.1 * topic / 6] for topic in range(6)] + [[0.6, None]])
    found = diff(before, after, most=3)
    row = found.metrics["clarity"]
    steps = [0.1] * 7 + [0.1 * topic / 6 for topic in range(6)]
    assert row.difference.value == pytest.approx(np.mean(steps))
    assert (row.pairs, row.only_first, row.only_second, row.up, row.down) == (13, 1, 0, 12, 0)
    assert row.p_holm == row.p < 0.01
    assert words.ASSUMES_SYMMETRY in next(difference_tables(found)).note
    assert (found.same_judge, found.same_items, found.paired_by, found.clusters) == (True, True, "item", 7)
    assert [one.second - one.first for one in found.changed] == pytest.approx([0.1] * 3)


def named(*topics):
    """A run of items that are called by their rows."""
    names = [
        judgment(f"{n}", {"clarity": scored(0.5)}, topic=topic) for n, topic in enumerate(topics, start=1)
    ]
    return Run(Path("named"), names)


def test_ids_that_are_rows_do_not_pair_different_questions():
    found = diff(named("zoos", "cars", "vaccines"), named("zoos", "bikes", "cars", "vaccines"))
    assert (found.paired_by, found.pairs) == ("topic and side (ids are of other items in either)", 3)
    assert (found.unlike, found.missing_first) == ((), ["2"])
    found = diff(named("zoos", "cars"), named("zoos", "Ban cars?"))  # the question was reworded
    assert (found.paired_by, found.pairs, found.unlike) == ("item", 2, ("2",))
    assert "topic or side differ in 1 of 2 pairs of one id: 2" in remarks(found)


def test_runs_of_a_decision_model_and_a_cascade_say_what_is_compared():
    stage = CascadeStage(model="llm", escalated=True, confidence=0.1, first_calls=1)
    llm, cascade = runs([[0.5, 0.6]] * 4), runs([[0.5, 0.6]] * 4, fingerprint="b", cascade=stage)
    for one in cascade.kept:
        one.measures["clarity"] = one.measures["clarity"].model_copy(update={"method": "probabilities"})
    found = diff(llm, cascade)
    assert (found.expected_values, found.stages) == ((0, 8), ({}, {"llm": 8}))
    said = " ".join(remarks(found))
    assert "the second run is of a cascade: in these pairs llm judged 8" in said
    assert "in 0 pairs of the first run and 8 of the second" in said
    assert "expected values" not in " ".join(remarks(diff(cascade, cascade)))


def test_a_condition_on_an_end_that_has_no_value_is_not_met():
    def high(first, second):
        rows = diff(runs(first), runs(second)).metrics.items()
        wanted = parse_difference("difference.high[clarity] >= 0")
        return check_difference(wanted, {name: row.difference for name, row in rows})

    assert high([[0.5, 0.5]] * 7, [[0.5, 0.5]] * 7).met  # nothing moved: it has no interval, and did not fall
    few = high([[0.5]], [[0.4]])
    assert (few.met, few.value, few.reason != "") == (False, None, True)


def with_parts(topics, path, parts):
    """A run of one item a topic, whose metric is made of parts."""
    kept = [
        judgment(f"i{place}", {"clarity": scored(0.5, parts=tuple(parts(place)))}, topic=f"t{place}")
        for place in range(topics)
    ]
    return Run(Path(path), kept)


def test_documents_that_are_rated_differently_are_named_with_what_is_said():
    def rated(values, says):
        return with_parts(
            len(values),
            says,
            lambda place: (
                Part(id="<b>d", value=values[place], explanation=says),
                Part(id="e", value=0.5),
            ),
        )

    first, second = rated([0.2, 0.4, None], "before"), rated([0.4, 1.0, 0.5], "after")
    found = diff(first, second, most=1)
    assert (found.moved, found.parts, found.parts_moved) == (0, 5, 2), (
        "a rating that is missing is not compared"
    )
    (part,) = found.changed_parts
    assert (part.item, part.part, part.first, part.second) == ("i1", "<b>d", 0.4, 1.0)
    page = "".join(difference_page(found, first, second))
    assert "2 of 5 parts that both runs rated" in page
    assert "&lt;b&gt;d" in page
    assert ">before</p>" in page
    assert ">after</p>" in page


def test_parts_of_other_texts_are_no_parts_of_the_same():
    first, second = (
        with_parts(3, path, lambda _, side=side: [Part(id="sentence 2, document 2", value=side)])
        for path, side in (("a", 0.0), ("b", 1.0))
    )
    assert diff(first, second).parts_moved == 3
    found = diff(first, with_texts(second, "other"))
    assert (found.pairs, found.parts, found.changed_parts) == (3, 0, ())


def with_texts(run, text):
    """The run, whose items have this text."""
    told = [item.model_copy(update={"argument": text}) for item in run.items()]
    object.__setattr__(run, "items", lambda: iter(told))
    return run


def test_an_item_stands_once_and_what_the_other_does_not_say_is_marked():
    before, after = runs([[0.1]] * 6), runs([[0.9]] * 6)
    text = "".join(difference_page(diff(before, after, most=1), before, after))
    assert text.count("&lt;b&gt;0-0&lt;/b&gt;") == 1
    assert "The argument that both judged" in text
    first = with_texts(runs([[0.1], [0.5]], prefix="a-"), "It is shared [1]. Bees like it.")
    second = with_texts(runs([[0.9], [0.5]], prefix="b-"), "It is shared [2]. Cats <b> do not.")
    found = diff(first, second)
    twice = found.model_copy(update={"changed": found.changed * 2})
    page = "".join(difference_page(twice, first, second))
    assert page.count('<article class="debate">') == 1
    assert len(re.findall(r"It is shared \[[12]\]. <mark>", page)) == 2
    assert "<mark>Bees like it.</mark>" in page
    assert "<mark>Cats &lt;b&gt; do not.</mark>" in page
    assert "a test needs at least 6" in next(difference_tables(found)).note


def test_whether_runs_differ_beyond_chance_is_said():
    rng = np.random.default_rng(3)
    values = rng.uniform(0.3, 0.7, size=(8, 1))
    first, moved = runs(values.tolist()), runs((values + 0.2).tolist())
    alike = runs((values + 0.001 * rng.normal(size=(8, 1))).tolist())
    more = (
        "1 of 1 metric differs significantly (p &lt; 0.05 after Holm, 8 topics): the scores of the second run"
    )
    for second, said in ((moved, more), (alike, "The runs differ significantly on none of 1 metric")):
        assert said in "".join(difference_page(diff(first, second), first, second))


def test_two_systems_meet_by_topic_and_side_and_the_page_shows_both():
    first, second = (
        runs([[0.1 * n + more] for n in range(topics)], prefix=prefix)
        for topics, more, prefix in ((7, 0.0, "a-"), (8, 0.2, "b-"))
    )
    found = diff(first, second, most=3)
    assert (found.paired_by, found.pairs, found.missing_first) == ("topic and side", 7, ["b-7-0"])
    assert found.metrics["clarity"].difference.value == pytest.approx(0.2)
    tables = {table.title: table for table in difference_tables(found)}
    assert list(tables) == ["Second minus first", "Missing in one of the runs", "Largest changes"]
    assert "3 largest of 7 changes" in tables["Largest changes"].note
    page = "".join(difference_page(found, first, second))
    for text in (
        "&lt;b&gt;a-0-0&lt;/b&gt;",
        "&lt;b&gt;b-0-0&lt;/b&gt;",
        "(the same judge, different texts).",
        "What differs between two systems?",
        "do not tell which system annotators would prefer",
    ):
        assert text in page


def systems(folder, rng, *, favour, topics=16, each=6, labelled=3):
    """Two systems of one quality, a judge that favours the second by ``favour``, labels of some of the pairs."""
    quality = 0.5 + 0.1 * rng.normal(size=(2, topics, each))
    judged = (quality + 0.05 * rng.normal(size=quality.shape)).clip(0, 1)
    judged[1] = (judged[1] + favour).clip(0, 1)
    labels = (quality + 0.05 * rng.normal(size=quality.shape)).clip(0, 1)[:, :, :labelled]
    rows = [
        f"{'ab'[side]}-{topic}-{place},clarity,ann,{value:.4f}"
        for (side, topic, place), value in np.ndenumerate(labels)
    ]
    file = folder / "labels.csv"
    file.write_text("\n".join(["item,dimension,annotator,value", *rows]) + "\n", encoding="utf-8")
    pair = [
        Run(
            Path(name),
            [
                judgment(
                    f"{name}-{topic}-{place}", {"clarity": scored(float(value))}, topic=f"t{topic}/{place}"
                )
                for (topic, place), value in np.ndenumerate(values)
            ],
        )
        for name, values in zip("ab", judged, strict=True)
    ]
    return *pair, read_labels(file, scales=["0:1"], level="interval")


def test_a_judge_that_favours_a_system_is_corrected_by_few_labels(tmp_path):
    rng = np.random.default_rng(11)
    naive = corrected = 0
    for _ in range(10):
        one, other, labels = systems(tmp_path, rng, favour=0.05)
        row = diff(one, other, labels=[labels]).metrics["clarity"]
        naive += row.difference.low > 0
        corrected += not row.corrected.corrected.low <= 0 <= row.corrected.corrected.high
    assert naive >= 6
    assert corrected <= 2  # 10 draws of .05 exceed 2 in 1% of the cases


def test_what_cannot_be_compared(tmp_path):
    before = runs([[0.5]] * 6)
    with pytest.raises(DeclarationError, match="share no item"):
        diff(before, Run(Path("x"), [judgment("y", {"clarity": scored(1.0)}, topic="elsewhere")]))
    other = [judgment(one.item, {"rigour": scored(1.0)}, topic=one.topic) for one in before.kept]
    with pytest.raises(DeclarationError, match="share no metric: first has clarity; x has rigour"):
        diff(before, Run(Path("x"), other))
    with pytest.raises(DeclarationError, match="several items"):
        diff(runs([[0.5, 0.6]] * 6, prefix="a-"), runs([[0.5, 0.6]] * 6, prefix="b-"))
    one, _, labels = systems(tmp_path, np.random.default_rng(1), favour=0.0)
    with pytest.raises(DeclarationError, match="conqret judges compare"):
        diff(one, Run(Path("x"), one.kept), labels=[labels])
    changed = with_texts(Run(Path("x"), one.kept), "other")
    with pytest.raises(DeclarationError, match="--labels twice"):
        diff(one, changed, labels=[labels])
