create or replace function braid_store.indexed_texts(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  out ids bigint[],
  out are_first boolean[],
  out text_configs text[],
  out titles text[],
  out bodies text[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- With sequential scans allowed, a plan cached while the tables were small would scan them whole for each chunk, until
-- the session ends.
set enable_seqscan = off
set enable_sort = off
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
begin
  select array_agg(c.id order by c.id),
         array_agg(c.chunk_index = 0 order by c.id),
         array_agg(case when c.language is null then indexed_texts.collection.text_config
                        else braid_store.language_config(c.language, indexed_texts.collection.text_config) end
                   order by c.id),
         array_agg(case when 'title' = any (indexed_texts.collection.index_fields) then d.title end order by c.id),
         array_agg(concat_ws(E'\n', case when 'speaker' = any (indexed_texts.collection.index_fields)
           then c.speaker end,
                             c.content) order by c.id)
  into ids, are_first, text_configs, titles, bodies
  from unnest(indexed_texts.chunk_ids) u (chunk_id),
       -- A lateral subquery with offset 0 makes the planner look up rows by key. The table has no statistics, because
       -- they could leak data of other tenants, so the planner cannot tell that a tenant has more than one chunk.
       lateral (
         -- The range and the order by id make the planner use the index by id. With a plain equality, all indexes that
         -- begin with the tenant seem equally good if the table was empty at its last vacuum.
         select c.* from braid_store.chunks c
         where c.tenant_id = indexed_texts.tenant_id and c.id between u.chunk_id and u.chunk_id
         order by c.id
         offset 0
       ) c,
       lateral (
         select d.title from braid_store.documents d
         where d.tenant_id = indexed_texts.tenant_id and d.id between c.document_id and c.document_id
         order by d.id
         offset 0
       ) d;
end
$$;

comment on function braid_store.indexed_texts(int, braid_store.collections, bigint[]) is
  'Return the texts of chunks that the full-text index covers, as parallel arrays ordered by chunk id. are_first: '
  'whether the chunk is the first of its document. text_configs: the text search configuration of its language. '
  'titles: null where titles are not indexed. bodies: the content, preceded by the speaker if speakers are indexed. '
  'Chunks that do not exist are left out; all arrays are null if none of them exists.';
