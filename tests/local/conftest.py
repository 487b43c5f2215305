"""Folders of small models; torch is imported by the fixtures, so that tests skip where it is missing."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def _threads():
    torch = pytest.importorskip("torch", reason="the extra perplexity is not installed: torch is missing")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folder of a model: gpt2, llama or qwen2, with or without a chat template."""
    from tests.local.small_models import network, tokenizer

    made = {}

    def build(kind: str, chat: bool = False) -> str:
        if (kind, chat) not in made:
            place = tmp_path_factory.mktemp(f"{kind}-{chat}")
            words = tokenizer(begins=kind == "llama", chat=chat)
            words.save_pretrained(place)
            network(kind, len(words)).save_pretrained(place)
            made[kind, chat] = str(place)
        return made[kind, chat]

    return build
