"""Groups of options: declared once, one parameter of a command, all of them wherever a model is called."""

from __future__ import annotations

import pytest

from conqret.console import shared_options as options
from conqret.errors import DeclarationError


def test_calls_become_the_settings_of_a_client() -> None:
    assert options.Calls().for_model(None).backend.baseline
    client = options.Calls(timeout=7.0, input_price=1.0, output_price=2.0).for_model("gpt-4o-mini")
    assert (client.model, client.timeout, client.output_price) == ("gpt-4o-mini", 7.0, 2.0)
    with pytest.raises(DeclarationError, match="rpm is 0"):
        options.Calls(rpm=0).for_model(None)
    with pytest.raises(DeclarationError, match="model is empty"):
        options.Calls().for_model("")
