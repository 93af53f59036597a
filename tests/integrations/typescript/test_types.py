"""Check that the types match the catalog and hold what callers write."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from integrations.typescript.conftest import Compile

TOOL = Path(__file__).parents[3] / "python" / "pgbraid" / "tools" / "typescript_types.py"

CALLS = """
import { createClient } from 'npm:@supabase/supabase-js@2'
import type { Database } from 'braid'

const braid = createClient<Database>('http://localhost', 'key').schema('braid')

export async function right() {
  const { data } = await braid.rpc('hybrid_search', {
    query_text: 'price objections', query_embedding: [1, 0, 0], match_count: 5, filters: { speaker: 'Ana' },
    options: { group_by: 'document', collapse: { similarity: 0.97 }, rerank: ['recency'], cursor: null },
  })
  const scores: (number | null)[] = (data ?? []).map((row) => row.score)
  const one = await braid.rpc('hybrid_search', { query_text: 'a', query_embedding: '[1,0]', fusion: null })
    .select('external_id, score').order('score').limit(1)
  const title: string | null | undefined = (await braid.rpc('full_text_search', { query_text: 'a' })).data?.[0].title
  const written = (await braid.rpc('upsert_document', { external_id: 'a', metadata: { year: 2026 } })).data?.status
  const jobs = await braid.rpc('claim_embedding_jobs', { job_count: 3, lease: '1 minute' })
  const ids: (number | null)[] = jobs.data?.map(({ chunk_id }) => chunk_id) ?? []
  const version: string | null = (await braid.rpc('version')).data
  const rows = (await braid.from('collections').select('dimensions')).data
  const dimensions: number | null | undefined = rows?.[0].dimensions
  const found = (await braid.rpc('search_json', { query_text: 'a' })).data
  const first: number | null | undefined = found?.results[0].score
  const codes: string[] = found?.warnings.map((warning) => warning.code) ?? []
  const cursor: string | null | undefined = found?.stats.next_cursor
  const explained = (await braid.rpc('explain_search', { query_text: 'a', external_id: 'b' })).data
  const reasons = [explained?.results[0].arithmetic.length, explained?.document?.outcome.length]
  const strategy = (await braid.rpc('recall_json', { query_text: 'a' })).data?.stats.recall.strategy.length
  const several = (await braid.rpc('multi_search', { queries: ['a', 'b'] })).data?.stats.queries[0].terms.length
  return [scores, one, title, written, ids, version, dimensions, first, codes, cursor, reasons, strategy, several]
}

