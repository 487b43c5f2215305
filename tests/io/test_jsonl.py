"""JSON Lines and JSON lists: broken ones, wrapped ones, long ones."""

import json

import pytest

from conqret.io import open_items

LINE = '{"topic": "T?"}\n'


def test_blank_lines_are_skipped_and_counted(write, fault_of):
    fault = fault_of(write("a.jsonl", f"{LINE}\n  \n\n[1]\n"))
    assert (fault.line, fault.problem) == (5, "is a list, not an object")


def test_broken_in_the_middle(write, fault_of):
    fault = fault_of(write("a.jsonl", f'{LINE}{{"topic": "T?" "stance": 1}}\n{LINE}'))
    assert (fault.line, fault.problem) == (2, "is not valid JSON: Expecting ',' delimiter at column 16")


def test_cut_off(write, fault_of):
    fault = fault_of(write("a.jsonl", LINE * 3 + '{"topic": "Should zo'))
    assert fault.line == 4
    assert fault.problem == (
        "the file looks cut off: its last line breaks off at column 11; 3 whole items precede it"
    )
    assert fault.remedy == "Write it again, or delete that line"


def test_a_field_that_occurs_twice(write, fault_of):
    fault = fault_of(write("a.jsonl", f'{LINE}{{"topic": "T?", "topic": "U?"}}\n'))
    assert fault.problem.endswith("the field 'topic' occurs twice in one object")
    assert fault.line == 2


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wrap", [None, "results"])
def test_a_json_list(indent, wrap, write):
    records = [{"topic": "T?"}, {"topic": "U?"}]
    content = json.dumps({wrap: records} if wrap else records, indent=indent)
    assert [item.topic for item in open_items(write("a.jsonl", content))] == ["T?", "U?"]


def test_indented_objects_one_after_the_other(write, fault_of):
    content = "\n".join(json.dumps({"topic": topic}, indent=1) for topic in ("T?", "U?"))
    assert [item.topic for item in open_items(write("a.jsonl", content))] == ["T?", "U?"]
    assert fault_of(write("b.jsonl", f'{content}\n{{\n "id": "x"\n}}')).line == 7
    fault = fault_of(write("c.jsonl", f'{content}\n{{\n "topic" 1\n}}'))
    assert (fault.line, "is JSON that breaks at column 10" in fault.problem) == (8, True)


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ('[{"topic": "T?"},\n {"topic" "U?"}]', 2, "is a JSON list that breaks at column 11"),
        ('[{"topic": "T?"},\n {"topic": "U?"}', 2, "is a JSON list that looks cut off: its end is missing"),
    ],
)
def test_a_broken_list(content, line, problem, write, fault_of):
    fault = fault_of(write("a.json", content))
    assert fault.line == line
    assert problem in fault.problem


def test_a_list_that_is_too_large(write, fault_of, monkeypatch):
    monkeypatch.setenv("CONQRET_MAX_FILE", str(2**20))
    fault = fault_of(write("a.json", json.dumps([{"topic": "x" * 2**21}])))
    assert "is one JSON list of more than 1 MiB" in fault.problem
    assert "jq -c '.[]'" in fault.remedy
