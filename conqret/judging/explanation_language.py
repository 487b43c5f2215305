"""The language of explanations, and what prompts say of an item's language: one prompt file, whose instructions stand
behind those of whatever format is asked.

Where an item is in English and is explained in English, no prompt is another by a single byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conqret.data import Item
from conqret.errors import UnknownNameError
from conqret.text.language import item_language
from conqret.text.language_names import NAMES, language_code

ENGLISH = "en"
"""The language of all other instructions."""


def explanation_language(written: str) -> str:
    """The code of a language to explain in, as a user names it; empty where none is named.

    Raises:
        UnknownNameError: it is no language that has a name here.
    """
    code = language_code(written) if written.strip() else ""
    if code not in ("", *NAMES):
        raise UnknownNameError("language", written, NAMES.values())
    return code or ""


def prompt_languages(item: Item, explain_in: str) -> Mapping[str, str] | None:
    """The variables of the prompt: the English names of the item's language (empty where it is English, or not known)
    and of that of its explanations. None where both are English, so that nothing is to be said.

    Args:
        item: what is judged.
        explain_in: the language to explain in, as :class:`~conqret.judging.judge_options.JudgeOptions` has it.
    """
    written = item_language(item)
    explained = explanation_language(explain_in) or (written if written in NAMES else ENGLISH)
    language = NAMES.get(written, "") if written != ENGLISH else ""
    if not language and explained == ENGLISH:
        return None
    return {"language": language, "explain_in": NAMES[explained]}


def says_languages(languages: Iterable[str], explain_in: str) -> bool:
    """Whether prompts say something of languages, where items are in these."""
    return explanation_language(explain_in) not in ("", ENGLISH) or any(
        language in NAMES and language != ENGLISH for language in languages
    )
