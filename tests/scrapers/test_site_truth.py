"""The truth of the fixture site against the authored topics, without any code of the scraper."""

from collections import Counter
from typing import Any

import pytest

from fixtures.site import read_other_truth, read_topics, read_truth
from fixtures.site_pages import TABLES

TOPICS, TRUTH = read_topics(), read_truth()


def cited(slug: str, side: str) -> set[str]:
    arguments = (TOPICS[slug][key][side]["sentences"] for key in ("arguments", "second_arguments"))
    return {document for sentences in arguments for sentence in sentences for document in sentence["cites"]}


@pytest.mark.parametrize("slug", TRUTH)
@pytest.mark.parametrize("side", ["pro", "con"])
def test_relevant_is_what_the_side_cites(slug: str, side: str) -> None:
    extra = {
        one["document"]
        for one in TRUTH[slug]["sources"]
        if one["served"] == "special" and one["document"] and side in one["cited"]
    }
    assert TRUTH[slug][side] == sorted(cited(slug, side) | extra)


@pytest.mark.parametrize("slug", TRUTH)
def test_sources_agree_with_the_topic(slug: str) -> None:
    titles = {one["id"]: one["title"] for one in TOPICS[slug]["documents"]}
    sources = TRUTH[slug]["sources"]
    assert [source["number"] for source in sources] == list(range(1, len(sources) + 1))
    for source in sources:
        assert (source["status"] == "ok") == (source["document"] is not None)
        if source["served"] != "special":
            assert titles[source["document"]] in source["title"]
            assert source["cited"] == [
                side for side in ("pro", "con") if source["document"] in cited(slug, side)
            ]


def test_every_case_is_there() -> None:
    sources = [one for topic in TRUTH.values() for one in topic["sources"]]
    assert set(TRUTH) == set(TOPICS)
    assert {one["table"] for one in TRUTH.values()} == set(TABLES)
    assert {one["layout"] for one in TRUTH.values()} == {"classic", "headline-columns", "headline-stacked"}
    assert {one["marks"] for one in TRUTH.values()} == {"plain", "linked", "superscript"}
    assert {source["served"] for source in sources} >= {
        "html",
        "pdf",
        "windows-1252",
        "windows-1252-unnamed",
        "utf-16",
        "slow",
    }
    ends = Counter(source["status"] for source in sources)
    assert ends == {
        "ok": 129, "not-found": 2, "blocked": 2, "unparsable": 2, "too-large": 2, "robots": 1, "error": 1
    }  # fmt: skip
    assert any(set(topic["pro"]) & set(topic["con"]) for topic in TRUTH.values())
    assert any(not source["cited"] for source in sources)


@pytest.mark.parametrize("debate", read_other_truth(), ids=lambda one: str(one["id"]))
def test_the_pages_of_other_sites_cite_evidence_that_is_served(debate: dict[str, Any]) -> None:
    served = {one.get("found") or one["url"] for topic in TRUTH.values() for one in topic["sources"]}
    addresses = {number: url for number, url in debate["sources"].items() if url}
    assert set(addresses.values()) <= served
    assert {*debate["pro"], *debate["con"]} <= served
    for side, other in (("pro", "con"), ("con", "pro")):
        cited = {str(number) for one in debate[f"{side}s"] for number in one["cites"]}
        cited |= {str(number) for one in debate[f"{other}s"] for number in one["answers"]}
        assert {addresses[number] for number in cited if number in addresses} <= set(debate[side])
        assert len(debate[side]) == len(cited)
