"""Convert LlamaIndex' nodes to documents of pgbraid, and chunks to nodes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.schema import (
    BaseNode,
    Document,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores.utils import metadata_dict_to_node

from pgbraid_stores.records import Passage, record
from pgbraid_stores.tracking import StableIds

__all__ = ["KEY", "indexed_records", "node_of", "record_of"]

KEY = "_llamaindex"
# The id, metadata, text and vector of a node have their own fields in a document, so they are left out here.
ELSEWHERE = ("id_", "metadata", "text", "text_resource", "embedding")

# In a chunk that another program wrote, these keys name its origin. They are hidden from language models and embedding
# models.
ORIGIN = ("ingest", "source", "external_id", "chunk_index")


def record_of(node: BaseNode, source: str | None = None, external_id: str | None = None) -> dict[str, Any]:
    """Return the record to write; `index` gives the source as well."""
    metadata = node.metadata
    dumped = node.model_dump(mode="json")
    own: dict[str, Any] = {
        "type": node.class_name(),
        "node": {name: value for name, value in dumped.items() if name not in ELSEWHERE},
        "ref_doc_id": node.ref_doc_id,
        "empty": [name for name, value in metadata.items() if value in ([], "")],
    }
    if source is not None:
        own |= {"indexed": True, "source": source}
    return record(
        external_id or node.node_id, node.get_content(metadata_mode=MetadataMode.NONE), metadata, key=KEY, own=own,
        title=metadata.get("title") or metadata.get("file_name"),
        source=metadata.get("source") or metadata.get("file_path") or metadata.get("url"),
        embedding=node.embedding,
    )  # fmt: skip


def indexed_records(nodes: Sequence[BaseNode]) -> list[dict[str, Any]]:
    stable = StableIds()
    texts = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
    sources = [node.ref_doc_id or node.node_id for node in nodes]
    ids = {
        node.node_id: stable.next_of(source, text)
        for node, source, text in zip(nodes, sources, texts, strict=True)
        if node.ref_doc_id
    }
    renamed = [_renamed(node, ids) for node in nodes]
    return [record_of(node, source) for node, source in zip(renamed, sources, strict=True)]


def _renamed(node: BaseNode, ids: Mapping[str, str]) -> BaseNode:
    """Return a copy with the ids of `index`, also in its relationships."""
    copy = node.model_copy()
    copy.id_ = ids.get(node.node_id, node.node_id)
    copy.relationships = {kind: _related(related, ids) for kind, related in node.relationships.items()}
    if isinstance(copy, IndexNode):
        copy.index_id = ids.get(copy.index_id, copy.index_id)
    return copy


def _related(related: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(related, list):
        return [_related(one, ids) for one in related]
    return related.model_copy(update={"node_id": ids.get(related.node_id, related.node_id)})


def node_of(passage: Passage) -> BaseNode:
    own = passage.own
    if own is not None and isinstance(own.get("node"), dict):
        dumped = {**own["node"], "id_": passage.id, "metadata": passage.metadata}
        if own.get("type") == Document.class_name():
            document = Document.from_dict(dumped)
            document.set_content(passage.text)
            return document
        stored = {"_node_content": json.dumps(dumped), "_node_type": own.get("type")}
        return metadata_dict_to_node(stored, passage.text)
    origin = [name for name in ORIGIN if name in passage.metadata]
    node = TextNode(
        id_=passage.id, text=passage.text, metadata=passage.metadata,
        excluded_llm_metadata_keys=origin, excluded_embed_metadata_keys=list(origin),
    )  # fmt: skip
    if "external_id" in passage.metadata:
        source = RelatedNodeInfo(node_id=passage.metadata["external_id"])
        node.relationships[NodeRelationship.SOURCE] = source
    return node
