create or replace function braid_store.lexemes_like(
  tenant_id int,
  collection_id int,
  beginning text,
  patterns text[],
  least_length int
)
returns setof text
language plpgsql
stable
parallel safe
security invoker
rows 50
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashagg = off
set enable_sort = off
set jit = off
as $$
#variable_conflict use_column
begin
  -- The index alone has the lexemes, in one row for each segment.
  return query
  select p.lexeme
  from (
    select distinct p.lexeme
    from braid_store.postings p
    where p.tenant_id = lexemes_like.tenant_id and p.collection_id = lexemes_like.collection_id
      and p.lexeme >= lexemes_like.beginning and p.lexeme < lexemes_like.beginning || chr(1114111)
    offset 0
  ) p
  where octet_length(p.lexeme) >= lexemes_like.least_length and p.lexeme like any (lexemes_like.patterns);
end
$$;

comment on function braid_store.lexemes_like(int, int, text, text[], int) is
  'Return the indexed lexemes with this beginning that match a pattern of LIKE. least_length: lexemes of fewer bytes '
  'are left out.';
