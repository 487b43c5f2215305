"""How judgments and labels meet: items, parts, names, scales, and what has no partner."""

import pytest

from conqret.data import Part
from conqret.errors import DeclarationError, UnknownNameError
from conqret.studies.validate.page import validation_page
from conqret.studies.validate.result import validate
from tests.studies.judged import judgment, labels_of, scored


def test_what_has_no_partner_is_listed(tmp_path):
    labels = labels_of(tmp_path, "item,clarity,charm\na,1,1\nb,2,1\nghost,3,1\n", scales=["1:3"])
    judgments = [
        judgment(item, {"clarity": scored(0.5), "depth": scored(0.1)}) for item in ("a", "b", "lonely")
    ]
    found = validate([*judgments, judgments[0]], labels)
    assert found.join.unlabelled == ["lonely"]
    assert found.join.unjudged == ["ghost"]
    assert found.join.unknown_dimensions == ["charm"]
    assert found.join.unlabelled_metrics == ["depth"]
    assert found.join.duplicate_judgments == ["a"]
    assert (found.join.judged, found.join.labelled, found.join.items) == (3, 3, 2)
    page = validation_page(found).markdown()
    assert all(name in page for name in ("lonely", "ghost", "charm", "Depth"))


def test_nothing_meets(tmp_path):
    labels = labels_of(tmp_path, "item,clarity\na,1\nb,2\n", scales=["1:3"])
    with pytest.raises(DeclarationError, match="no labeled item was judged"):
        validate([judgment("x", {"clarity": scored(0.5)})], labels)
    with pytest.raises(DeclarationError, match="no labeled dimension is a metric"):
        validate([judgment("a", {"depth": scored(0.5)})], labels)
    with pytest.raises(DeclarationError, match="no judgments"):
        validate([], labels)
    two = [
        judgment("a", {"clarity": scored(0.5)}),
        judgment("b", {"clarity": scored(0.5)}, fingerprint="other"),
    ]
    with pytest.raises(DeclarationError, match="2 judge configurations"):
        validate(two, labels)


def test_another_name_for_the_metric(tmp_path):
    labels = labels_of(tmp_path, "item,quality\na,1\nb,3\n", scales=["1:3"])
    judgments = [
        judgment("a", {"overall_quality": scored(0.0)}),
        judgment("b", {"overall_quality": scored(1.0)}),
    ]
    found = validate(judgments, labels, metrics={"quality": "overall_quality"})
    assert found.dimensions["quality"].alpha.value == 1
    with pytest.raises(UnknownNameError, match="no metric 'overal_quality' of the judge"):
        validate(judgments, labels, metrics={"quality": "overal_quality"})
    with pytest.raises(UnknownNameError, match="labeled dimension"):
        validate(judgments, labels, metrics={"qualty": "overall_quality"})


def test_a_majority_that_is_none_is_left_out(tmp_path):
    labels = labels_of(
        tmp_path,
        "item,annotator,kind\na,x,red\na,y,red\nb,x,red\nb,y,blue\nc,x,blue\nc,y,blue\n",
        level="nominal",
    )
    judgments = [
        judgment(item, {"kind": scored(1.0, label=word)})
        for item, word in zip("abc", ("red", "red", "blue"), strict=True)
    ]
    row = validate(judgments, labels).dimensions["kind"]
    assert (row.labelled, row.scored, row.compared) == (3, 3, 2)
    assert row.alpha.value == 1
    assert row.onto == "the judge's verdict in words"
    assert row.statistics["accuracy"].value == 1
    assert row.mean.corrected.value is None


def test_parts_meet_parts(tmp_path):
    labels = labels_of(
        tmp_path, "item,document,context_relevance\na,d1,0\na,d2,3\na,d9,1\nb,d1,2\n", scales=["0:3"]
    )
    judgments = [
        judgment(
            "a",
            {"context_relevance": scored(0.5, parts=(Part(id="d1", value=0.0), Part(id="d2", value=1.0)))},
        ),
        judgment("b", {"context_relevance": scored(0.5, parts=(Part(id="d1", value=0.7),))}, topic="u"),
    ]
    found = validate(judgments, labels)
    assert found.dimensions["context_relevance"].compared == 3
    assert found.join.unknown_parts == ["a [d9]"]


def test_a_judge_of_whole_items_meets_the_mean_of_the_parts(tmp_path):
    rows = "item,part,context_relevance\na,d1,0\na,d2,3\nb,d1,3\nc,d1,0\n"
    labels = labels_of(tmp_path, rows, scales=["0:3"])
    whole = [
        judgment(name, {"context_relevance": scored(value)})
        for name, value in zip("abc", (0.5, 1.0, 0.0), strict=True)
    ]
    found = validate(whole, labels)
    assert found.dimensions["context_relevance"].alpha.value == 1
    assert found.join.unknown_parts == []
    assert found.basis.notes[-1].startswith("context_relevance: the mean of an item's parts")


def test_two_columns_of_labels_are_not_compared_with_one_metric(tmp_path):
    """Columns of annotators are no dimensions, but may be named as annotators of one."""
    rows = "".join(f"i{n},{n % 3 + 1},{n % 2 + 1}\n" for n in range(12))
    judgments = [judgment(f"i{n}", {"faithfulness": scored(n / 12)}) for n in range(12)]
    labels = labels_of(tmp_path, f"item,anna,ben\n{rows}", scales=["1:3"])
    with pytest.raises(DeclarationError, match="name their columns faithfulness@anna and faithfulness@ben"):
        validate(judgments, labels, metrics={"anna": "faithfulness", "ben": "faithfulness"})
    named = labels_of(tmp_path, f"item,faithfulness@anna,faithfulness@ben\n{rows}", scales=["1:3"])
    assert validate(judgments, named).dimensions["faithfulness"].names == ["anna", "ben"]
