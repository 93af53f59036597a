create or replace function braid_store.find_named(tenant_id int, collection_id int, query_text text)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the index of the ordered column for the look-ups below. Another index that
-- begins with the tenant and the collection seems as cheap, but each look-up would read all documents.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  c_most constant int := 100;
  c_marks constant text := E' \t\r\n\u0027"`’‘‚‛“”„‟«»‹›「」『』';
  v_names text[] := query_text || case
    when query_text ~ '["“„‟«»「『]'
    then array(
      select m[1] from regexp_matches(query_text, '["“”„‟«»「『]([^"“”„‟«»「」『』]+)["“”»«」』]', 'g') m)
    else '{}'::text[] end;
  v_ids bigint[];
begin
  v_ids := array(
    select d.id
    from unnest(v_names) n (name),
         lateral (select btrim(n.name, c_marks) as id offset 0) k,
         lateral (values (k.id), (lower(k.id collate "C")), (upper(k.id collate "C"))) v (id),
         lateral (
           select d.id from braid_store.documents d
           where d.tenant_id = find_named.tenant_id and d.collection_id = find_named.collection_id
             and d.external_id between v.id and v.id
           order by d.external_id
           offset 0
         ) d
    union all
    select d.id
    from unnest(v_names) n (name),
         lateral (select braid_store.name_key(n.name) as name offset 0) k,
         lateral (select hashtext(k.name) as hash offset 0) h,
         lateral (
           select d.id from braid_store.documents d
           where d.tenant_id = find_named.tenant_id and d.collection_id = find_named.collection_id
             and d.title_hash between h.hash and h.hash and braid_store.name_key(d.title) = k.name
           order by d.title_hash
           limit c_most + 1
         ) d);
  return case when v_ids <> '{}' then (
    select case when count(distinct i) <= c_most then array_agg(distinct i) end from unnest(v_ids) i) end;
end
$$;

comment on function braid_store.find_named(int, int, text) is
  'Return the documents that a query names: the whole query, or a part of it in quotation marks, is their title or '
  'their external_id. Titles are compared by name_key; an external_id must be equal, or all in lower or in upper case. '
  'Return null if no document has such a name, or more than 100 have, since the name of many tells little.';
