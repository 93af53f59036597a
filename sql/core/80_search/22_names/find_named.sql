create or replace function braid_store.find_named(tenant_id int, collection_id int, query_text text)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- The tables have no statistics. Without these settings, the planner would read and sort whole tables.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  c_most constant int := 100;
  c_marks constant text := E' \t\r\n\u0027"`’‘‚‛“”„‟«»‹›「」『』';
begin
  return (
    select case when count(*) <= c_most then array_agg(distinct f.id) end
    from (
      select find_named.query_text as name
      union all
      select m[1]
      from regexp_matches(find_named.query_text, '["“”„‟«»「『]([^"“”„‟«»「」『』]+)["“”»«」』]', 'g') m
      where find_named.query_text ~ '["“”„‟«»「『]'
    ) n,
         lateral (select btrim(n.name, c_marks) as id, braid_store.name_key(n.name) as key offset 0) k,
         lateral (
           select d.id from braid_store.documents d
           where d.tenant_id = find_named.tenant_id and d.collection_id = find_named.collection_id
             and d.external_id = any (array[k.id, lower(k.id collate "C"), upper(k.id collate "C")])
           union all
           (select d.id from braid_store.documents d
            where d.tenant_id = find_named.tenant_id and d.collection_id = find_named.collection_id
              and d.title_hash = hashtext(k.key) and braid_store.name_key(d.title) = k.key
            limit c_most + 1)
         ) f);
end
$$;

comment on function braid_store.find_named(int, int, text) is
  'Return the documents that a query names: the whole query, or a part of it in quotation marks, is their title or '
  'their external_id. Titles are compared by name_key; an external_id must be equal, or all in lower or in upper case. '
  'Return null if no document has such a name, or more than 100 have, since the name of many tells little.';
