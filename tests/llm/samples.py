"""Requests and a quick way to ask them, shared by the client's tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from pydantic import BaseModel, Field, ValidationInfo, model_validator

from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import Recordings
from conqret.llm.request import Answer, Message, Request

SECRET = "sk-proj-thisisaverysecretkey0123456789"


class Rated(BaseModel):
    number: int
    explanation: str
    rating: int = Field(ge=0, le=5)


class Verdict(BaseModel):
    documents: list[Rated]
    overall: int = Field(ge=0, le=5)

    @model_validator(mode="after")
    def _every_document_once(self, info: ValidationInfo) -> Self:
        wanted = (info.context or {}).get("documents")
        if wanted is not None and [d.number for d in self.documents] != list(range(1, wanted + 1)):
            raise ValueError(f"rate each of the documents 1 to {wanted} exactly once")
        return self


def request(number: int = 0, **fields: Any) -> Request[Verdict]:
    messages = [
        Message("system", "You rate documents."),
        Message("user", f"Rate the documents of item {number}."),
    ]
    given = {"ask": "rag", "item": f"item-{number}", "messages": messages, "response": Verdict}
    return Request(**(given | {"context": {"documents": 3}} | fields))


def options(url: str = "http://127.0.0.1:9/v1", **fields: Any) -> ClientOptions:
    given: dict[str, Any] = {"model": "openai/judge", "api_base": url, "api_key": SECRET, "timeout": 20.0}
    return ClientOptions(**(given | fields))


async def ask_all(
    client_options: ClientOptions,
    requests: Sequence[Request[Verdict]],
    store: Recordings | None = None,
    **fields: Any,
) -> tuple[list[Answer[Verdict]], Client]:
    async with Client(client_options, store=store, **fields) as client:
        return list(await asyncio.gather(*map(client.request, requests))), client
