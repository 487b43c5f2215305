"""Files that the tests of `conqret debateqa score` are given."""

import json


def lines(path, records):
    """Write records as JSONL; the path as text."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def questions_file(folder):
    """Three questions with two partial answers each, in DebateQA's layout."""
    return lines(
        folder / "debateqa.jsonl",
        [
            {
                "id": one,
                "question": f"Should {one} be banned?",
                "partial_answers": [
                    {"point_of_view": f"{one} are dear", "explanation": "They cost money."},
                    {"point_of_view": f"{one} are loved.", "explanation": "People want them."},
                ],
            }
            for one in ("zoos", "cars", "cigars")
        ],
    )
