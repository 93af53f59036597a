"""Test the store for LlamaIndex: modes, filters, relationships, deletion, and indexing changed documents
again."""

from __future__ import annotations

import asyncio
import copy
import pickle
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn
from llama_index.vector_stores.pgbraid import PgbraidRetriever, PgbraidVectorStore

import pgbraid
from integrations.conftest import NOTHING, OFFICE, Model
from pgbraid.errors import InvalidArgumentError

pytestmark = pytest.mark.any_version

DOWN = "embedding_unavailable: .*the embedding service is down"


def test_what_llamahub_reads() -> None:
    """The class, imported by the path that LlamaHub reads, is a vector store."""
    text = (Path(__file__).parents[2] / "python/llama-index-vector-stores-pgbraid/pyproject.toml").read_text()
    path = re.search(r'^\[tool.llamahub\](?:\n.+)*\nimport_path = "(.+)"', text, re.MULTILINE)
    assert path
    (author,) = re.findall(r'^\[tool.llamahub.class_authors\]\n(\w+) = ".+"\n\n', text, re.MULTILINE)
    assert issubclass(getattr(import_module(path[1]), author), BasePydanticVectorStore)
    assert PgbraidVectorStore.class_name() == author


class ModelEmbedding(BaseEmbedding):
    _model: Model = PrivateAttr()

    def __init__(self, model: Model) -> None:
        super().__init__(model_name="all-MiniLM-L6-v2")
        self._model = model

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._model.documents([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.query(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._model.query(query)


@pytest.fixture
def store(shared_dsn: str, tenant: str, model: Model) -> Iterator[PgbraidVectorStore]:
    with PgbraidVectorStore(ModelEmbedding(model), dsn=shared_dsn, tenant=tenant) as opened:
        yield opened


@pytest.fixture
def client(shared_dsn: str, tenant: str) -> Iterator[pgbraid.Client]:
    with pgbraid.connect(shared_dsn, tenant) as connected:
        yield connected


def node(id_: str, text: str, of: str | None = None, **metadata: Any) -> TextNode:
    made = TextNode(id_=id_, text=text, metadata=metadata)
    if of is not None:
        made.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=of)
    return made


def ids(store: PgbraidVectorStore, text: str, **query: Any) -> list[str]:
    mode = VectorStoreQueryMode(query.pop("mode", "default"))
    found = store.query(VectorStoreQuery(query_str=text, mode=mode, similarity_top_k=10, **query))
    assert (
        asyncio.run(store.aquery(VectorStoreQuery(query_str=text, mode=mode, similarity_top_k=10, **query))).ids
        == found.ids
    )
    return found.ids or []


# Searching


def test_modes_of_queries(store: PgbraidVectorStore, model: Model) -> None:
    store.add([node("1", "Error E42 of the export."), node("2", "Invoices in May."), node("3", "Export of invoices.")])
    assert ids(store, "E42") == ids(store, "E42", mode="hybrid")
    assert len(ids(store, "E42")) == 3
    assert ids(store, "E42", mode="text_search") == ids(store, "E42", mode="sparse") == ["1"]
    vector = model.query("Invoices in May.")
    assert ids(store, "E42", query_embedding=vector, mode="hybrid", alpha=0.0) == ["1"]
    assert ids(store, "E42", query_embedding=vector, mode="hybrid", alpha=1.0)[0] == "2"
    result = store.query(VectorStoreQuery(query_embedding=vector, similarity_top_k=1))
    assert result.ids == ["2"] and result.similarities and result.similarities[0] == pytest.approx(1)
    limited = VectorStoreQuery(
        query_str="export", mode=VectorStoreQueryMode.HYBRID, similarity_top_k=3, sparse_top_k=3, hybrid_top_k=2
    )
    assert len(store.query(limited).ids or []) == 2
    for refused in ("svm", "logistic_regression", "linear_regression", "semantic_hybrid"):
        with pytest.raises(InvalidArgumentError, match=f"the query mode '{refused}' cannot be done"):
            ids(store, "E42", mode=refused)


def test_a_store_that_is_copied_or_saved(store: PgbraidVectorStore, shared_dsn: str, model: Model) -> None:
    store.add([node("1", "fox")])
    store.mode = "full_text"
    saved = store.to_dict()
    assert shared_dsn not in saved.values()
    again = PgbraidVectorStore.from_dict(saved, embed_model=ModelEmbedding(model), dsn=shared_dsn)
    assert PgbraidVectorStore.from_dict(saved).is_embedding_query
    for other in (pickle.loads(pickle.dumps(store)), copy.deepcopy(store), again):
        with other:
            assert not other.is_embedding_query
            assert (ids(other, "fox"), ids(other, "hen")) == (["1"], [])


def test_diverse_nodes(store: PgbraidVectorStore) -> None:
    store.add([node("1", "fox in the snow"), node("2", "fox in the snow again"), node("3", "fox and hen")])
    assert ids(store, "fox snow") == ["1", "2", "3"]
    assert ids(store, "fox snow", mode="mmr", mmr_threshold=0.1) == ["1", "3", "2"]


def test_arguments_of_diversity_as_llamaindex_gives_them(store: PgbraidVectorStore) -> None:
    index = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(384))
    store.add([node("1", "fox in the snow"), node("2", "fox in the snow again"), node("3", "fox and hen")])

    def found(mode: str = "mmr", **kwargs: Any) -> list[str]:
        retriever = index.as_retriever(vector_store_query_mode=mode, similarity_top_k=2, vector_store_kwargs=kwargs)
        return [one.node.node_id for one in retriever.retrieve("fox snow")]

    assert found(mmr_threshold=0.1, mmr_prefetch_factor=4) == found(mmr_threshold=0.1, mmr_prefetch_k=8) == ["1", "3"]
    # With as many candidates as rows, there is nothing to choose.
    assert found(mmr_threshold=0.1, mmr_prefetch_k=2) == ["1", "2"]
    assert found("default", mmr_threshold=0.1) == ["1", "2"]
    with pytest.raises(InvalidArgumentError, match="give one"):
        found(mmr_prefetch_k=2, mmr_prefetch_factor=4)


def test_an_index_of_llamaindex(shared_dsn: str, tenant: str, model: Model) -> None:
    """LlamaIndex embeds; the first write creates the collection for its vectors."""
    options: dict[str, Any] = {"dsn": shared_dsn, "tenant": tenant, "collection": tenant, "model_name": "hashes"}
    with PgbraidVectorStore(**options) as store:
        index = VectorStoreIndex.from_vector_store(store, embed_model=ModelEmbedding(model))
        index.insert_nodes([node("1", "The fox sleeps.", of="a"), node("2", "The hen wakes.", of="b")])
        retriever = index.as_retriever(similarity_top_k=1)
        assert [found.node.node_id for found in retriever.retrieve("fox")] == ["1"]
        assert [found.node.node_id for found in asyncio.run(retriever.aretrieve("hen"))] == ["2"]
        answer = index.as_query_engine(llm=MockLLM(), similarity_top_k=1).query("Who sleeps, the fox?")
        assert "The fox sleeps." in str(answer)
        assert [found.node.ref_doc_id for found in answer.source_nodes] == ["a"]
        index.delete_ref_doc("a")
        assert [found.node.node_id for found in retriever.retrieve("fox")] == ["2"]
    with pgbraid.connect(shared_dsn) as connected:
        assert connected.connection.execute(
            "select dimensions, embedding_model from braid.collections where name = %s", (tenant,)
        ).fetchone() == (384, "hashes")


def test_an_embedding_service_that_is_down(store: PgbraidVectorStore, model: Model) -> None:
    model.is_down = True
    with pytest.warns(UserWarning, match="stored, but wait for their embeddings"):
        store.add([node("1", "Error E42 of the export.")])
    index = VectorStoreIndex.from_vector_store(store, embed_model=ModelEmbedding(model))
    for retriever in (index.as_retriever(), PgbraidRetriever(store)):
        with pytest.warns(UserWarning, match=DOWN):
            assert [found.node.node_id for found in retriever.retrieve("error E42")] == ["1"]
        with pytest.warns(UserWarning, match=DOWN):
            assert len(asyncio.run(retriever.aretrieve("error E42"))) == 1


def test_the_retriever(store: PgbraidVectorStore) -> None:
    store.add([node(str(number), f"fox {number}", n=number) for number in range(5)])
    filters = MetadataFilters(filters=[MetadataFilter(key="n", value=1, operator=FilterOperator.GT)])
    retriever = PgbraidRetriever(store, similarity_top_k=2, filters=filters, mode="full_text")
    found = retriever.retrieve("fox 3")
    assert found[0].node.node_id == "3" and len(found) == 2
    assert found[0].score is not None and found[1].score is not None and found[0].score > found[1].score
    assert asyncio.run(retriever.aretrieve("fox 3")) == found
    same = PgbraidRetriever(store, similarity_top_k=2, filters={"n": {"$gt": 1}}, mode="full_text")
    assert same.retrieve("fox 3") == found


def test_scores_of_hybrid_searches_are_relevances(store: PgbraidVectorStore, model: Model) -> None:
    store.add([node(str(number), text) for number, text in enumerate(OFFICE)])
    index = VectorStoreIndex.from_vector_store(store, embed_model=ModelEmbedding(model))
    cutoff = SimilarityPostprocessor(similarity_cutoff=0.5)
    for retriever in (PgbraidRetriever(store, similarity_top_k=6), index.as_retriever(similarity_top_k=6)):
        assert len(retriever.retrieve(NOTHING)) == 6
        assert cutoff.postprocess_nodes(retriever.retrieve(NOTHING)) == []
        found = retriever.retrieve("printer toner")
        scores = [one.score or 0.0 for one in found]
        assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
        assert [one.node.node_id for one in cutoff.postprocess_nodes(found)] == ["2"]


def test_documents_that_came_otherwise(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    client.add_documents(
        [
            {
                "external_id": "seats.md",
                "title": "Seats",
                "source_uri": "file:///seats.md",
                "metadata": {"ingest": {"source": "s", "path": "seats.md"}},
                "chunks": [{"content": "A seat costs ten."}, {"content": "Seats are billed monthly."}],
            }
        ]
    )
    (found,) = PgbraidRetriever(store, mode="full_text").retrieve("billed monthly")
    assert found.node.get_content() == "Seats are billed monthly."
    assert (found.node.node_id, found.node.ref_doc_id) == ("seats.md#1", "seats.md")
    assert found.node.metadata == {
        "title": "Seats", "source": "file:///seats.md", "external_id": "seats.md", "chunk_index": 1,
        "ingest": {"source": "s", "path": "seats.md"},
    }  # fmt: skip
    assert found.node.get_content(MetadataMode.LLM) == "title: Seats\n\nSeats are billed monthly."
    assert found.node.get_content(MetadataMode.EMBED) == "title: Seats\n\nSeats are billed monthly."
    assert store.get_nodes(["seats.md#1"]) == [found.node]
    of_seats = MetadataFilters(filters=[MetadataFilter(key="external_id", value="seats.md")])
    assert [one.node_id for one in store.get_nodes(filters=of_seats)] == ["seats.md", "seats.md#1"]
    store.delete("seats.md")
    assert client.count() == 0


# Filters

METADATA: dict[str, dict[str, Any]] = {
    "a": {"year": 2024, "name": "Ana", "tags": ["x", "y"], "none": None, "empty": [], "external_id": "d"},
    "b": {"year": 2025, "name": "Ben", "tags": ["y"], "none": "", "empty": ["p"], "category": 7, "language": ""},
    "c": {"year": 2026.5, "name": "ana", "tags": ["z"], "empty": [0], "category": "x", "occurred_at": "soon"},
    "d": {"name": "Dora Ana", "tags": [], "none": 0, "empty": "text", "importance": 3, "external_id": "a"},
}
EQ, NE, GT, GTE, LT, LTE, IN, NIN, ANY, ALL, CONTAINS, IS_EMPTY = (
    FilterOperator(name)
    for name in ("==", "!=", ">", ">=", "<", "<=", "in", "nin", "any", "all", "contains", "is_empty")
)
CASES: list[tuple[str, FilterOperator, Any]] = [
    ("year", EQ, 2025),
    ("name", EQ, "Ana"),
    ("name", NE, "Ana"),
    ("year", NE, 2024),
    ("year", GT, 2025),
    ("year", GTE, 2025),
    ("year", LT, 2025),
    ("year", LTE, 2026.5),
    ("name", GT, "Ben"),
    ("year", IN, [2024, 2025]),
    ("name", IN, ["Ana", "Ben"]),
    ("name", NIN, ["Ana", "Ben"]),
    ("year", NIN, [2024]),
    ("tags", ANY, ["x", "z"]),
    ("tags", ALL, ["x", "y"]),
    ("tags", ALL, ["y"]),
    ("tags", ALL, []),
    ("year", ALL, []),
    ("category", EQ, 7),
    ("category", NE, "x"),
    ("category", IN, ["x", "y"]),
    ("importance", EQ, "high"),
    ("importance", GTE, 2),
    ("external_id", EQ, "a"),
    ("external_id", NE, "a"),
    ("language", IS_EMPTY, None),
    ("occurred_at", EQ, "soon"),
    ("tags", CONTAINS, "y"),
    ("none", IS_EMPTY, None),
    ("empty", IS_EMPTY, None),
    ("tags", IS_EMPTY, None),
    ("absent", IS_EMPTY, None),
    ("absent", NE, 1),
]


@pytest.fixture(scope="module")
def filtered(shared_dsn: str) -> Iterator[PgbraidVectorStore]:
    with PgbraidVectorStore(dsn=shared_dsn, embed=False) as store:
        store.add([node(id_, "fox", **metadata) for id_, metadata in METADATA.items()])
        yield store


def expected(filters: MetadataFilters) -> set[str]:
    """Return the ids that LlamaIndex' own store matches."""
    return set(filter(build_metadata_filter_fn(lambda id_: METADATA[id_], filters), METADATA))


@pytest.mark.parametrize(("key", "operator", "value"), CASES)
def test_filters_match_as_llamaindex_does(
    filtered: PgbraidVectorStore, key: str, operator: FilterOperator, value: Any
) -> None:
    filters = MetadataFilters(filters=[MetadataFilter(key=key, operator=operator, value=value)])
    assert set(ids(filtered, "fox", mode="text_search", filters=filters)) == expected(filters)
    assert {found.node_id for found in filtered.get_nodes(filters=filters)} == expected(filters)


@pytest.mark.parametrize("condition", FilterCondition)
def test_filters_together(filtered: PgbraidVectorStore, condition: FilterCondition) -> None:
    parts = [MetadataFilter(key=key, operator=operator, value=value) for key, operator, value in CASES[1:6]]
    filters = MetadataFilters(filters=[*parts[:2]], condition=condition)
    assert set(ids(filtered, "fox", mode="text_search", filters=filters)) == expected(filters)
    nested = MetadataFilters(filters=[filters, parts[3]], condition=FilterCondition.AND)
    both = expected(filters) & expected(MetadataFilters(filters=[parts[3]]))
    assert set(ids(filtered, "fox", mode="text_search", filters=nested)) == both
    assert len(ids(filtered, "fox", mode="text_search", filters=MetadataFilters(filters=[]))) == 4


def test_an_empty_list_in_a_filter_of_several(filtered: PgbraidVectorStore) -> None:
    empty = MetadataFilters(filters=[MetadataFilter(key="tags", operator=ALL, value=[])], condition=FilterCondition.NOT)
    both = MetadataFilters(filters=[MetadataFilter(key="year", operator=EQ, value=2025), empty])
    assert filtered.get_nodes(filters=both) == []


@pytest.mark.parametrize(
    ("condition", "operators"),
    [
        (FilterCondition.AND, [ALL]),
        (FilterCondition.AND, [NIN, ALL]),
        (FilterCondition.OR, [NIN, EQ]),
        (FilterCondition.NOT, [ANY, IN]),
        (FilterCondition.AND, []),
    ],
)
def test_a_filter_that_keeps_every_node_deletes_none(
    filtered: PgbraidVectorStore, condition: FilterCondition, operators: list[FilterOperator]
) -> None:
    parts = [MetadataFilter(key="tags", operator=one, value="x" if one == EQ else []) for one in operators]
    filters = MetadataFilters(filters=list(parts), condition=condition)
    with pytest.raises(InvalidArgumentError, match="clear"):
        filtered.delete_nodes(filters=filters)
    with pytest.raises(InvalidArgumentError, match="clear"):
        asyncio.run(filtered.adelete_nodes(filters=filters))
    assert len(filtered.get_nodes(["a", "b", "c", "d"])) == 4


def test_every_operator_is_known(filtered: PgbraidVectorStore) -> None:
    assert {operator for _, operator, _ in CASES} | {*TEXTS} == set(FilterOperator)


TEXTS: dict[FilterOperator, dict[str, list[str]]] = {
    FilterOperator.TEXT_MATCH: {
        "50%": ["1"],
        "a_b": ["2"],
        "Pri": ["1", "2"],
        "pri": [],
        "\\": ["3"],
        "": ["1", "2", "3"],
    },
    FilterOperator.TEXT_MATCH_INSENSITIVE: {"pri": ["1", "2"], "É": ["3"], "A_B": ["2"]},
}


def test_a_part_of_a_text(store: PgbraidVectorStore) -> None:
    names = {"1": "Price 50%", "2": "Price a_b", "3": "back\\slash é"}
    store.add([node(id_, "fox", name=name, topics=[name]) for id_, name in names.items()])
    for operator, parts in TEXTS.items():
        for part, expected in parts.items():
            for key in ("name", "topics"):
                filters = MetadataFilters(filters=[MetadataFilter(key=key, operator=operator, value=part)])
                assert sorted(ids(store, "fox", filters=filters)) == expected, (operator, part)
        filters = MetadataFilters(filters=[MetadataFilter(key="name", operator=operator, value=5)])
        with pytest.raises(InvalidArgumentError, match="needs a text"):
            ids(store, "fox", filters=filters)


def test_filters_by_documents_and_nodes(store: PgbraidVectorStore) -> None:
    store.add([node("1", "fox", of="a"), node("2", "fox", of="a"), node("3", "fox", of="b")])
    assert ids(store, "fox", doc_ids=["b"]) == ["3"]
    assert set(ids(store, "fox", node_ids=["1", "3"])) == {"1", "3"}
    by_key = MetadataFilters(filters=[MetadataFilter(key="doc_id", value="a")])
    assert set(ids(store, "fox", filters=by_key)) == {"1", "2"}
    assert [found.node_id for found in store.get_nodes(["3", "1"])] == ["3", "1"]
    assert [found.node_id for found in asyncio.run(store.aget_nodes(["3", "1"], by_key))] == ["1"]
    with pytest.raises(InvalidArgumentError, match="neither node_ids nor filters"):
        store.get_nodes()


# Nodes


def dump(found: BaseNode) -> dict[str, Any]:
    return found.model_dump(mode="json", exclude={"embedding"})


@pytest.mark.parametrize("is_async", [False, True])
def test_nodes_come_back_as_they_were(store: PgbraidVectorStore, is_async: bool) -> None:
    document = Document(id_="doc", text="One fox sleeps. " * 40, metadata={"file_name": "fox.md", "speaker": "Ana"})
    document.excluded_embed_metadata_keys = ["file_name"]
    split = SentenceSplitter(chunk_size=60, chunk_overlap=0).get_nodes_from_documents([document])
    nodes: list[BaseNode] = [
        *split,
        IndexNode(id_="index", text="A table.", index_id="elsewhere"),
        ImageNode(id_="image", text="A picture.", image_url="https://example.com/fox.png"),
        Document(id_="whole", text="A whole document.", metadata={"nested": {"list": [1, "a", None]}}),
    ]
    assert NodeRelationship.NEXT in split[0].relationships and len(split) > 2
    if is_async:
        assert asyncio.run(store.async_add(nodes)) == [one.node_id for one in nodes]
        found = asyncio.run(store.aget_nodes([one.node_id for one in nodes]))
    else:
        store.add(nodes)
        found = store.get_nodes([one.node_id for one in nodes])
    assert [type(one) for one in found] == [type(one) for one in nodes]
    assert [dump(one) for one in found] == [dump(one) for one in nodes]
    assert found[1].prev_node is not None and found[1].prev_node.node_id == split[0].node_id


@pytest.mark.parametrize("is_async", [False, True])
def test_deletion(store: PgbraidVectorStore, client: pgbraid.Client, is_async: bool) -> None:
    """Only the named one of several documents with equal text is deleted."""
    store.add([node("1", "same", of="a"), node("2", "same", of="b"), node("3", "same", of="b", n=1), node("4", "same")])
    by_n = MetadataFilters(filters=[MetadataFilter(key="n", value=1)])
    if is_async:
        asyncio.run(store.adelete("a"))
        asyncio.run(store.adelete_nodes(["2"]))
        asyncio.run(store.adelete_nodes(filters=by_n))
    else:
        store.delete("a")
        store.delete_nodes(["2"])
        store.delete_nodes(filters=by_n)
    assert [found.external_id for found in client.list_documents()] == ["4"]
    if is_async:
        asyncio.run(store.aclear())
    else:
        store.clear()
    assert client.count() == 0


def test_many_nodes_are_looked_up_and_deleted(store: PgbraidVectorStore) -> None:
    """More ids are looked up and deleted than one filter of at most 1 MiB can hold."""
    store.add([node("1", "fox", n=1), node("2", "fox", n=2), node("3", "fox", n=1)])
    many = [f"{number:01000}" for number in range(1200)]
    by_n = MetadataFilters(filters=[MetadataFilter(key="n", value=1)])
    assert [found.node_id for found in store.get_nodes([*many, "1", "2"], by_n)] == ["1"]
    store.delete_nodes([*many, "1", "2"], by_n)
    assert [found.node_id for found in store.get_nodes(["1", "2", "3"])] == ["2", "3"]
    asyncio.run(store.adelete_nodes(["2", *many]))
    assert [found.node_id for found in store.get_nodes(["1", "2", "3"])] == ["3"]
    store.delete_nodes([])
    assert [found.node_id for found in store.get_nodes(["1", "2", "3"])] == ["3"]


# Indexing changed documents again


def split(*documents: Document) -> list[BaseNode]:
    """Split documents into nodes with new ids in every run, as a splitter does."""
    return SentenceSplitter(chunk_size=40, chunk_overlap=0).get_nodes_from_documents(documents)


def test_documents_of_equal_text_are_deleted(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    """llama_index#22706: the pipeline deleted only one of several documents with equal text."""
    both = [Document(id_="doc-a", text="The licence."), Document(id_="doc-b", text="The licence.")]
    other = Document(id_="doc-c", text="Another text.")
    assert store.index(split(*both, other), cleanup="full")["num_added"] == 3
    assert store.index(split(other), cleanup="full") == {
        "num_added": 0, "num_updated": 0, "num_deleted": 2, "num_skipped": 1,
    }  # fmt: skip
    assert client.count() == 1


@pytest.mark.parametrize("is_async", [False, True])
def test_unchanged_nodes_are_not_embedded_again(store: PgbraidVectorStore, model: Model, is_async: bool) -> None:
    text = "One fox sleeps in the snow. Two hens are awake at night. " * 5
    before = Document(id_="doc", text=text + "The end.", metadata={"k": 1})

    def run(document: Document) -> dict[str, int]:
        nodes = split(document)
        counts = asyncio.run(store.aindex(nodes)) if is_async else store.index(nodes)
        return {name: value for name, value in counts.items() if isinstance(value, int)}

    first = run(before)
    embedded = len(model.texts)
    assert first["num_added"] == len(split(before)) > 2 and embedded > 0
    again = store.index(split(before), cleanup="incremental")
    assert again["num_skipped"] == first["num_added"] and again["num_deleted"] == 0
    assert len(model.texts) == embedded
    after = Document(id_="doc", text=text + "A new end.", metadata={"k": 1})
    changed = store.index(split(after), cleanup="incremental")
    assert (changed["num_added"], changed["num_deleted"]) == (1, 1)
    assert len(model.texts) == embedded + 1
    # Relationships name the nodes' current ids.
    stored = PgbraidRetriever(store, similarity_top_k=20, mode="full_text").retrieve("fox hens end")
    known = {one.node.node_id for one in stored}
    assert len(known) == first["num_added"]
    for one in stored:
        assert isinstance(one.node, TextNode) and one.node.ref_doc_id == "doc"
        assert {near.node_id for near in (one.node.prev_node, one.node.next_node) if near} <= known


def test_an_ingestion_pipeline_writes_into_it(store: PgbraidVectorStore, model: Model) -> None:
    pipeline = IngestionPipeline(
        transformations=[SentenceSplitter(), ModelEmbedding(model)], vector_store=store, disable_cache=True
    )
    pipeline.run(documents=[Document(id_="doc", text="One fox.")])
    asyncio.run(pipeline.arun(documents=[Document(id_="doc-2", text="Two hens.")]))
    assert PgbraidRetriever(store).retrieve("fox")[0].node.ref_doc_id == "doc"
    # The store keeps the embeddings that nodes bring.
    assert model.texts == ["One fox.", "Two hens."]


def test_nodes_with_embeddings_and_without(store: PgbraidVectorStore, model: Model) -> None:
    given = node("1", "fox")
    given.embedding = model.query("fox")
    store.add([given, node("2", "hen")])
    assert model.texts == ["hen"]
    assert ids(store, "fox") == ["1", "2"]
    wrong = node("3", "hen")
    wrong.embedding = MockEmbedding(embed_dim=8).get_text_embedding("hen")
    with pytest.raises(InvalidArgumentError, match="8 dimensions"):
        store.add([wrong])
