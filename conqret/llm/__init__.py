"""Asking language models: one async client, its recordings, and the offline baseline.

Importing this package imports no LLM library; litellm and instructor are loaded by the first real call.
"""

from conqret.llm.client import Client
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.llm.progress import Missing, Progress
from conqret.llm.ratings import rating_distribution
from conqret.llm.recordings import Recordings
from conqret.llm.request import Answer, Completion, Message, Request, TokenLogprobs
from conqret.llm.trim import Trimmed, trim_proportionally

__all__ = [
    "OFFLINE_MODEL",
    "Answer",
    "Client",
    "ClientOptions",
    "Completion",
    "Message",
    "Missing",
    "Progress",
    "Recordings",
    "Request",
    "TokenLogprobs",
    "Trimmed",
    "rating_distribution",
    "trim_proportionally",
]
