import pytest

from conqret.errors import DeclarationError
from conqret.io.labels import LabelsError
from conqret.io.pairs import read_comparisons


def test_a_table(write):
    text = "first,second,preference,annotator\nx,y,first,p\ny,z,Tie,p\nx,z,2,q\n"
    read = [
        (one.first, one.second, one.outcome, one.annotator) for one in read_comparisons(write("c.csv", text))
    ]
    assert read == [("x", "y", 1, "p"), ("y", "z", 0.5, "p"), ("x", "z", 0, "q")]


def test_webis(write):
    head = "Discussion ID A,Argument ID A,Discussion ID B,Argument ID B,Comparison\n"
    (found,) = read_comparisons(write("c.csv", head + "1,2,3,4,B\n"))
    assert (found.first, found.second, found.outcome) == ("1-2", "3-4", 0)


def test_defects(write):
    with pytest.raises(LabelsError) as caught:
        read_comparisons(write("c.csv", "a,b,outcome\nx,y,better\nx,x,a\n"))
    assert [fault.line for fault in caught.value.faults] == [2, 3]
    with pytest.raises(DeclarationError, match="name its columns first, second"):
        read_comparisons(write("d.csv", "x,y\n1,2\n"))
