"""Write the TypeScript types of the API, read from the catalog, in the form that supabase-js takes.

They equal the types of `supabase gen types`, with two exceptions: a vector may also be an array of numbers, and an
argument with a null default may be null.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import psycopg

TARGET = Path(__file__).parents[3] / "docker" / "supabase" / "functions" / "_shared" / "braid.ts"
COMMAND = "make generate"

SCALARS = {
    "bool": "boolean",
    "bytea": "string",
    "int4": "number",
    "int8": "number",
    "float4": "number",
    "float8": "number",
    "text": "string",
    "varchar": "string",
    "numeric": "number",
    "date": "string",
    "timestamptz": "string",
    "tstzrange": "string",
    "tstzmultirange": "string",
    "interval": "string",
    "jsonb": "Json",
    "json": "Json",
    "halfvec": "number[] | string",
    "vector": "number[] | string",
    "uuid": "string",
    "void": "undefined",
}

FUNCTIONS = """
select p.proname, p.proretset, p.prorettype::regtype::oid,
  coalesce(p.proargnames, '{}'), coalesce(p.proargmodes::text[], array_fill('i'::text, array[p.pronargs::int])),
  coalesce(p.proallargtypes, p.proargtypes::oid[]),
  array(select pg_catalog.pg_get_function_arg_default(p.oid, n) from generate_series(1, p.pronargs) n)
from pg_catalog.pg_proc p
where p.pronamespace = 'braid'::regnamespace and p.prokind = 'f'
order by p.proname
"""
RELATIONS = """
select c.relname, c.relkind = 'v', array_agg(a.attname::text order by a.attname),
  array_agg(a.atttypid order by a.attname)
from pg_catalog.pg_class c
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'braid'::regnamespace and c.relkind in ('v', 'c')
group by c.relname, c.relkind
order by c.relname
"""
# Functions return row types of braid_store; braid has equal ones.
TYPES = """
select t.oid, t.typname, coalesce(e.typname, ''), t.typtype = 'c' and exists (
  select from pg_catalog.pg_type o where o.typname = t.typname and o.typnamespace = 'braid'::regnamespace)
from pg_catalog.pg_type t
left join pg_catalog.pg_type e on e.oid = t.typelem and t.typcategory = 'A'
"""

OPTIONS = "select name, types from braid_store.known_search_options()"
JSON_TYPES = {"integer": "number", "array": "Json[]", "object": "{ [key: string]: Json | undefined }"}

# The JSON that functions return. `tests/integrations/typescript` compiles real answers against these types.
SEARCH, RECALL, SEVERAL = "SearchAnswer", "RecallAnswer", "MultiSearchAnswer"
ANSWERS = {
    "logged_search": SEARCH,
    "search_json": SEARCH,
    "recall_json": RECALL,
    "logged_recall": RECALL,
    "multi_search": SEVERAL,
    "logged_multi_search": SEVERAL,
    "explain_search": "SearchExplanation",
}
ANSWER_TYPES = """
export type SearchRow = Database['braid']['CompositeTypes']['search_result']
export type SearchWarning = { code: string; message: string }
export type SearchTimings = { compile_ms: number; legs_ms: number; ranking_ms: number; rows_ms: number }
export type SearchCorrection = { word: string; correction: string; lexeme: string; edits: number; applied: boolean }

export type SearchStats = {
  mode: 'hybrid' | 'full_text' | 'semantic' | 'sparse'
  semantic_mode: string | null
  full_text_candidates: number | null
  semantic_candidates: number | null
  sparse_candidates?: number | null
  sparse_terms?: number
  total_candidates: number | null
  filtered_results: number | null
  returned_results: number | null
  fusion_method: string | null
  candidate_count: number
  asked_candidate_count?: number
  underfilled: boolean | null
  next_cursor: string | null
  listing_cut: boolean | null
  terms: string[]
  dropped_terms: string[]
  corrections: SearchCorrection[]
  query_cut: boolean
  demands_cut: boolean | null
  optional_phrases: boolean
  plain_signs?: boolean
  signs_read_as_text?: string[]
  negation_in_words?: string
  scoring_cut: boolean
  strategy_reason?: string
  query_embedding?: 'stored' | 'static'
  candidates_without_embedding?: number | null
  candidates_without_token_vectors?: number
  statistics_scope?: 'collection' | 'filter'
  scope_chunks?: number | null
  relevance?: (number | null)[]
  best_relevance?: number | null
  other_collections?: string[]
  undeclared_filter?: { [key: string]: string } | null
  unknown_filter_keys?: string[] | null
  no_dates?: true
  model?: Json
  profile?: Json
  timings: SearchTimings
  query_time_ms: number
  search_id?: string | number
  // The option explain adds these.
  fusion?: SearchFusion | null
  spread?: Json
  sparse_term_weights?: { [term: string]: number }
  term_statistics?: TermStatistics[]
  expanded?: Json
  postings?: number
  segments?: Json
  postings_read?: number
  chunks_scored?: number
}

