"""``conqret serve http`` and items that would take long to compute: they are refused, and others are answered."""

from __future__ import annotations

import pytest

from conqret.runs.session import Session

REASON = "the extra web is not installed: it brings starlette and uvicorn"
pytest.importorskip("starlette", reason=REASON)
pytest.importorskip("uvicorn", reason=REASON)

from tests.web.services import ITEM, Running  # noqa: E402


def test_a_long_item_is_refused_and_others_are_answered() -> None:
    with Running(Session("offline"), "rag-fine-grained") as service:
        for item, said in (
            ({**ITEM, "documents": ["a"] * 501}, "501 entries; the service takes 500"),
            ({**ITEM, "documents": ["a b " * 3_000] * 90}, "1,080,"),
        ):
            got = service.judge("rag-fine-grained", item)
            assert (got.status, got.json["code"]) == (422, "too_long")
            assert said in got.json["detail"]
        assert service.judge("rag-fine-grained").status == 200
