"""The documents of one record, in whichever of the known shapes they come."""

from __future__ import annotations

from collections.abc import Mapping

from conqret.data.item import Document
from conqret.io.cell_values import is_missing
from conqret.io.checks import a_list, identifier, text
from conqret.io.columns import Dialect
from conqret.io.faults import Unfit, kind, listed, quoted
from conqret.io.schema import Field, Schema, TableReader
from conqret.io.text_cells import LONG_DOCUMENT_TOKENS, estimated_tokens


def read_documents(dialect: Dialect, value: object, where: str, reader: TableReader) -> tuple[Document, ...]:
    """The documents in a column's value; what cannot be read becomes faults of the reader."""
    every = enumerate(_list(dialect, value), start=1)
    documents = [_document(one, f"{where}[{number}]", number, reader) for number, one in every]
    places: dict[str, int] = {}
    for number, document in enumerate(documents, start=1):
        if document and places.setdefault(document.id, number) != number:
            reader.fault(
                f"{where}[{number}].id",
                f"is {quoted(document.id)}, as that of document {places[document.id]} of the same item",
                "Give every document its own id",
            )
    return tuple(document for document in documents if document)


def _list(dialect: Dialect, value: object) -> list[object]:
    if isinstance(value, str):
        start = value.lstrip()
        if dialect.one_document and not start.startswith(('["', "['")):
            return [value] if start else []
        if dialect.separator and not start.startswith("["):
            return list(value.split(dialect.separator))
    return a_list(value, "a list", 'Write a list of texts, or of objects {"id": …, "text": …}')


def _document(value: object, where: str, number: int, reader: TableReader) -> Document | None:
    if isinstance(value, Document):
        value = value.model_dump()
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        remedy = 'Write a text or an object {"id": …, "text": …}'
        reader.fault(where, f"is {kind(value)}, and a document is expected", remedy)
        return None
    found = reader.read(value, DOCUMENT, f"{where}.")
    if unused := [str(key) for key, one in value.items() if key not in reader.heads and not is_missing(one)]:
        reader.note(f"fields of documents that are not used: {listed(sorted(unused), 5)}")
    if found is None:
        return None
    if found["id"] is None:
        reader.note("documents without an id are called by their place: d1, d2, …")
        found["id"] = f"d{number}"
    return Document(**found)


def _content(value: object, where: str, reader: TableReader) -> str:
    found = text(value, where, reader)
    if not found.strip():
        raise Unfit("is an empty text", "Delete the document, or fill in its text")
    if (tokens := estimated_tokens(found)) > LONG_DOCUMENT_TOKENS:
        reader.notes.add(
            f"a document has more than {LONG_DOCUMENT_TOKENS:,} tokens and may be trimmed to fit the model",
            f"{where} in line {reader.line}, about {tokens:,} tokens",
        )
    return found


DOCUMENT = Schema(
    "a document",
    {
        "id": Field(("id", "docid", "doc_id", "docno", "node.id_", "node.node_id"), identifier),
        "text": Field(
            (
                "text",
                "segment",
                "content",
                "page_content",
                "doc.segment",
                "doc.text",
                "doc.contents",
                "node.text",
                "node.text_resource.text",
            ),
            _content,
            needed="Add its text, say where it stands (--columns documents=COLUMN.FIELD), or delete the document",
        ),
        "title": Field(("title", "doc.title", "node.metadata.title", "node.metadata.file_name"), text, ""),
        "url": Field(("url", "doc.url", "node.metadata.url"), text, ""),
    },
)
"""Where the parts of a document may stand: conqret, nuggetizer, LangChain, RAGChecker, PyTerrier, LlamaIndex."""
