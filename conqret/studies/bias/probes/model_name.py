"""Does the name of a known model count? (Compassion-fade: Ye et al. 2024, CALM.)"""

from __future__ import annotations

from conqret.studies.bias.matching import remark_probe

MATCHED = (
    ("(Written by the model GPT-4o.)", "(Written by the model Text-1.)"),
    ("(Written by the model Claude.)", "(Written by the model Text-2.)"),
    ("(Written by the model Gemini.)", "(Written by the model Text-3.)"),
    ("(Written by the model Llama-3.)", "(Written by the model Draft-4.)"),
    ("(Written by the model DeepSeek.)", "(Written by the model Author-5.)"),
)
"""The name is put beside texts of anybody, so it tells nothing of them."""

PROBE = remark_probe(
    "model-name",
    MATCHED,
    thing="the name of a known model as the writer",
    up="higher under a known name",
    advice="leave out which model wrote a text",
    source="CALM (Ye et al. 2024): compassion-fade",
    adverse="any",
)