export async function wrong() {
  // @ts-expect-error no such function
  await braid.rpc('find')
  // @ts-expect-error no such argument
  await braid.rpc('hybrid_search', { limit: 5 })
  // @ts-expect-error it has no default
  await braid.rpc('full_text_search', {})
  // @ts-expect-error a number
  await braid.rpc('hybrid_search', { match_count: '5' })
  // @ts-expect-error no such option
  await braid.rpc('hybrid_search', { options: { group: 'document' } })
  // @ts-expect-error a number
  await braid.rpc('hybrid_search', { options: { group_by: { size: '2' } } })
  // @ts-expect-error its default is not null
  await braid.rpc('hybrid_search', { match_count: null })
  // @ts-expect-error in an array a vector is a string
  await braid.rpc('store_embeddings', { chunk_ids: [1], embeddings: [[1, 0]] })
  // @ts-expect-error no such column
  ;(await braid.rpc('hybrid_search', { query_text: 'a' })).data?.[0].rank
  // @ts-expect-error no such column
  ;(await braid.rpc('search_json', { query_text: 'a' })).data?.results[0].rank
  // @ts-expect-error no such statistic
  ;(await braid.rpc('explain_search', { query_text: 'a' })).data?.statistics.time
}
"""


def test_the_types_are_those_of_the_catalog(db: psycopg.Connection[Any]) -> None:
    tool = runpy.run_path(str(TOOL))
    assert tool["TARGET"].read_text() == tool["generate"](db), f"the API has changed; run: {tool['COMMAND']}"


# The answers of these searches have many of the types' keys.
ANSWERS = [
    ("SearchAnswer", "search_json('price', '[1,0]', collection => 'typed')"),
    ("SearchAnswer", "search_json('prise zebra +price', collection => 'typed', filters => '{\"none\": 1}')"),
    (
        "SearchAnswer",
        """search_json('price', '[1,0]', collection => 'typed', fusion => 'rrf', options =>
        '{"explain": true, "min_relevance": 0, "snippet": true, "cursor": "",
          "boosts": [{"recency": {"half_life": "30 days"}}]}', match_count => 1)""",
    ),
    (
        "SearchAnswer",
        """search_json('price', '[1,0]', collection => 'typed',
             options => '{"explain": true, "ranking": {"smoothing": 0.2}}',
        filters => '{"occurred_at": {"$gt": "2026-01-01"}}')""",
    ),
    ("SearchAnswer", "search_json(null, '[1,0]', collection => 'typed')"),
    ("SearchAnswer", """search_json('price', collection => 'typed', options => '{"sparse": {"price": 1}}')"""),
    ("SearchAnswer", "search_json('price')"),
    ("SearchAnswer", "search_json('ls -a price', collection => 'typed')"),
    ("SearchAnswer", "logged_search('price', '[1,0]', collection => 'typed')"),
    ("RecallAnswer", "recall_json('price in May 2026', '[1,0]', collection => 'typed', timeframe => 'auto')"),
    ("RecallAnswer", "logged_recall('price', collection => 'typed')"),
    (
        "MultiSearchAnswer",
        """multi_search('["price", {"text": "prise", "embedding": [1,0]}]', collection => 'typed')""",
    ),
    ("MultiSearchAnswer", """logged_multi_search('["price", "zebra"]', collection => 'typed')"""),
    ("SearchExplanation", "explain_search('price seat', '[1,0]', collection => 'typed', external_id => 'b')"),
    (
        "SearchExplanation",
        "explain_search('price', '[1,0]', collection => 'typed', fusion => 'rrf', external_id => 'x')",
    ),
    (
        "SearchExplanation",
        """explain_search('price', '[1,0]', collection => 'typed', external_id => 'c',
        filters => '{"speaker": "Ana"}', options => '{"sparse": {"price": 1}}')""",
    ),
    ("SearchExplanation", "explain_search('price', collection => 'typed')"),
]


@pytest.mark.any_version
def test_answers_have_the_types_that_they_are_said_to_have(
    db: psycopg.Connection[Any], tsc: Compile, tmp_path: Path
) -> None:
    db.execute("select braid.create_collection('typed', dimensions => 2, embedding_model => 'test')")
    db.execute("select braid.set_search_log('typed')")
    documents: list[dict[str, Any]] = [
        {"external_id": "a", "title": "A", "content": "the price of a seat", "embedding": [1, 0], "speaker": "Ana"},
        {"external_id": "b", "content": "price", "embedding": [0, 1], "occurred_at": "2026-05-01T00:00:00Z"},
        {"external_id": "c", "content": "nothing", "metadata": {"n": [1]}},
    ]
    for document in documents:
        document["sparse"] = {"price": 0.5}
    db.execute("select braid.upsert_documents(%s, 'typed')", (Jsonb(documents),))
    lines = ["import type { MultiSearchAnswer, RecallAnswer, SearchAnswer, SearchExplanation } from 'braid'"]
    for number, (kind, call) in enumerate(ANSWERS):
        row = db.execute(f"select braid.{call}").fetchone()
        assert row
        lines.append(f"export const answer{number}: {kind} = {json.dumps(row[0])}")
    answers = tmp_path / "answers.ts"
    answers.write_text("\n".join(lines))
    done = tsc(tmp_path / "out", answers)
    assert done.returncode == 0, done.stdout


@pytest.mark.any_version
def test_calls_are_checked(tsc: Compile, tmp_path: Path) -> None:
    calls = tmp_path / "calls.ts"
    calls.write_text(CALLS)
    done = tsc(tmp_path / "out", calls)
    assert done.returncode == 0, done.stdout
