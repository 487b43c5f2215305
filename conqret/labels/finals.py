"""What was decided of screens on which people differ: rows of their own, beside what people said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from conqret.labels.annotators import MAX_COMMENT, People
from conqret.labels.label_verdicts import Final


class Finals(People):
    """The decisions of a study. What is decided anew is a further row; the last one counts."""

    def finals(self) -> Iterator[Final]:
        """The last decision of each screen."""
        for row in self._database.rows(
            "SELECT * FROM finals WHERE number IN (SELECT MAX(number) FROM finals GROUP BY screen) ORDER BY screen"
        ):
            yield Final(row["screen"], json.loads(row["body"]), row["comment"], row["by"], row["at"])

    def decide(self, screen: int, answers: Mapping[str, str], comment: str, by: str) -> None:
        """Write a decision down; when this returns, it is on the disk. The same once more changes nothing."""
        body, comment = json.dumps(dict(answers), ensure_ascii=False), comment[:MAX_COMMENT]
        with self._database.change() as connection:
            last = connection.execute(
                "SELECT body, comment, by FROM finals WHERE screen = ? ORDER BY number DESC LIMIT 1",
                (screen,),
            ).fetchone()
            if last is None or tuple(last) != (body, comment, by):
                connection.execute(
                    "INSERT INTO finals (screen, body, comment, by, at) VALUES (?, ?, ?, ?, ?)",
                    (screen, body, comment, by, self._now()),
                )

    def complete(self) -> frozenset[int]:
        """The screens all of whose labels are in: nobody was given one without answering it, and none has room."""
        rows = self._database.rows(
            "SELECT number FROM screens WHERE room = 0 "
            "AND number NOT IN (SELECT screen FROM turns WHERE state = 'given')"
        )
        return frozenset(row["number"] for row in rows)
