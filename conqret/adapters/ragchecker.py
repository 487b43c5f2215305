"""Items as results that RAGChecker evaluates. Its files, and ``RAGResults.to_dict()["results"]``, are items already."""

from __future__ import annotations

from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError
from conqret.io import open_items
from conqret.judging.judge import Items


def as_results(items: Items) -> Any:
    """Convert items (a file, a frame or a list) into ``RAGResults`` of RAGChecker.

    Topic, argument, reference and documents with ids are kept; other fields are dropped. Each ``query_id``
    is the item's id.

    Raises:
        DeclarationError: an item has no argument or no reference, both of which RAGChecker needs.
    """
    ragchecker: Any = require("ragchecker.container", extra="ragchecker")
    results = []
    for item in open_items(items):
        if not item.argument or not item.reference:
            lacking = "argument" if not item.argument else "reference"
            raise DeclarationError(
                f"item {item.id} has no {lacking}, which RAGChecker needs: add it, or leave the item out"
            )
        documents = [ragchecker.RetrievedDoc(document.id, document.text) for document in item.documents]
        results.append(ragchecker.RAGResult(item.id, item.topic, item.reference, item.argument, documents))
    return ragchecker.RAGResults(results)
