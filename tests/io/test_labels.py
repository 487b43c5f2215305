"""Labels in: every layout, and every defect with a message of its own."""

import zipfile

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.io.labels import LabelsError, Unit, read_labels

LONG = "item,dimension,annotator,value\n"


def faults(path, **options):
    with pytest.raises(LabelsError) as caught:
        read_labels(path, **options)
    return caught.value.faults


def only(path, **options):
    found = faults(path, **options)
    assert len(found) == 1, found
    return found[0]


def test_long(write):
    file = write("l.csv", LONG + "a,Clarity,x,1\na,clarity,y,3\nb,clarity,x,?\nb,clarity,y,\n")
    labels = read_labels(file, scales=["1:3"])
    assert labels.layout == "long table"
    assert labels.dimensions == ("clarity",)
    names, table = labels.table("clarity", [Unit("a"), Unit("b")])
    assert names == ("x", "y")
    assert np.array_equal(table, [[1, np.nan], [3, np.nan]], equal_nan=True)
    assert labels.absent() == {"cannot_judge": 1, "missing": 1}
    assert labels.scale("clarity").unit(3) == 1
    assert "2 of 4 cells contain no label (50.0%; 1 missing, 1 cannot judge)" in labels.notes


TASKS = (
    "Keyword,WorkerId,Input.item,Answer.clarity,Answer.depth,Reward\n"
    "h1,w1,a,4,1,341\nh1,w2,a,5,2,210\nh2,w1,b,2,9,99\n"
)
OF_TASKS = {"item": "Input.item", "annotator": "WorkerId"}


def test_columns_that_hold_no_label_are_told_once(write):
    found = faults(write("l.csv", TASKS), columns=OF_TASKS, scales=["1:5"])
    assert [fault.field for fault in found] == ["answer.depth", "keyword", "reward"]
    assert "says '9': it lies outside" in found[0].problem  # beside labels that can be read
    assert found[1].problem.startswith("contains no label, but 2 other things: 'h1' is a word")
    named = "name those that are: --dimension 'answer.clarity' --dimension 'answer.depth'"
    assert all(named in fault.remedy for fault in found[1:])


def test_wide_with_people_in_the_head(write):
    file = write("l.csv", "item,clarity@anna,clarity@ben\na,1,2\nb,3,\n")
    names, table = read_labels(file).table("clarity", [Unit("a"), Unit("b")])
    assert names == ("anna", "ben")
    assert table[1, 0] == 2


def test_words_by_a_map(write):
    file = write("l.csv", LONG + "a,clarity,x,Low\nb,clarity,x,high\nc,clarity,x,2\n")
    labels = read_labels(file, words=["low=1,medium=2", "high=3"])
    assert [label.value for label in labels.labels] == [1, 3, 2]
    assert (labels.scale("clarity").low, labels.scale("clarity").high) == (1, 3)
    assert any("low = 1, medium = 2, high = 3" in note and "--map" in note for note in labels.notes)


