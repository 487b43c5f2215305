"""Which model could be asked from here: one whose key is set, or one that a server on this machine has."""

from __future__ import annotations

import http.client
import json
import os
import shlex
from concurrent.futures import ThreadPoolExecutor

BY_KEY = {
    "OPENAI_API_KEY": "gpt-4o-mini",
    "ANTHROPIC_API_KEY": "claude-haiku-4-5",
    "GEMINI_API_KEY": "gemini/gemini-2.5-flash",
    "MISTRAL_API_KEY": "mistral/mistral-small-latest",
    "DEEPSEEK_API_KEY": "deepseek/deepseek-chat",
    "TOGETHERAI_API_KEY": "together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo",
}
"""A small model of each provider, by the variable of its key."""

PORTS = {11434: "Ollama", 8000: "vLLM", 1234: "LM Studio"}
"""Where servers of one's own usually listen."""

PATIENCE = 0.3
"""Seconds that a server on this machine has to name its models."""
MOST_BYTES = 1 << 16
MOST_CHARACTERS = 120


def suggestion() -> tuple[str, str] | None:
    """The options that name a model which can be asked from here, and why it can; None where there is none.

    The environment is looked at, then the usual ports of the loopback address; nothing else is asked.
    """
    for variable, model in BY_KEY.items():
        if os.environ.get(variable, "").strip():
            return f"--model {model}", f"{variable} is set"
    with ThreadPoolExecutor(len(PORTS)) as pool:
        first_models = pool.map(_first_model, PORTS)
        for (port, server), model in zip(PORTS.items(), first_models, strict=True):
            if model:
                base = f"http://localhost:{port}/v1"
                return (
                    f"--model {shlex.quote(f'openai/{model}')} --api-base {base}",
                    f"{server} answers on port {port}",
                )
    return None


def _first_model(port: int) -> str:
    """The first model of the server at a port of this machine; empty where none answers as OpenAI does."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/v1/models")
        answer = connection.getresponse()
        name = json.loads(answer.read(MOST_BYTES))["data"][0]["id"]
        return name if isinstance(name, str) and len(name) <= MOST_CHARACTERS and name.isprintable() else ""
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, RecursionError):
        return ""
    finally:
        connection.close()