export type SearchAnswer = { results: SearchRow[]; stats: SearchStats; warnings: SearchWarning[] }

export type RecallAnswer = {
  results: SearchRow[]
  stats: SearchStats & {
    recall: {
      strategy: string
      reason: string
      searched_text: string | null
      timeframe: { starts_at: string | null; ends_at: string | null }[] | null
      timeframe_phrases: string[] | null
      time_zone: string | null
      reference_time: string | null
    }
  }
  warnings: SearchWarning[]
}

export type MultiSearchAnswer = {
  results: (SearchRow & { query_ranks: { query: number; rank: number; score: number }[] })[]
  stats: {
    mode: 'multi'
    queries: (SearchStats & { text: string | null; weight: number })[]
    total_candidates: number
    returned_results: number
    next_cursor: null
    query_time_ms: number
    search_id?: string | number
  }
  warnings: (SearchWarning & { queries: number[] })[]
}

export type TermStatistics = {
  term: string
  lexemes: string[]
  document_frequency: number
  idf: number
  weight: number
}

// A leg's normalisation, and the numbers that the normalisation used.
export type FusedLeg = { normalisation: string; [number: string]: string | number | null }

export type SearchFusion = {
  fusion: string
  rrf_k?: number
  weights: { full_text: number; semantic: number; sparse?: number }
  full_text?: FusedLeg
  semantic?: FusedLeg
  sparse?: FusedLeg
}

export type ExplainedLeg<Part> = {
  rank: number | null
  score: number | null
  normalised_score: number | null
  terms?: Part[]
}

export type ExplainedRow = {
  place: number
  chunk_id: number
  external_id: string
  chunk_index: number
  title: string | null
  score: number
  // arithmetic evaluates to exactly the score; formula is the same with names in place of numbers.
  arithmetic: string
  formula: string
  spread: Json
  fused_score: number | null
  boosts: Json
  group_score: number | null
  full_text: ExplainedLeg<{ term: string; lexeme: string; contribution: number }> | null
  semantic: ExplainedLeg<never> | null
  sparse?: ExplainedLeg<Json>
  model?: Json
}

export type ExplainedChunk = {
  chunk_id: number
  chunk_index: number
  outcome: string
  reason: string
  failed_conditions: Json
  full_text_score: number | null
  full_text_rank: number | null
  semantic_score: number | null
  semantic_rank: number | null
  sparse_score?: number | null
  sparse_rank?: number | null
  fused_score: number | null
  score: number | null
  place: number | null
  shown_instead: string | null
}

export type SearchExplanation = {
  query: {
    text: string | null
    terms: TermStatistics[]
    dropped_terms: string[]
    corrections: SearchCorrection[]
    cut: boolean
    embedding?: 'stored'
  }
  legs: {
    full_text: { candidates: number | null; postings: number; segments: Json }
    semantic: { candidates: number | null; mode: string | null }
    sparse?: { candidates: number | null; terms: { [term: string]: number } }
  }
  fusion: SearchFusion | null
  spread: Json
  results: ExplainedRow[]
  document: { external_id: string; outcome: string; reason: string; chunks: ExplainedChunk[] } | null
  statistics: {
    query_time_ms: number
    total_candidates: number | null
    fusion_method: string | null
    filtered_results: number | null
    returned_results: number | null
  }
  timings: SearchTimings
  warnings: SearchWarning[]
}
"""

HEADER = f"""\
// This file declares the API of pgbraid, for createClient<Database>(…).schema('braid'). `{COMMAND}` makes it from
// the catalog.
export type Json = string | number | boolean | null | {{ [key: string]: Json | undefined }} | Json[]

