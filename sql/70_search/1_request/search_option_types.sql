create or replace function braid_store.search_option_types()
returns jsonb
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select '{
    "boosts": ["array"],
    "collapse": ["boolean", "object"],
    "context_after": ["number"],
    "context_before": ["number"],
    "correct": ["boolean"],
    "cursor": ["string"],
    "diversify": ["boolean", "object"],
    "ef_search": ["number"],
    "embedding_model": ["string"],
    "exact": ["boolean"],
    "explain": ["boolean"],
    "full_text_min_score": ["number"],
    "group_by": ["string"],
    "group_score": ["string"],
    "group_size": ["number"],
    "language": ["string"],
    "normalisation": ["string", "object"],
    "operators": ["boolean"],
    "prefilter": ["boolean"],
    "rerank": ["array"],
    "semantic_min_score": ["number"],
    "snippet": ["boolean", "object"],
    "statistics_scope": ["string"]
  }'::jsonb;
$$;

comment on function braid_store.search_option_types() is
  'The keys of a search''s options and the JSON types that each may have.';
