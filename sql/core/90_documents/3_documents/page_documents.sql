-- role: reader
create or replace function braid_calls.page_documents(collection text, match_count int, after text, filters jsonb)
returns table (
  document_id bigint,
  external_id text,
  title text,
  source_uri text,
  metadata jsonb,
  occurred_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  chunk_count bigint
)
language plpgsql
stable
parallel unsafe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- These settings make the planner read one page from the index on external_id, in its order.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.find_collection(page_documents.collection);
  -- Under row-level security, a coalesce in the condition would keep the planner from using the index.
  v_after text := coalesce(page_documents.after, '');
  v_filter braid_store.filter;
begin
  if (page_documents.match_count between 1 and 10000) is not true then
    raise exception 'match_count is %', coalesce(page_documents.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 10000, and give after to get the next page.';
  end if;
  if page_documents.filters is not null or v_collection.parts is not null then
    v_filter := braid_store.compile_filter(page_documents.filters, v_tenant_id, v_collection.id);
  end if;
  if not v_filter.is_empty then
    return query
    select d.id, d.external_id, d.title, d.source_uri, d.metadata, d.occurred_at, d.created_at, d.updated_at,
           (select count(*)
            from (
              select from braid_store.chunks c
              where c.tenant_id = v_tenant_id and c.document_id between d.id and d.id
              order by c.document_id
              offset 0
            ) c)
    from unnest(braid_store.filtered_document_ids(
           v_tenant_id, v_collection.id, v_filter, v_after, page_documents.match_count,
           -- Conditions of parts alone, such as $as_of, are about documents; all others are about chunks.
           has_bare => not coalesce(page_documents.filters, '{}')
                         @? '$.** ? (@.type() == "object").keyvalue().key ? (!(@ starts with "$"))'))
           with ordinality u (document_id, place),
         lateral (
           select * from braid_store.documents d
           where d.tenant_id = v_tenant_id and d.id between u.document_id and u.document_id
           order by d.id
           offset 0
         ) d
    order by u.place;
    return;
  end if;
  return query
  select d.id, d.external_id, d.title, d.source_uri, d.metadata, d.occurred_at, d.created_at, d.updated_at,
         (select count(*)
          from (
            select from braid_store.chunks c
            where c.tenant_id = v_tenant_id and c.document_id between d.id and d.id
            order by c.document_id
            offset 0
          ) c)
  from braid_store.documents d
  where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id
    and d.external_id > v_after
  order by d.external_id
  limit page_documents.match_count;
end
$$;

comment on function braid_calls.page_documents(text, int, text, jsonb) is
  'Do the work of braid.list_documents.';
