create or replace function braid_store.known_lexemes(
  tenant_id int,
  collection_id int,
  lexemes text[],
  beginning text
)
returns table (lexeme text, document_frequency bigint)
language plpgsql
stable
parallel safe
security invoker
rows 5
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
#variable_conflict use_column
declare
  c_most_scanned constant int := 3000; -- One look-up takes as long as reading 20 lexemes.
  v_end text := known_lexemes.beginning || chr(1114111);
begin
  if current_setting('server_version_num')::int >= 170000 then
    return query
    select p.lexeme, sum(p.document_frequency)::bigint
    from braid_store.postings p
    where p.tenant_id = known_lexemes.tenant_id and p.collection_id = known_lexemes.collection_id
      and p.lexeme = any (known_lexemes.lexemes)
    group by p.lexeme
    having sum(p.document_frequency) > 0;
    return;
  end if;

  -- For = any, PostgreSQL 16 would read all lexemes. To read the lexemes with the same beginning takes less time than
  -- to look each up.
  return query
  with scanned as materialized (
    select p.lexeme
    from braid_store.postings p
    where p.tenant_id = known_lexemes.tenant_id and p.collection_id = known_lexemes.collection_id
      and p.lexeme >= known_lexemes.beginning and p.lexeme < v_end
    order by p.lexeme
    limit c_most_scanned
  ), ended as materialized (
    select case when count(*) = c_most_scanned then max(s.lexeme) else v_end end as last_lexeme from scanned s
  ), asked as materialized (
    select distinct l.lexeme collate "C" as lexeme
    from ended e, unnest(known_lexemes.lexemes) l (lexeme)
    where case when l.lexeme collate "C" >= known_lexemes.beginning and l.lexeme collate "C" <= e.last_lexeme
               then l.lexeme in (select s.lexeme from scanned s) else true end
  )
  select p.lexeme, sum(p.document_frequency)::bigint
  from asked a,
       lateral (
         select p.lexeme, p.document_frequency
         from braid_store.postings p
         where p.tenant_id = known_lexemes.tenant_id and p.collection_id = known_lexemes.collection_id
           and p.lexeme = a.lexeme
         offset 0
       ) p
  group by p.lexeme
  having sum(p.document_frequency) > 0;
end
$$;

comment on function braid_store.known_lexemes(int, int, text[], text) is
  'Return the given lexemes that chunks have, and how many have each. beginning: letters with which most of them '
  'begin.';
