"""Prompts: one template file each, with front matter, rendered with hostile texts kept in their place."""

from conqret.prompts.guard import Injection, find_injections, neutralise
from conqret.prompts.library import Library, Prompt, Rendered

__all__ = ["Injection", "Library", "Prompt", "Rendered", "find_injections", "neutralise"]
