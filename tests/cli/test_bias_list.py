"""``conqret bias --list``: which probes there are, before anything is asked."""

import json

from tests.cli.conftest import Cli


def test_the_list_on_the_screen_and_as_json(cli: Cli) -> None:
    shown = cli("bias", "--list")
    assert "bandwagon  only where it is named: --probe bandwagon" in shown.out
    rows = {entry["name"]: entry for entry in json.loads(cli("bias", "--list", "--json").out)}
    assert rows["position"]["default"]
    assert not rows["yes-bias"]["default"]
    refused = cli("bias")
    assert refused.code == 2
    assert "name a file of items" in refused.err
