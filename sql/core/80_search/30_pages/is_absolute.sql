create or replace function braid_store.is_absolute(
  fusion text,
  full_text_normalisation text,
  semantic_normalisation text,
  sparse_normalisation text
)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Some of these normalisations scale by the leg's best score. More candidates do not change that score, because the
  -- leg's best chunk is always a candidate.
  select is_absolute.fusion in ('convex', 'max')
         and is_absolute.full_text_normalisation in ('theoretical', 'centroid', 'saturate', 'none')
         and is_absolute.semantic_normalisation in ('theoretical', 'centroid', 'saturate', 'none')
         and is_absolute.sparse_normalisation in ('theoretical', 'centroid', 'saturate', 'none');
$$;

comment on function braid_store.is_absolute(text, text, text, text) is
  'Tell whether a chunk''s fused score is independent of the number of candidates. If it is, pages can continue '
  'beyond the first candidates.';
