"""Systems are named by what searches and by what comes to it."""

import pytest

from conqret.errors import DeclarationError
from conqret.retrieval.system_names import check_systems, is_system, stages_of


@pytest.mark.parametrize(
    ("name", "engines", "settings"),
    [
        ("bm25", ("bm25",), {}),
        ("dense+mmr@0.75", ("dense",), {"mmr": 0.75}),
        (
            "hybrid+perspectives+pro",
            ("bm25", "dense"),
            {"perspectives": True, "rerank": True, "stance": "pro"},
        ),
    ],
)
def test_names(name, engines, settings):
    assert stages_of(name) == (engines, settings)
    assert is_system(name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("bm25+dense", "one first stage"),
        ("pro+con", "one reranker"),
        ("mmr@nan", "from 0 to 1"),
    ],
)
def test_names_that_make_no_system(name, told):
    with pytest.raises(DeclarationError, match=told):
        check_systems([name])
