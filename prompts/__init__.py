"""Prompts: one template file each, with front matter, rendered with hostile texts kept in their place."""

from conqret.prompts.guard import neutralise
from conqret.prompts.injections import Injection, find_injections
from conqret.prompts.library import Library, Prompt, Rendered

__all__ = ["Injection", "Library", "Prompt", "Rendered", "find_injections", "neutralise"]
