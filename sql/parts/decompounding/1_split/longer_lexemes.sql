-- role: definer
-- tenants: all
-- A policy would keep the planner from the index: reverse() is not leakproof.
create or replace function braid_store.longer_lexemes(collection_id int, lexemes text[])
returns table (lexeme text, longer_lexeme text, is_ending boolean, document_frequency bigint)
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
  v_tenant_id int := braid_calls.session_tenant_id();
begin
  return query
  select u.lexeme, p.lexeme, p.is_ending, sum(p.document_frequency)::bigint
  from (select l collate "C" as lexeme, reverse(l) as reversed
        from unnest(longer_lexemes.lexemes) l offset 0) u,
       lateral (
         (select p.lexeme, p.document_frequency, true as is_ending
          from braid_store.postings_a p
          where p.tenant_id = v_tenant_id and p.collection_id = longer_lexemes.collection_id
            and reverse(p.lexeme) > u.reversed collate "C"
            and reverse(p.lexeme) < u.reversed || chr(1114111) collate "C"
            and length(p.lexeme) between 8 and 64
          order by p.tenant_id, p.collection_id, reverse(p.lexeme)
          limit c_most_rows)
         union all
         (select p.lexeme, p.document_frequency, true
          from braid_store.postings_b p
          where p.tenant_id = v_tenant_id and p.collection_id = longer_lexemes.collection_id
            and reverse(p.lexeme) > u.reversed collate "C"
            and reverse(p.lexeme) < u.reversed || chr(1114111) collate "C"
            and length(p.lexeme) between 8 and 64
          order by p.tenant_id, p.collection_id, reverse(p.lexeme)
          limit c_most_rows)
         union all
         (select p.lexeme, p.document_frequency, false
          from braid_store.postings p
          where p.tenant_id = v_tenant_id and p.collection_id = longer_lexemes.collection_id
            and p.lexeme > u.lexeme and p.lexeme < u.lexeme || chr(1114111)
          limit c_most_rows)
       ) p
  where length(p.lexeme) between length(u.lexeme) + 4 and 64
  group by u.lexeme, p.lexeme, p.is_ending
  having sum(p.document_frequency) > 0;
end
$$;

comment on function braid_store.longer_lexemes(int, text[]) is
  'Return for each lexeme the lexemes of the session''s tenant that end with it (is_ending) or begin with it, and '
  'how many chunks have each. They have four letters more, and up to 64; with an ending, they have 8 and more. For '
  'each ending, at most 2000 rows of each table of postings are read, in the order of the letters before the ending, '
  'and for each beginning 2000.';
