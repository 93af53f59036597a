create or replace function braid_store.indexed_lexemes(
  tenant_id int,
  collection braid_store.collections,
  lexemes text[]
)
returns table (lexeme text, document_frequency bigint)
language plpgsql
stable
parallel unsafe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with found as materialized (
    select u.lexeme, p.document_frequency
    from (select distinct l collate "C" as lexeme from unnest(indexed_lexemes.lexemes) l) u,
         lateral (
           select sum(p.document_frequency)::bigint as document_frequency
           from braid_store.postings p
           where p.tenant_id = indexed_lexemes.tenant_id and p.collection_id = indexed_lexemes.collection.id
             and p.lexeme = u.lexeme
           offset 0
         ) p
    where p.document_frequency > 0
  )
  select f.lexeme, f.document_frequency
  from found f
  where indexed_lexemes.collection.parts is null or f.lexeme <> all (coalesce((
    select braid_store.extend_hidden_lexemes(indexed_lexemes.tenant_id, indexed_lexemes.collection,
                                             array_agg(n.lexeme))
    from found n), '{}'));
end
$$;

comment on function braid_store.indexed_lexemes(int, braid_store.collections, text[]) is
  'Return those lexemes that the index has and that the session may learn of, each with how many chunks have it.';
