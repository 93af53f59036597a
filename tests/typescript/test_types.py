"""The types are those of the catalog, and hold what callers write."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import psycopg
import pytest

from typescript.conftest import Compile

TOOL = Path(__file__).parents[2] / "python" / "tools" / "typescript_types.py"

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
  return [scores, one, title, written, ids, version, dimensions]
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
  await braid.rpc('hybrid_search', { options: { group_size: '2' } })
  // @ts-expect-error its default is not null
  await braid.rpc('hybrid_search', { match_count: null })
  // @ts-expect-error in an array a vector is a string
  await braid.rpc('store_embeddings', { chunk_ids: [1], embeddings: [[1, 0]] })
  // @ts-expect-error no such column
  ;(await braid.rpc('hybrid_search', { query_text: 'a' })).data?.[0].rank
}
"""


def test_the_types_are_those_of_the_catalog(db: psycopg.Connection[Any]) -> None:
    tool = runpy.run_path(str(TOOL))
    assert tool["TARGET"].read_text() == tool["generate"](db), f"the API has changed; run: {tool['COMMAND']}"


@pytest.mark.any_version
def test_calls_are_checked(tsc: Compile, tmp_path: Path) -> None:
    calls = tmp_path / "calls.ts"
    calls.write_text(CALLS)
    done = tsc(tmp_path / "out", calls)
    assert done.returncode == 0, done.stdout
