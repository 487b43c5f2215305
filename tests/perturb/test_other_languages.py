"""Perturbations and probes in ten languages: each works in the item's own or has no rule for it; no English enters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from pydantic import ValidationError

from conqret.data import Item
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.setup import set_up
from conqret.llm.client_options import ClientOptions
from conqret.perturb import (
    PERTURBATIONS,
    LanguageError,
    Materials,
    Pool,
    contradictions,
    perturb_items,
    records,
)
from conqret.perturb.kinds import added_texts, changed_citations, changed_sentences
from conqret.perturb.perturbation import Draw
from conqret.perturb.rewriting import rewrite_request
from conqret.perturb.versions import counted_reasons
from conqret.prompts import Library
from conqret.studies.bias.bias_run import plan_bias
from conqret.studies.bias.contrast import PROBES, TEXTS, ProbeContext
from conqret.studies.bias.probes import changed_requests
from conqret.text.analysis import function_words
from conqret.text.sentences import sentences

ITEMS = Path(__file__).parents[2] / "fixtures" / "languages" / "items.jsonl"
PROBED = {"en", "de", "ar", "zh"}
LATIN = frozenset({"de", "fr", "es", "pt"})
IN_ENGLISH = set(
    "hallucinate,hallucinate-share,reverse,reverse-share,paraphrase,wrong-names,fallacies,one-sided-evidence".split(
        ","
    )
)
"""Perturbations that have no rule for any other language."""

ENGLISH_TEXTS = (
    *added_texts.FILLERS,
    *added_texts.FALLACIES,
    *added_texts.LEFT_OUT,
    *added_texts.INJECTIONS,
    *[text for pair in added_texts.MATCHED for text in pair],
    *contradictions._DEGREES.values(),
    *contradictions._DETAILS.values(),
    *contradictions._LISTS["added"],
    *contradictions._LISTS["places"],
    *contradictions.FAMILY,
    *changed_citations._WAYS,
    *changed_sentences._PHRASES.values(),
    *contradictions._WORDS,
    "Published in",
    "as of",
    *[text for remark in TEXTS["remark"] for pair in remark["pairs"] for text in pair],
    *TEXTS["distraction"]["remarks"],
    *changed_requests.TEMPLATES,
    changed_requests.YES_NO_QUESTION,
)
REFERENCES = next(row for row in TEXTS["remark"] if row["name"] == "authority")["others"]
_word = re.compile(r"[^\W\d_]+")
_latin = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]{2,}")


def lower(texts: Iterable[str]) -> set[str]:
    return {word.lower() for text in texts for word in _word.findall(text)}


ENGLISH_WORDS = {word for word in lower(ENGLISH_TEXTS) if len(word) > 1}


@cache
def parallel() -> tuple[Item, ...]:
    return tuple(map(Item.model_validate_json, ITEMS.read_text(encoding="utf-8").splitlines()))


def of(code: str) -> list[Item]:
    return [item for item in parallel() if item.language == code]


def texts_of(item: Item) -> Iterator[str]:
    yield from filter(None, (item.topic, item.argument, item.second_argument))
    for document in item.documents:
        yield from (document.title, document.text)


def own_words(code: str) -> set[str]:
    """Words that the items of a language have, and its texts that perturbations put in."""
    inserted = [*added_texts.OTHER_INJECTIONS[code], *REFERENCES[code]]
    return lower([*(text for item in of(code) for text in texts_of(item)), *inserted])


def strangers(version: Item, code: str) -> set[str]:
    """Latin words of a version in another script, or English ones, that neither its items nor its texts have."""
    own = own_words(code)
    new = lower(texts_of(version)) - own
    if code in LATIN:
        return new & ENGLISH_WORDS - function_words(code)
    return {word for word in new if _latin.fullmatch(word)}


@pytest.fixture(scope="module")
def materials() -> Materials:
    return Materials(Pool.from_items(parallel()))


@pytest.mark.parametrize("code", ["de", "zh"])
@pytest.mark.parametrize("name", PERTURBATIONS)
def test_no_english_enters_a_text_in_another_language(name: str, code: str, materials: Materials) -> None:
    perturbation = PERTURBATIONS[name]
    changed, left_out = perturb_items(of(code), perturbation, perturbation.levels, materials=materials)
    versions = [item for level, items in changed.items() if level for item in items]
    for version in versions:
        assert strangers(version, code) == set(), version.id
        assert version.language == code
    assert bool(versions) == (name not in IN_ENGLISH)
    if not versions:
        assert {item.language for item in left_out} == {code}


def ground() -> ProbeContext:
    paired = [
        item.model_copy(update={"second_argument": item.documents[0].text})
        for item in parallel()
        if item.language in PROBED
    ]
    setup = set_up("rag-direct", ClientOptions("offline"), JudgeOptions())
    setup_of_quality = set_up("rag-fine-grained", ClientOptions("offline"), JudgeOptions())
    assert setup.metrics
    return ProbeContext(tuple(paired), setup_of_quality)


def test_no_probe_puts_english_into_a_text_in_another_language() -> None:
    context = ground()
    plan = plan_bias(context, list(PROBES))
    made = {contrast.probe for contrast in plan.contrasts}
    assert made >= set("length,authority,injection,document order,formatting,wording,bandwagon".split(","))
    languages = {item.id: item.language for item in context.items}
    seen: dict[str, set[str]] = {}
    for contrast in plan.contrasts:
        for _, version in contrast.versions:
            code = languages.get(version.id) or version.language
            if version.id.startswith("severity-") or not code:
                continue
            if version.id not in languages:
                seen.setdefault(contrast.probe, set()).add(code)
            if code != "en":
                assert strangers(version, code) == set(), version.id
    assert {name for name, codes in seen.items() if codes == PROBED} >= set(
        "length,authority,injection,document order,formatting".split(",")
    )
    assert {name for name, codes in seen.items() if codes == {"en"}} >= set(
        "bandwagon concreteness distraction identity model-name refinement sentiment wording yes-bias".split()
    ) & made
    assert any("Chinese (12 items)" in note for note in plan.notes)


@pytest.mark.parametrize("code", ["ru", "ja"])
@pytest.mark.parametrize("name", ["inject-argument", "inject-document"])
def test_the_control_of_what_is_put_in_is_as_long_and_the_items_own(name: str, code: str) -> None:
    perturbation, item = PERTURBATIONS[name], of(code)[0]
    control = perturbation.controlled
    assert control is not None
    level = perturbation.levels[-1]
    one, other = perturbation.apply(item, level), control.apply(item, level)
    lengths = [sum(map(len, texts_of(version))) for version in (one, other)]
    assert abs(lengths[0] - lengths[1]) <= 15 * max(1, len(item.documents))
    assert lower(texts_of(other)) - lower(texts_of(item)) <= {
        word for word in lower(texts_of(other)) if len(word) < 25
    }
    assert not lower(texts_of(other)) & {"ignoriere", "ignora", "ignore", "системa"} - lower(texts_of(item))


def test_a_model_rewrites_in_any_language_and_not_in_english() -> None:
    perturbation = PERTURBATIONS["paraphrase"]
    item = next(item for item in of("zh"))
    with pytest.raises(LanguageError, match="Chinese; a model"):
        perturbation.apply(item, 100)
    assert perturbation.rewriting is not None
    draw = Draw(item, item.id, "paraphrase", 100, 13, Materials(by_model=True))
    request = rewrite_request(item, [1], perturbation.rewriting, draw, Library())
    assert "in Chinese" in request.messages[0].content
    english = "Bees suffer from it and the garden is the place where they live [1]."
    answer = {"rewrites": [{"sentence": 1, "rewritten": english}]}
    with pytest.raises(ValidationError, match="in Chinese, not in English"):
        request.response.model_validate(answer, context=request.context)
    own = sentences(item.argument or "")[0].text
    answer["rewrites"][0]["rewritten"] = f"确实，{own}"
    request.response.model_validate(answer, context=request.context)
    rewritten = Materials(
        rewrites={item.id: {n: f"确实，{s.text}" for n, s in enumerate(sentences(item.argument or ""), 1)}},
        by_model=True,
    )
    assert records(perturbation.apply(item, 100, materials=rewritten))[0].changes[0].kind == "model"


def test_reasons_are_counted_by_language() -> None:
    _, left_out = perturb_items(parallel(), PERTURBATIONS["wrong-names"], (0, 100))
    counted = counted_reasons([omission.reason for omission in left_out])
    assert "Russian (12 items), Arabic (12 items)" in counted
    assert sum(omission.language == "ru" for omission in left_out) == 12


def test_a_language_that_has_no_table_has_no_rule() -> None:
    item = of("de")[0].model_copy(update={"language": "sw"})
    for name in ("fallacies", "inject-argument", "paraphrase"):
        with pytest.raises(LanguageError, match="in Swahili"):
            PERTURBATIONS[name].apply(item, PERTURBATIONS[name].levels[-1])
    for name in ("padding", "shuffle", "drop-citations", "truncate", "outdated-evidence"):
        assert PERTURBATIONS[name].languages is None
