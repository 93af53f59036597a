"""Count calls and bytes until an agent has seen what answers a question: `python -m benchmarks.agents` in tests/.

The texts are the topics of Python's help (pydoc_data). Ten questions each need all documents with a text, one exact
line, or the text beside a passage that a search finds. The texts themselves give what must be seen. An agent
with search alone asks the question, asks again for 50 passages, and then reads the documents found from their
beginning. An agent with the other tools makes the calls of `after()`. Both stop once everything has been seen.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

from mcp import Client

import pgbraid
from benchmarks.pages import markdown_table
from pgbraid import embedded
from pgbraid.install import install
from pgbraid_tools.mcp_server import Connections, build_server
from pgbraid_tools.mcp_server.calling import STRUCTURED

# Questions for all documents that have a text.
EVERYWHERE = ("nonlocal", "__slots__", "StopIteration", "__getattr__", "async def", "TypeError", "__enter__",
              "OverflowError", "lambda", "__hash__")  # fmt: skip
# Questions for one line: a topic, and a part of the line that only this topic has.
LINES = (
    ("assert", "if __debug__:"),
    ("atom-literals", "stringliteral"),
    ("formatstrings", "replacement_field"),
    ("integers", "nonzerodigit"),
    ("floating", "exponentfloat"),
    ("imaginary", "imagnumber"),
    ("strings", "stringprefix"),
    ("slicings", "proper_slice"),
    ("calls", "argument_list"),
    ("comparisons", "comp_operator "),
)
# Questions whose answer stands in the chunk after the chunk that a search finds first.
BESIDE = (
    "with",
    "try",
    "raise",
    "import",
    "function",
    "comparisons",
    "operator-summary",
    "specialnames",
    "types",
    "typesseq",
)
MOST_CALLS = 40


@dataclass
class Question:
    kind: str
    query: str
    topic: str
    text: str
    seen: set[str]


@dataclass
class Seen:
    calls: int = 0
    size: int = 0
    text: str = ""

    def has(self, question: Question) -> bool:
        return all(marker in self.text for marker in question.seen)


def main() -> None:
    data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
    try:
        dsn = embedded.ensure_running(data_dir, embedded.DEFAULT_VERSION).dsn
        install(dsn)
        with pgbraid.connect(dsn) as client:
            client.add_documents({"external_id": name, "title": name, "content": text} for name, text in topics.items())
            while client.embed_pending():
                pass
            questions = list(asked(client))
        asyncio.run(compare(dsn, questions))
    finally:
        embedded.stop(data_dir)
        shutil.rmtree(data_dir)


def asked(client: pgbraid.Client) -> list[Question]:
    questions = [
        Question("all documents", f"Which topics mention {text}?", "", text,
                 {f"[{name}" for name, content in topics.items() if text in content})
        for text in EVERYWHERE
    ]  # fmt: skip
    for name, text in LINES:
        line = next(line for line in topics[name].splitlines() if text in line)
        questions.append(Question("one line", f"What does the line with {text} say?", name, text, {line.strip()}))
    for name in BESIDE:
        document = client.get_document(name)
        assert document is not None
        found = client.search(f"{name} {document.chunks[1].content[:200]}", 1, filters={"external_id": name})[0]
        index = min(found.chunk_index + 1, document.chunk_count - 1)
        beside = document.chunks[index].content
        question = " ".join(found.content.split()[:25])
        questions.append(Question("beside a passage", question, name, "", {beside[len(beside) // 2 :][:80]}))
    return questions


async def before(question: Question, seen: Seen) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    yield "search", {"query": question.query, "match_count": 8}
    yield "search", {"query": question.query, "match_count": 50}
    names = [question.topic] if question.topic else list(topics)
    for name in names:
        for first in range(0, 2000, 20):
            yield "read", {"external_id": f"{name}#{first}", "before": 0, "after": 19}
            if first + 20 >= len(topics[name]) / 500:
                break


async def after(question: Question, seen: Seen) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    if question.text:
        only = {"filters": {"external_id": question.topic}} if question.topic else {}
        yield "grep", {"pattern": question.text, "match_count": 200, **only}
        return
    yield "search", {"query": question.query, "match_count": 3, "filters": {"external_id": question.topic}}
    cited = re.search(r"\[(\S+#\d+)\]", seen.text)
    assert cited is not None
    yield "read", {"external_id": cited[1], "before": 1, "after": 2}


async def compare(dsn: str, questions: list[Question]) -> None:
    totals: dict[tuple[str, str], list[Seen]] = {}
    unseen = 0
    async with Connections(dsn) as connections, Client(build_server(connections)) as agent:
        for question in questions:
            for side, plan in (("before", before), ("after", after)):
                seen = Seen()
                async for tool, arguments in plan(question, seen):
                    if seen.calls == MOST_CALLS or (seen.calls and seen.has(question)):
                        break
                    await ask(agent, tool, arguments, seen, twice=side == "before")
                unseen += not seen.has(question)
                totals.setdefault((question.kind, side), []).append(seen)
    print(f"not seen: {unseen} of {2 * len(questions)}")
    rows = []
    for kind in dict.fromkeys(question.kind for question in questions):
        cells = [kind]
        for side in ("before", "after"):
            found = totals[kind, side]
            cells += [f"{sum(seen.calls for seen in found) / len(found):.1f}",
                      f"{sum(seen.size for seen in found) / len(found) / 1000:.1f}"]  # fmt: skip
        rows.append(cells)
    print(markdown_table(["", "calls, search only", "kB", "calls, all tools", "kB"], rows))


async def ask(agent: Client, tool: str, arguments: dict[str, Any], seen: Seen, twice: bool) -> None:
    answer = await agent.call_tool(tool, arguments)
    text = "\n".join(block.text for block in answer.content if block.type == "text")
    seen.calls += 1
    seen.size += len(text.encode())
    seen.text += text
    if twice:
        # Answers had both forms before.
        meta: Any = {STRUCTURED: True}
        data = await agent.call_tool(tool, arguments, meta=meta)
        seen.size += len(json.dumps(data.structured_content, ensure_ascii=False).encode())


if __name__ == "__main__":
    main()
