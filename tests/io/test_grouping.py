"""Long tables: one row a pair of question and document."""

import pytest

from conqret.io import open_items

HEAD = "qid,query,docno,text,qanswer,rank\n"


def test_adjacent_rows_make_one_item(write):
    source = open_items(write("a.csv", HEAD + "q1,T?,d1,a,Yes.,0\nq1,T?,d2,b,Yes.,1\nq2,U?,d1,c,No.,0\n"))
    first, second = source
    assert source.layout.name == "pyterrier-rag"
    assert (first.id, first.topic, first.argument) == ("q1", "T?", "Yes.")
    assert [(document.id, document.text) for document in first.documents] == [("d1", "a"), ("d2", "b")]
    assert (second.id, len(second.documents), second.metadata) == ("q2", 1, {})
    assert source.check().documents == 3


@pytest.mark.parametrize(
    ("rows", "line", "field", "problem"),
    [
        (
            "q1,T?,d1,a,Y,0\nq2,U?,d1,b,N,0\nq1,T?,d2,c,Y,1\n",
            4,
            "qid",
            "is 'q1' again, after other rows: the rows that begin in line 2 are not adjacent",
        ),
        ("q1,T?,d1,a,Y,0\nq1,U?,d2,b,Y,1\n", 3, "query", "differs from that of line 2, of the same qid"),
    ],
)
def test_faults(rows, line, field, problem, write, faults_of):
    fault = faults_of(write("a.csv", HEAD + rows))[0]
    assert (fault.line, fault.field, fault.problem) == (line, field, problem)
