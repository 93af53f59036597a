-- role: definer
-- tenants: all
-- A policy would keep the planner from the index: reverse() is not leakproof.
create or replace function braid_store.lexemes_with_ending(collection_id int, ending text)
returns table (lexeme text, document_frequency bigint)
language plpgsql
stable
parallel safe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
#variable_conflict use_column
declare
  c_most_rows constant int := 2000;
  c_reversed constant text := reverse(lexemes_with_ending.ending);
  v_tenant_id int := braid_calls.session_tenant_id();
begin
  return query
  select p.lexeme, sum(p.document_frequency)::bigint
  from (
    (select p.lexeme, p.document_frequency
     from braid_store.postings_a p
     where p.tenant_id = v_tenant_id and p.collection_id = lexemes_with_ending.collection_id
       and reverse(p.lexeme) > c_reversed collate "C"
       and reverse(p.lexeme) < c_reversed || chr(1114111) collate "C"
       and length(p.lexeme) between 8 and 64
     order by p.tenant_id, p.collection_id, reverse(p.lexeme)
     limit c_most_rows)
    union all
    (select p.lexeme, p.document_frequency
     from braid_store.postings_b p
     where p.tenant_id = v_tenant_id and p.collection_id = lexemes_with_ending.collection_id
       and reverse(p.lexeme) > c_reversed collate "C"
       and reverse(p.lexeme) < c_reversed || chr(1114111) collate "C"
       and length(p.lexeme) between 8 and 64
     order by p.tenant_id, p.collection_id, reverse(p.lexeme)
     limit c_most_rows)
  ) p
  group by p.lexeme
  having sum(p.document_frequency) > 0;
end
$$;

comment on function braid_store.lexemes_with_ending(int, text) is
  'Return the longer lexemes of the session''s tenant that end with a text and have 8 to 64 letters, and how many '
  'chunks have each. At most 2000 rows of each table of postings are read, in the order of the letters before the '
  'ending.';
