"""Prompts: one template file each (``.j2``), with front matter, rendered with hostile texts kept in their place.

- ``library``: finds, checks and renders prompt files: conqret's, those of plug-ins, and a folder of the user's own
- ``neutralizing``: keeps texts inside their block of a prompt, removes hidden characters, finds prompt injections

A template has the name of its format (``rag.j2``), or of its folder and itself (``direct/groundedness``). Those that
begin with ``_`` are parts of others.
"""

from conqret.prompts.library import Library, Prompt, RenderedPrompt
from conqret.prompts.neutralizing import Injection, find_injections, neutralise

__all__ = ["Injection", "Library", "Prompt", "RenderedPrompt", "find_injections", "neutralise"]
