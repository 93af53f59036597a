"""Measure what happens to documents: replaced, deleted, embedded anew, and read by others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.pains.engine import ENGLISH, FULL_TEXT, VECTOR, Chunk, Document, Engine, Hit, Query
from benchmarks.pains.pain import Figure, Pain
from benchmarks.pains.texts import made_vectors, rotation
from benchmarks.semantic.corpus import Vectors

REPLACED, DELETED = 20, 5
TENANTS, PER_TENANT, DIMENSIONS, QUERIES = 10, 400, 64, 20
GROUPS, GROUPS_OF_ASKER = 40, ["group:1", "group:2"]


class StaleDocuments(Pain):
    title = "Deleted and outdated texts are still found"
    main = ("still found", -1)
    threads = (
        "https://github.com/infiniflow/ragflow/issues/6462",
        "https://github.com/infiniflow/ragflow/issues/7130",
        "https://github.com/infiniflow/ragflow/issues/12520",
    )
    question = "A document is replaced by a shorter one, or deleted: is the old text still found?"
    method = (
        "Twenty topics of four passages each are written again with two other passages, by the call that inserts or "
        "replaces. Then five of them are deleted. Each old passage is searched for by its own words. By hand and in "
        "the other two stores, the call replaces rows with the same key; whoever uses them has to delete the rest "
        "first. Passes if nothing old is found."
    )

    def measure(self, engine: Engine) -> Figure:
        chosen = [(name, passages) for name, passages in self.texts.passages.items() if len(passages) >= 6][:REPLACED]
        vectors = {
            text: vector
            for _, passages in chosen
            for text, vector in zip(passages, self.texts.vectors(passages), strict=True)
        }
        old, new = (
            [Document(name, [Chunk(text, vectors[text]) for text in passages[first:last]]) for name, passages in chosen]
            for first, last in ((0, 4), (4, 6))
        )
        engine.create("replaced", len(next(iter(vectors.values()))), ENGLISH)
        engine.write("replaced", old, None)
        engine.settle("replaced")
        engine.write("replaced", new, None)
        engine.settle("replaced")
        stale = self._found(engine, [chunk.text for document in old for chunk in document.chunks])
        gone = new[:DELETED]
        engine.delete("replaced", gone)
        return {
            "passages replaced": 4 * len(old),
            "still found": stale,
            "passages of deleted topics still found": self._found(
                engine, [text for _, passages in chosen[:DELETED] for text in passages[:6]]
            ),
        }

    def _found(self, engine: Engine, texts: list[str]) -> int:
        return sum(
            any(hit.text == text for hit in engine.search("replaced", self.texts.query(text, count=3)))
            for text in texts
        )

    def passes(self, figure: Figure) -> bool:
        return figure["still found"] == figure["passages of deleted topics still found"] == 0


class ModelChange(Pain):
    title = "A change of the embedding model mixes or loses vectors"
    main = ("found at the worst moment, %", 1)
    threads = (
        "https://github.com/open-webui/open-webui/issues/11279",
        "https://github.com/mem0ai/mem0/issues/3065",
    )
    question = "While all texts are embedded by another model: does the search by vectors still work?"
    method = (
        "The passages are embedded anew in eight steps, by the call that replaces vectors. The second model is the "
        "first with its space turned: as good, and not to be compared. After each step, forty passages are searched "
        "for by their own vectors of either model, and the better of the two counts. Passes if 99 % come first at the "
        "worst moment."
    )
    STEPS, SAMPLE = 8, 40

    def measure(self, engine: Engine) -> Figure:
        passages = [text for of_topic in self.texts.passages.values() for text in of_topic]
        documents = self.texts.documents(passages, "p")
        turn = rotation(len(documents[0].chunks[0].vector))
        turned = [
            replace(document, chunks=[Chunk(chunk.text, (np.asarray(chunk.vector, np.float32) @ turn).tolist())
                                      for chunk in document.chunks])
            for document in documents
        ]  # fmt: skip
        engine.create("moving", len(turn), ENGLISH)
        engine.write("moving", documents, None)
        engine.settle("moving")
        worst = self._found(engine, documents, turned)
        engine.begin_change("moving", turned)
        steps = max(2, round(self.STEPS * self.scale))
        while engine.continue_change(len(documents) // steps):
            worst = min(worst, self._found(engine, documents, turned))
        engine.finish_change()
        return {"found at the worst moment, %": worst, "found at the end, %": self._found(engine, [], turned)}

    def _found(self, engine: Engine, *models: list[Document]) -> float:
        best = 0.0
        for documents in models:
            sample = documents[:: max(1, len(documents) // int(self.SAMPLE * self.scale))]
            right = 0
            for document in sample:
                hits = engine.search("moving", Query("", document.chunks[0].vector, VECTOR, count=1))
                right += bool(hits) and hits[0].document == document.id
            best = max(best, 100 * right / len(sample) if sample else 0)
        return best

    def passes(self, figure: Figure) -> bool:
        return min(figure.values()) >= 99


class Permissions(Pain):
    title = "Permissions leak, or leave short pages"
    main = ("missing", -1)
    threads = (
        "https://github.com/langflow-ai/openrag/issues/1336",
        "https://github.com/lobehub/lobehub/issues/16535",
        "https://github.com/Azure/GPT-RAG/issues/416",
    )
    question = (
        "Ten tenants, or forty groups of a tenant, share a collection: does one ever see another's rows, miss its own, "
        "or learn of the others?"
    )
    method = (
        "4,000 made vectors of ten tenants, with an index. By hand, row-level security restricts the login. pgbraid "
        "does so by itself, and the other two take a filter. `foreign` counts rows of other tenants when the call "
        "names no tenant, and `missing` the rows that a search by vector owes when it does, of 200 each. `moved` "
        "counts the scores by full text, of ten, that change when another tenant writes. A second collection has one "
        "tenant, and forty groups, each of which may read a fortieth of the rows. The person who asks is in two "
        "groups. Policies restrict this login by hand, the part `permissions` in pgbraid, and a filter in the other "
        "two. `foreign to groups` and `missing in groups` count as for tenants. Passes if all but the rows by full "
        "text are 0."
    )

    def measure(self, engine: Engine) -> Figure:
        engine.create("shared", DIMENSIONS, ENGLISH)
        per_tenant = int(PER_TENANT * self.scale)
        rows = made_vectors(TENANTS * per_tenant, DIMENSIONS, 7)
        for tenant in range(TENANTS):
            engine.write("shared", self._documents(tenant, rows, per_tenant), f"t{tenant}")
        engine.settle("shared")
        queries = made_vectors(QUERIES, DIMENSIONS, 8)
        foreign = missing = 0
        for number, vector in enumerate(queries):
            asking = f"t{number % TENANTS}"
            ask = Query("", vector.tolist(), VECTOR, tenant=asking)
            foreign += self._foreign(engine.search("shared", replace(ask, forgetful=True)), asking)
            missing += 10 - sum(hit.document.startswith(f"{asking}-") for hit in engine.search("shared", ask))
        ask = Query("renewal contract", queries[0].tolist(), FULL_TEXT, tenant="t0")
        before = {hit.document: hit.score for hit in engine.search("shared", ask)}
        more = [
            Document(f"t1-new{number}", [Chunk("The renewal was discussed.", queries[1].tolist())])
            for number in range(per_tenant // 2)
        ]
        engine.write("shared", more, "t1")
        engine.settle("shared")
        after = {hit.document: hit.score for hit in engine.search("shared", ask)}
        moved = sum(abs(after.get(key, -1.0) - score) > 1e-6 for key, score in before.items())
        return {
            "foreign": foreign,
            "missing": missing,
            "moved": moved,
            "rows by full text": len(before),
            **self._of_groups(engine, rows, queries),
        }

    def _of_groups(self, engine: Engine, rows: Vectors, queries: Vectors) -> Figure:
        documents = [
            Document(f"group:{number % GROUPS}-{number}", [Chunk(f"Note {number}", row.tolist())],
                     reader=f"group:{number % GROUPS}")
            for number, row in enumerate(rows)
        ]  # fmt: skip
        engine.create("groups", DIMENSIONS, ENGLISH)
        engine.write("groups", documents, None)
        engine.settle("groups")
        allowed = tuple(f"{group}-" for group in GROUPS_OF_ASKER)
        owed = min(10, sum(document.id.startswith(allowed) for document in documents))
        foreign = missing = 0
        for vector in queries:
            ask = Query("", vector.tolist(), VECTOR, groups=GROUPS_OF_ASKER)
            foreign += sum(
                not hit.document.startswith(allowed) for hit in engine.search("groups", replace(ask, forgetful=True))
            )
            missing += owed - sum(hit.document.startswith(allowed) for hit in engine.search("groups", ask))
        return {"foreign to groups": foreign, "missing in groups": missing}

    def _documents(self, tenant: int, rows: Vectors, count: int) -> list[Document]:
        subjects = ("renewal of the contract", "contract with the supplier", "invoice of May", "delivery")
        return [
            Document(
                f"t{tenant}-{number}",
                [Chunk(f"Note {number} on the {subjects[number % 4]}" + " and more" * (number % 7),
                       rows[tenant * count + number].tolist())],
            )
            for number in range(count)
        ]  # fmt: skip

    def _foreign(self, hits: list[Hit], tenant: str) -> int:
        return sum(not hit.document.startswith(f"{tenant}-") for hit in hits)

    def passes(self, figure: Figure) -> bool:
        return figure["rows by full text"] == 10 and not any(
            count for name, count in figure.items() if name != "rows by full text"
        )
