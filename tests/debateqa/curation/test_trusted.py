"""Which addresses are trusted."""

import pytest

from conqret.debateqa.curation.page_sources import TrustedDomains, read_trusted
from conqret.errors import DeclarationError


@pytest.mark.parametrize(
    ("url", "trusted"),
    [
        ("https://www.nasa.gov/a?b=.com", True),
        ("http://A.EDU./x", True),
        ("https://gov.example.com/", False),
        ("https://nasa.gov.evil.com", False),
        ("https://user@x.com/.org", False),
        ("https://[broken", False),
    ],
)
def test_the_domains_of_table_8(url, trusted):
    assert (url in TrustedDomains()) is trusted


def test_a_list_adds_refuses_and_knows_licences(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text(
        "# ours\nwho.int  CC BY-NC-SA 3.0 IGO\n.gov public domain # of the US\n-.pro\n-spam.org\nGov.UK\n"
    )
    mine = read_trusted(file)
    assert mine.domains == (".edu", ".org", ".gov", ".info", "who.int", "gov.uk")
    assert "https://who.int/x" in mine
    assert "https://www.who.int/x" in mine
    assert "https://notwho.int/x" not in mine
    assert "https://a.spam.org" not in mine
    assert "https://a.pro" not in mine
    assert mine.licence("https://www.who.int/x") == "CC BY-NC-SA 3.0 IGO"
    assert mine.licence("https://nasa.gov") == "public domain"
    assert mine.licence("https://x.org") == ""
    assert mine.record() == {"domains": sorted(mine.domains), "refused": ["spam.org"]}


@pytest.mark.parametrize("line", ["https://who.int", "who.int/path", "-", "ü.org", "x" * 2000])
def test_what_is_no_domain_is_refused_with_its_line(tmp_path, line):
    file = tmp_path / "mine.txt"
    file.write_text(f"who.int\n{line}\n", encoding="utf-8")
    with pytest.raises(DeclarationError, match=r"mine\.txt:2 is not a domain"):
        read_trusted(file)