def test_words_that_stand_for_fractions_are_no_steps(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("item,annotator,overall_quality\na,anna,no\nb,anna,maybe\nc,anna,yes\n")
    words = ["no=0,maybe=0.5,yes=1"]
    labels = read_labels(file, words=words)
    assert [label.value for label in labels.labels] == [0, 0.5, 1]
    assert (labels.scales["overall_quality"].level, labels.scales["overall_quality"].whole) == (
        "ordinal",
        False,
    )
    with pytest.raises(DeclarationError):
        read_labels(file, words=words, level="nominal")


def test_binary_words_are_read_and_said(write):
    labels = read_labels(write("l.csv", "item,supported\na,yes\nb,no\n"))
    assert [label.value for label in labels.labels] == [1, 0]
    assert labels.scale("supported").binary
    assert "supported: no = 0, yes = 1, on a scale from 0 to 1" in labels.notes


@pytest.mark.parametrize(("cells", "high"), [(("1.0", "0"), 1), ("11", None), ("12", None)])
def test_labels_that_are_all_0_and_1_have_that_scale(write, cells, high):
    labels = read_labels(write("l.csv", "item,faithful\na,{}\nb,{}\n".format(*cells)))
    assert labels.scale("faithful").high == high
    assert any("all labels are 0 or 1" in note for note in labels.notes) == (high == 1)


def test_nominal_words_are_categories(write):
    labels = read_labels(write("l.csv", "item,preference\na,second\nb,first\nc,tie\n"), level="nominal")
    assert labels.scale("preference").words == {"first": 0, "second": 1, "tie": 2}
    assert [label.value for label in labels.labels] == [1, 0, 2]


@pytest.mark.parametrize(
    ("rows", "options", "problem"),
    [
        ("a,clarity,x,1\na,clarity,x,2\n", {}, "second label for 'clarity' by 'x'; the first is in line 2"),
        ("a,clarity,x,1\nb,clarity,x,high\n", {}, "other labels of clarity are numbers (first: line 2)"),
        ("a,clarity,x,medium\n", {"words": ["low=1,high=3"]}, "none of the labels low, high"),
        ("a,clarity\n", {}, "has 2 cells where the head has 4"),
    ],
)
def test_defects(write, rows, options, problem):
    fault = only(write("l.csv", LONG + rows), **options)
    assert problem in fault.problem
    assert fault.remedy


def test_all_faults_are_listed_together(write):
    rows = "a,clarity,x,9\n,clarity,x,1\nb,clarity,x,1\nb,clarity,x,1\nc,clarity,x,word\n"
    found = faults(write("l.csv", LONG + rows), scales=["1:3"])
    assert len(found) == 4
    assert {fault.line for fault in found} == {2, 3, 5, 6}


def test_files_that_are_no_labels(write):
    with pytest.raises(DeclarationError, match="no column for the item"):
        read_labels(write("a.csv", "x,y\n1,2\n"))
    with pytest.raises(DeclarationError, match="none for the dimension"):
        read_labels(write("b.csv", "item,value\n1,2\n"))
    with pytest.raises(DeclarationError, match="no column with labels"):
        read_labels(write("c.csv", "item,comment\n1,x\n"))
    with pytest.raises(DeclarationError, match="both"):
        read_labels(write("f.csv", "item,annotator,clarity@x\na,b,1\n"))
    with pytest.raises(LabelsError, match="corrupt zip"):
        read_labels(write("z.zip", b"PK\x03\x04broken"))


def test_dagstuhl(write):
    rows = (
        "annotator\targumentative\toverall quality\tlocal acceptability\tsufficiency\tglobal sufficiency\targument"
        "\t#id\tissue\tstance\n"
        '1\ty\t2 (Average)\t3 (High)\t1 (Low)\t1 (Low)\t"It said ""no"", \u2018quoted\u2019"\targ1\tissue-a\tpro\n'
        "2\tn\t\t\t\t\tplain\targ1\tissue-a\tpro\n"
        "3\ty\t1 (Low)\tCannot judge\t2 (Average)\t1 (Low)\tplain\targ1\tissue-a\tpro\n"
    )
    file = write("d.csv", rows.encode("windows-1252"))
    labels = read_labels(file)
    assert read_labels(file, level=["interval"]).scale("overall_quality").level == "interval"
    assert labels.layout == "Dagstuhl-15512 ArgQuality"
    wanted = ("overall_quality", "local_acceptability", "local_sufficiency", "global_sufficiency")
    assert labels.dimensions == wanted
    names, table = labels.table("overall_quality", [Unit("arg1")])
    assert (names, table.tolist()) == (("1", "3"), [[2], [1]])
    assert labels.topics == {Unit("arg1"): "issue-a"}
    assert labels.absent("local_acceptability") == {"missing": 1, "cannot_judge": 1}
    assert (labels.scale("overall_quality").low, labels.scale("overall_quality").high) == (1, 3)


def test_novices(tmp_path):
    with zipfile.ZipFile(tmp_path / "n.zip", "w") as packed:
        packed.writestr(
            "novices/x-group1-member2-2023.json", '{"arg-1-local-acceptability": "3", "12-clarity": "?"}'
        )
        packed.writestr("novices/x-group2-member2-2023.json", '{"arg-1-local-acceptability": "1"}')
        packed.writestr("novices/README.json", "words")
    labels = read_labels(tmp_path / "n.zip")
    assert labels.annotators == ("group1-member2", "group2-member2")
    assert labels.units == (Unit("arg-1"), Unit("12"))
    assert labels.dimensions == ("local_acceptability", "clarity")
    assert labels.absent() == {"cannot_judge": 1}


def test_webis_relevance(write):
    head = "Task ID,Topic ID,Discussion ID,Argument ID,Relevance,Is Argument?\n"
    rows = "1,7,12,a,3,True\n2,7,12,a,0,False\n1,7,13,b,2,True\n"
    labels = read_labels(write("w.csv", head + rows))
    assert labels.layout == "Webis relevance"
    assert labels.units == (Unit("12-a"), Unit("13-b"))
    assert labels.annotators == ("annotator 1", "annotator 2")
    assert [label.value for label in labels.labels if label.dimension == "is_argument"] == [1, 0, 1]


def test_webis_arguments(write):
    names = "Relevance,Rhetorical Quality,Logical Quality,Dialectical Quality,Combined Quality,Is Argument?"
    rows = "7,12,a,0.5,-1.2,0,0,0.1,True\n8,12,a,0.5,-1.2,0,0,0.1,True\n8,13,b,1,1,1,1,1,True\n"
    labels = read_labels(write("w.csv", f"Topic ID,Discussion ID,Argument ID,{names}\n{rows}"))
    assert labels.layout == "Webis arguments"
    assert labels.units == (Unit("7/12-a"), Unit("8/12-a"), Unit("13-b"))
    assert labels.topics[Unit("13-b")] == "8"
    assert any("under two topics" in note for note in labels.notes)


def test_a_sheet_that_nobody_has_filled_in_says_so(write):
    head = "item,annotator,topic,stance,argument,text,overall_quality,clarity\n"
    blank = write("sheet.csv", head + "a,,T?,pro,x,y,,\nb,,T?,pro,x,y,,\n")
    with pytest.raises(
        DeclarationError, match=r"is not filled in.*each of its 2 rows \(annotator, overall_quality, cl"
    ):
        read_labels(blank)
    begun = read_labels(write("begun.csv", head + "a,ann,T?,pro,x,y,3,2\nb,,T?,pro,x,y,,\n"), scales=["1:5"])
    assert "1 row of 2 not filled in" in begun.notes
    assert [label.unit for label in begun.labels] == [Unit("a"), Unit("a")]
    with pytest.raises(DeclarationError, match="no label in its 1 cell"):
        read_labels(write("long.csv", LONG + "a,clarity,ann,\n"))


def test_published_files(data_dir):
    relevance = read_labels(data_dir / "webis-argquality20/webis-argquality20-raw-relevance.csv")
    assert relevance.layout == "Webis relevance"
    assert len(relevance.labels) == 2 * 8_050
    quality = read_labels(data_dir / "webis-argquality20/webis-argquality20-arguments.csv")
    assert quality.layout == "Webis arguments"
    assert len(quality.units) == 1_610
    assert not quality.scale("logical_quality").bounded
    novices = read_labels(data_dir / "argquality_novices/novice-annotations-unaggregated.zip")
    assert len(novices.labels) == 12_726
    assert novices.absent() == {"cannot_judge": 719}
