"""Prompts of somebody else that loop, call themselves, or make texts and numbers without end: each ends with a
sentence, soon."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from conqret import DeclarationError
from conqret.prompts import Library
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.runs.killed import ROOT

FRONT = '+++\nid = "mine"\nversion = 1\nasks = "a"\nsource = "s"\n+++\n'
USER = "{% block user %}{{ topic }}{% endblock %}"
SECONDS = 20
ENDLESS = {
    "loops": "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
    "loops that write": "{% for a in range(9999) %}{% for b in range(9999) %}{{ b }}{% endfor %}{% endfor %}",
    "loops over mapped": "{% for a in 'a'*9999 %}{% for b in range(9999)|map('abs') %}{% endfor %}{% endfor %}",
    "a loop in itself": "{% for a in [[[]]] recursive %}{{ loop(a) }}{{ loop(a) }}{% endfor %}",
    "a macro in itself": "{% macro m(n) %}{{ m(n + 1) }}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}",
    "a macro that doubles": "{% macro m(n) %}{% if n %}{{ m(n - 1) ~ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "blocks in themselves": "{{ self.system() }}{{ self.system() }}",
    "parts in themselves": '{% include "_more.j2" %}',
    "a power": "{{ 9 ** (9 ** 9) }}",
    "a power of a variable": "{% set n = 9 %}{{ n ** (n ** n) }}",
    "a product": "{% set n = namespace(n=2) %}{% for a in range(60) %}{% set n.n = n.n * n.n %}{% endfor %}{{ n.n }}",
    "a repeated text": '{{ "a" * 10000000000 }}',
    "a repeated list": "{{ [1] * 10000000000 }}",
    "a text that doubles": '{% set n = namespace(t="a") %}{% for a in range(99) %}{% set n.t = n.t~n.t %}{% endfor %}',
    "a block that doubles": "{% set t %}a{% endset %}" + "{% set t %}{{ t }}{{ t }}{% endset %}" * 60,
    "a centred text": '{{ "a"|center(10000000000) }}',
    "a method": '{{ "a".ljust(10000000000) }}',
    "a width": '{{ "%10000000000d" % 1 }}',
    "a width in a filter": '{{ "%10000000000d"|format(1) }}',
    "a width in a method": '{{ "{:10000000000}".format(1) }}',
    "replaced texts": '{% set t = "a" * 100000 %}{{ t|replace("a", t) }}',
    "joined texts": '{% set t = "a" * 1000000 %}{{ ([t] * 1000000)|join(t) }}',
    "texts joined by a method": '{% set t = "a" * 1000000 %}{{ t.join([t] * 1000000) }}',
    "lists of words": "{{ lipsum(n=100000000) }}",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    def late(*_: object) -> None:
        raise AssertionError("the prompt takes too long")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", ENDLESS)
def test_a_prompt_without_end_ends_with_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "_more.j2").write_text('{% include "_more.j2" %}{% include "_more.j2" %}')
    (tmp_path / "mine.j2").write_text(f"{FRONT}{{% block system %}}{ENDLESS[name]}{{% endblock %}}{USER}")
    with pytest.raises(DeclarationError, match="prompt 'mine'"):
        Library(tmp_path, ["mine"])["mine"].render({"topic": "t"})


def test_a_prompt_that_does_much_is_filled(tmp_path: Path) -> None:
    body = """{% block system %}x{% endblock %}{% block user -%}
{% macro one(d) %}{{ d|indent(2) }}{{ d|replace('a', 'b') }}{% endmacro %}
{%- for d in topic %}{{ loop.index }} of {{ loop.length }}{{ ' ' ~ one(d) }}{% else %}none{% endfor %}
{{- '%.2f' % 0.5 }}{{ '%d'|format(3) }}{{ ', '.join(topic[:2]) }}{{ 2 ** 10 }}{{ '-' * 3 }}
{%- for d in topic if d != 'a1' %}{{ d }}{% endfor %}{% endblock %}"""
    (tmp_path / "mine.j2").write_text(FRONT + body)
    library = Library(tmp_path, ["mine"])
    few = library["mine"].render({"topic": ["a1", "a2"]}).user
    assert few == "1 of 2 a1b12 of 2 a2b20.503a1, a21024---a2"
    assert (
        library["mine"].render({"topic": [f"a{n}" for n in range(5_000)]}).user.startswith("1 of 5000 a0b0")
    )


def test_an_item_of_many_documents_is_filled_and_an_endless_loop_over_them_is_not(tmp_path: Path) -> None:
    each = "{% block system %}x{% endblock %}{% block user %}{% for d in topic %}{{ d.strip() }}INNER{% endfor %}"
    for name, inner in (("each", ""), ("square", "{% for e in topic %}{% endfor %}")):
        text = FRONT.replace("mine", name) + each.replace("INNER", inner) + "{% endblock %}"
        (tmp_path / f"{name}.j2").write_text(text)
    library, topic = Library(tmp_path, ["each", "square"]), ["a"] * 120_000
    assert library["each"].render({"topic": topic}).user == "a" * 120_000
    with pytest.raises(DeclarationError, match="more than 4,800,000 steps"):
        library["square"].render({"topic": topic})


def test_the_command_ends_with_a_sentence(cli: Cli, tmp_path: Path) -> None:
    ours = (ROOT / "prompts" / "rag-fine-grained.j2").read_text()
    begin = "{% block user %}"
    assert begin in ours
    (tmp_path / "rag-fine-grained.j2").write_text(ours.replace(begin, begin + ENDLESS["loops"]))
    done = cli(
        "judge", ROOT / "fixtures/demo/items.jsonl", "--prompts", tmp_path, "--format", "rag-fine-grained",
        "-o", tmp_path / "run",
    )  # fmt: skip
    assert done.code == 2
    assert "more than 200,000 steps" in done.err
    assert not (tmp_path / "run").exists()
