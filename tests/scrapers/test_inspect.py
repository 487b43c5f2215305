"""``conqret corpus inspect``: what a page has, beside what the layouts look for."""

import json
from pathlib import Path

from fixtures.site import FIXTURES
from tests.commands import run_conqret

PROCON = FIXTURES / "sites" / "procon"
TRAMS = (PROCON / "night-trams.html").read_text(encoding="utf-8")
URL = "https://www.example.org/procon/night-trams-debate"


def test_saved_pages_are_compared_with_a_layout_that_fits_no_longer(tmp_path: Path) -> None:
    page = tmp_path / "saved.html"
    changed = TRAMS.replace("topic-identifier", "question-box").replace('"pro"', '"side-pro"')
    page.write_text(changed.replace("Pro 1: ", "").replace("Pro 2: ", ""), encoding="utf-8")
    done = run_conqret("corpus", "inspect", str(page), "--layout", "procon-britannica", "--json")
    found = json.loads(done.output)
    assert found["url"] == "https://unknown.invalid/"
    assert (found["fits"], found["layout"]) == ([], "procon-britannica")
    assert found["missing"] == ["pros: no argument found", "cons: no argument found"]
    looked_for = {one["selector"]: one["found"] for one in found["looked_for"]}
    assert looked_for["section.pro"] == 0


def test_the_lines_for_people_say_what_to_do(tmp_path: Path) -> None:
    page = tmp_path / "saved.html"
    link = f'<link rel="canonical" href="{URL}">'
    page.write_text(TRAMS.replace("<head>", f"<head>{link}"), encoding="utf-8")
    found = run_conqret("corpus", "inspect", str(page))
    assert f"further   {URL}/Cons belongs to it" in found.output
    assert "missing   cons: no argument found" in found.output
    listed = tmp_path / "index.html"
    base = '<head><link rel="canonical" href="https://x.test/procon">'
    listed.write_text((PROCON / "index.html").read_text("utf-8").replace("<head>", base), encoding="utf-8")
    index = run_conqret("corpus", "inspect", str(listed))
    assert "none fits; --layout NAME compares the page with one" in index.output
    assert "index     3 debates are listed; conqret corpus topics makes a list" in index.output
    assert "a script draws it" not in index.output
    drawn = tmp_path / "drawn.html"
    drawn.write_text("<div id=root></div><script>draw()</script><p style='display:none'>a b c")
    assert "a script draws it" in run_conqret("corpus", "inspect", str(drawn)).output


def test_bad_input(tmp_path: Path) -> None:
    deep = tmp_path / "deep.html"
    deep.write_text("<div>" * 5000, encoding="utf-8")
    for page, said in (
        ("none.html", "neither an http or https address nor a file"),
        (deep, "nested so deeply"),
    ):
        found = run_conqret("corpus", "inspect", page)
        assert found.code != 0
        assert said in found.err
