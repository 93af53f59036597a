create or replace function braid_store.store_documents(
  tenant_id int,
  collection_id int,
  inputs braid_store.document_input[]
)
returns setof braid_store.document_change
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_inputs braid_store.document_input[];
  v_inserted text[];
  v_inserted_ids bigint[];
  v_locked int;
  v_version int;
begin
  -- If a batch has several documents with one external_id, the last one is stored, as in separate writes.
  select coalesce(array_agg(u.input order by u.external_id), '{}') into v_inputs
  from (
    -- The row stays one value, because a newly built record would be converted through text.
    select distinct on (i.external_id collate "C") i.external_id collate "C" as external_id, i as input
    from unnest(store_documents.inputs) i
    order by i.external_id collate "C", i.ordinality desc
  ) u;

  -- The order of external_id makes two batches with common documents wait for each other and never deadlock.
  loop
    begin
      with inserted as (
        insert into braid_store.documents (tenant_id, collection_id, external_id, title, source_uri, metadata,
          content_hash,
                                           attribute_hash, occurred_at, title_hash)
        select store_documents.tenant_id, store_documents.collection_id, i.external_id, i.title, i.source_uri,
          i.metadata,
               i.content_hash, i.attribute_hash, i.occurred_at, hashtext(braid_store.name_key(i.title))
        from unnest(v_inputs) i
        order by i.external_id collate "C"
        on conflict (tenant_id, collection_id, external_id) do nothing
        returning external_id, id
      )
      select array_agg(n.external_id order by n.external_id), array_agg(n.id order by n.external_id)
      into v_inserted, v_inserted_ids
      from inserted n;

      if cardinality(v_inserted) = cardinality(v_inputs) then
        -- Both arrays have the same order. Rows that this transaction inserted are locked already.
        return query
        select (u.input).ordinality, u.document_id, 'inserted', null::text
        from (select unnest(v_inputs) as input, unnest(v_inserted_ids) as document_id) u;
        return;
      end if;
      -- Look up each whole key, for the reason given in delete_listed.
      perform
      from (select i.external_id collate "C" as external_id from unnest(v_inputs) i order by 1 offset 0) u,
           lateral (
             select from braid_store.documents d
             where d.tenant_id = store_documents.tenant_id and d.collection_id = store_documents.collection_id
               and d.external_id between u.external_id and u.external_id
             order by d.external_id
             for update
             offset 0
           ) d;
      get diagnostics v_locked = row_count;
      exit when v_locked = cardinality(v_inputs);
      -- Another session deleted a document between the two statements. Inserting it now would break the order of locks,
      -- so this gives up its locks and tries again.
      raise exception 'a document was deleted meanwhile' using errcode = 'BR001', hint = 'Call again.';
    exception when sqlstate 'BR001' then
      perform braid_store.extend_lost_documents(tenant_id, collection_id, array(
        select i.external_id from unnest(v_inputs) i));
    end;
  end loop;

  v_version := braid_store.attribute_version(store_documents.collection_id);
  return query
  with changes as materialized (
    select i as input, i.ordinality, d.id as document_id,
           case
             when i.external_id in (select unnest(v_inserted)) then 'inserted'
             when i.content_hash <> d.content_hash then 'replaced'
             when i.attribute_hash is distinct from d.attribute_hash then
               -- Chunks from the caller or from turns may have attributes of their own, which only the input shows.
               case when i.chunks is null and i.turns is null then 'updated' else 'replaced' end
             else 'unchanged'
           end as status,
           d.title as previous_title
    from unnest(v_inputs) i,
         lateral (
           select d.id, d.title, d.content_hash, d.attribute_hash from braid_store.documents d
           where d.tenant_id = store_documents.tenant_id and d.collection_id = store_documents.collection_id
             and d.external_id between i.external_id and i.external_id
           order by d.external_id
           offset 0
         ) d
  ), documents as (
    update braid_store.documents d
    set title = (c.input).title, title_hash = hashtext(braid_store.name_key((c.input).title)),
        source_uri = (c.input).source_uri,
        metadata = case when c.status = 'replaced' then (c.input).metadata
                        else braid_store.copied_metadata((c.input).external_id, (c.input).metadata, (
                               select count(*)
                               from (
                                 select from braid_store.chunks k
                                 where k.tenant_id = store_documents.tenant_id
                                   and k.document_id between c.document_id and c.document_id
                                 order by k.document_id
                                 offset 0
                               ) k)) end,
        content_hash = (c.input).content_hash, attribute_hash = (c.input).attribute_hash,
        occurred_at = (c.input).occurred_at, updated_at = now()
    from changes c
    where c.status in ('replaced', 'updated') and d.tenant_id = store_documents.tenant_id and d.id = c.document_id
  ), chunks as (
    update braid_store.chunks k
    set category = (c.input).category, importance = (c.input).importance, occurred_at = (c.input).occurred_at,
        metadata = (c.input).metadata, attribute_version = v_version
    from changes c
    where c.status = 'updated' and k.tenant_id = store_documents.tenant_id and k.document_id = c.document_id
    returning k.id
  ), noted as (
    insert into braid_store.changed_metadata (tenant_id, collection_id, chunk_id)
    select store_documents.tenant_id, store_documents.collection_id, c.id from chunks c
  )
  select c.ordinality, c.document_id, c.status, c.previous_title from changes c;
end
$$;

comment on function braid_store.store_documents(int, int, braid_store.document_input[]) is
  'Insert, update and lock the documents of a batch. Return for each document its status and the title that it had. '
  'The status is inserted, replaced (needs new chunks), updated (only attributes changed) or unchanged. The caller '
  'writes the indexed attributes of updated documents.';