type None = {{ [_ in never]: never }}
"""


def generate(connection: psycopg.Connection[Any]) -> str:
    """Return the text of the file, from a database with pgbraid."""
    types = {oid: (name, element, ours) for oid, name, element, ours in connection.execute(TYPES)}

    def typescript(oid: int) -> str:
        name, element, ours = types[oid]
        if ours:
            return f"Database['braid']['CompositeTypes']['{name}']"
        if element:
            # PostgREST takes a vector inside an array as a string only.
            return "string[]" if element in ("halfvec", "vector") else f"{SCALARS[element]}[]"
        return SCALARS[name]

    def record(names: list[str], oids: list[int]) -> list[str]:
        return [f"{name}: {nullable(typescript(oid))}" for name, oid in zip(names, oids, strict=True)]

    functions = []
    for name, many, returned, names, modes, oids, defaults in connection.execute(FUNCTIONS):
        given = [place for place, mode in enumerate(modes) if mode == "i"]
        columns = [place for place, mode in enumerate(modes) if mode == "t"]
        arguments = []
        for place in given:
            # Every argument `options` takes the options of searches.
            kind = "SearchOptions" if names[place] == "options" else typescript(oids[place])
            default = defaults[place]
            if default is None:
                arguments.append(f"{names[place]}: {kind}")
            else:
                arguments.append(f"{names[place]}?: {nullable(kind) if default.startswith('NULL') else kind}")
        result = (
            block(record([names[place] for place in columns], [oids[place] for place in columns]), 5)
            if columns
            else ANSWERS.get(name) or typescript(returned)
        )
        functions.append(
            f"{name}: "
            + block(
                [
                    f"Args: {block(sorted(arguments), 5) if arguments else 'never'}",
                    f"Returns: {result}{'[]' if many else ''}",
                ],
                4,
            )
        )
    views, composites = [], []
    for name, is_view, names, oids in connection.execute(RELATIONS):
        if is_view:
            views.append(f"{name}: " + block([f"Row: {block(record(names, oids), 5)}", "Relationships: []"], 4))
        else:
            composites.append(f"{name}: " + block(record(names, oids), 4))
    schema = [
        "Tables: None",
        f"Views: {block(views, 3)}",
        f"Functions: {block(functions, 3)}",
        "Enums: None",
        f"CompositeTypes: {block(composites, 3)}",
    ]
    known = dict(connection.execute(OPTIONS).fetchall())

    def option(name: str) -> str:
        keys = [option(key) for key in known if key.startswith(f"{name}.")]
        types = {**JSON_TYPES, "keys": block(keys, 2)}
        written = dict.fromkeys([*(types.get(kind, kind) for kind in known[name]), "null"])
        return f"{name.split('.')[-1]}?: {' | '.join(written)}"

    options = [option(name) for name, kinds in known.items() if kinds and "." not in name]
    return (
        f"{HEADER}\nexport type SearchOptions = {block(options, 1)}\n{ANSWER_TYPES}"
        f"\nexport type Database = {block(['braid: ' + block(schema, 2)], 1)}\n"
    )


def nullable(kind: str) -> str:
    return kind if kind == "Json" else f"{kind} | null"


def block(lines: list[str], depth: int) -> str:
    inner, outer = "  " * depth, "  " * (depth - 1)
    return "{\n" + "".join(f"{inner}{line}\n" for line in lines) + outer + "}"


def main() -> None:
    from pgbraid import embedded
    from pgbraid.install import install
    from pgbraid.install.resources import resources

    folder = Path(tempfile.mkdtemp(prefix="pgbraid-types-"))
    try:
        server = embedded.ensure_running(folder)
        # Parts that a new database lacks are included.
        install(server.dsn_for("postgres"), only=[*resources().parts])
        with psycopg.connect(server.dsn_for("postgres")) as connection:
            TARGET.parent.mkdir(parents=True, exist_ok=True)
            TARGET.write_text(generate(connection))
    finally:
        embedded.stop(folder)
        shutil.rmtree(folder)
    print(f"{TARGET} written")


if __name__ == "__main__":
    main()
