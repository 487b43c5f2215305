"""Where the answer stands in what a model wrote: after all of its thoughts, and in JSON the objects there.

Models mark their thoughts in many ways, and servers leave the marks in, or only the closing one (the opening one stood
in the prompt). What follows the last closing mark is the answer; where thoughts are open at the end, none came.
"""

from __future__ import annotations

import re

_NAME = r"(?:\w{1,20}[:_])?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)"
_CLOSING = re.compile(
    rf"(?i:<\|?/{_NAME}\|?>)"
    r"|\[/THINK\]|◁/think▷"
    r"|(?i:<\|end_(?:of_)?(?:think(?:ing)?|thoughts?)\|>)"
    r"|<\|channel\|>\s*+final\b[^{}\n]{0,60}?<\|message\|>"  # gpt-oss
    r"|assistantfinal"  # the same without its special tokens
    r"|<channel\|>"  # Gemma
)
_OPENING = re.compile(
    rf"(?i:<\|?{_NAME}(?:\s[^<>]{{0,200}})?\|?>)"
    r"|\[THINK\]|◁think▷"
    r"|(?i:<\|(?:begin|start)_(?:of_)?(?:think(?:ing)?|thoughts?)\|>)"
    r"|<\|channel\|>\s*+(?:analysis|commentary)\b"
    r"|\Aanalysis(?=[A-Z])"
    r"|<\|channel>\s*+thought\b"
)
"""Tags of Qwen, DeepSeek, EXAONE, Seed, Claude and others, Magistral, Kimi, Sky-T1 and Command A, gpt-oss, Gemma."""

_TAGS = ("answer", "final_answer", "output", "response")
_BEFORE = (
    "<|begin_of_solution|>",
    "<|START_RESPONSE|>",
    "<|START_TEXT|>",
    "◁answer▷",
    *(f"<{tag}>" for tag in _TAGS),
)
_ENDS = ("<|return|>", "<|end|>", "<|im_end|>", "<|eot_id|>", "<|endoftext|>", "</s>", "<|END_RESPONSE|>")
_AFTER = (*_ENDS, "<|end_of_solution|>", "<|END_TEXT|>", "◁/answer▷", *(f"</{tag}>" for tag in _TAGS))
"""What models put around an answer."""

_OBJECT = re.compile(r'\{(?=\s*["}])')
_PART = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}]', re.DOTALL)
"""The parts of an object: a string (which may break off), or a brace."""

_FENCE = re.compile(r"(?:```\w*+)?")


def after_thoughts(text: str) -> str | None:
    """What stands after the thoughts; None where these do not end. A lone object has none: its texts may name marks."""
    if is_lone_object(text):
        return text
    end = 0
    for closing in _CLOSING.finditer(text):
        end = closing.end()
    answer = text[end:]
    return None if _OPENING.search(answer) else answer


def written_text(text: str) -> str | None:
    """A text that a model wrote, without its thoughts and what stands around it; None where the thoughts do not end."""
    answer = after_thoughts(text)
    if answer is None:
        return None
    text = answer.strip()
    for mark in _BEFORE:
        text = text.removeprefix(mark).lstrip()
    for mark in _AFTER:
        text = text.removesuffix(mark).rstrip()
    return text


def objects_in(text: str) -> tuple[list[str], bool]:
    """The JSON objects among other words, as they look, whether valid or not; and whether one breaks off at the end.

    An object that stands in another one, or in one that breaks off, is none of them.
    """
    objects, at = list[str](), 0
    while opening := _OBJECT.search(text, at):
        at = _end_of(text, opening.start())
        if not at:
            return objects, True
        objects.append(text[opening.start() : at])
    return objects, False


def is_lone_object(text: str) -> bool:
    """Whether a text is one object, perhaps in a Markdown fence, and nothing else."""
    opening = _OBJECT.search(text)
    if opening is None or not _FENCE.fullmatch(text[: opening.start()].strip()):
        return False
    end = _end_of(text, opening.start())
    return bool(end and _FENCE.fullmatch(text[end:].strip()))


def _end_of(text: str, start: int) -> int:
    """Where the object ends that starts there; 0 where it breaks off."""
    depth = 0
    for part in _PART.finditer(text, start):
        brace = part.group()
        depth += (brace == "{") - (brace == "}")
        if not depth:
            return part.end()
    return 0
