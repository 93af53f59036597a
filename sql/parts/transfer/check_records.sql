create or replace function braid_store.check_records(records jsonb)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
  v_documents jsonb;
  v_chunk_lists jsonb[];
  v_chunk_names text[];
  v_document_keys text[] := array(
    select a.attname from pg_attribute a
    where a.attrelid = 'braid_store.documents'::regclass and a.attnum > 0 and not a.attisdropped
      and a.attname <> all ('{tenant_id,id,collection_id}'::text[] || braid_store.part_columns('documents')))
    || '{collection,chunks}';
  v_chunk_keys text[] := array(
    select a.attname from pg_attribute a
    where a.attrelid = 'braid_store.chunks'::regclass and a.attnum > 0 and not a.attisdropped
      and a.attname <> all ('{tenant_id,id,collection_id,document_id,attribute_version}'::text[]
                            || braid_store.part_columns('chunks')))
    || array['embeddings'];
  v_kinds text[] := array(
    select r.key from braid_store.parts p, jsonb_each(p.manifest -> 'records') r order by r.value);
  v_of_documents text[] := array(
    select n from braid_store.parts p, jsonb_array_elements_text(p.manifest -> 'document_records') n);
  v_of_chunks text[] := array(
    select n from braid_store.parts p, jsonb_array_elements_text(p.manifest -> 'chunk_records') n order by p.place, n);
begin
  if jsonb_typeof(check_records.records) is distinct from 'array' then
    raise exception 'records is %', coalesce('a JSON ' || jsonb_typeof(check_records.records), 'null')
      using errcode = '22023', hint = 'Send a JSON array of records that braid.export_tenant returned.';
  elsif jsonb_array_length(check_records.records) > 10000 then
    raise exception 'records has % elements, more than 10000', jsonb_array_length(check_records.records)
      using errcode = '22023', hint = 'Send batches of about 1000 records, in their order.';
  end if;

  select r.ordinality, r.value, p.problem into v_wrong
  from jsonb_array_elements(check_records.records) with ordinality r,
       lateral (
         select r.value -> 'document' as document,
                case when jsonb_typeof(r.value -> 'document' -> 'chunks') = 'array'
                  then r.value -> 'document' -> 'chunks' end
                  as chunks
         offset 0
       ) d,
       lateral (
         select case
           when jsonb_typeof(r.value) <> 'object' or not r.value ?| ('{collection,document}'::text[] || v_kinds)
                or (select count(*) from jsonb_object_keys(r.value)) <> 1
             then regexp_replace(format('is not an object with the one key "%s"',
                                        array_to_string('{collection,document}'::text[] || v_kinds, '", "')), '(.*), ',
                                          E'\\1 or ')
           when jsonb_typeof(coalesce(d.document, (select c.value from jsonb_each(r.value) c))) <> 'object'
             then 'holds a value that is not an object'
           when r.value ?| v_kinds then braid_store.extend_record_problem(r.value)
           when d.document is null then null
           when not d.document ?& v_document_keys or d.document - v_document_keys - v_of_documents <> '{}'
             then format('does not have all of these keys: %s', array_to_string(v_document_keys, ', '))
           when jsonb_typeof(d.document -> 'collection') <> 'string'
             or jsonb_typeof(d.document -> 'external_id') <> 'string'
             then 'has a collection or an external_id that is no string'
           when jsonb_typeof(d.document -> 'metadata') <> 'object' then 'has metadata that are no object'
           when d.chunks is null then 'has chunks that are no array'
           when exists (
             select from jsonb_array_elements(d.chunks) k
             where case
               when jsonb_typeof(k.value) <> 'object' then true
               -- Sparse terms and the data of parts are optional.
               else not k.value ?& v_chunk_keys or k.value - v_chunk_keys - 'sparse' - v_of_chunks <> '{}'
                    or jsonb_typeof(k.value -> 'metadata') <> 'object'
                      or jsonb_typeof(k.value -> 'embeddings') <> 'object'
                    or jsonb_typeof(k.value -> 'sparse') not in ('object', 'null')
                    or exists (select from unnest(v_of_chunks) n where jsonb_typeof(k.value -> n) <> 'object')
             end)
             then format('has a chunk without these keys, or whose %s are no object: %s',
                         regexp_replace(replace(array_to_string('{metadata,embeddings,sparse terms}'::text[]
                           || v_of_chunks, ', '), '_', ' '),
                                        '(.*), ', E'\\1 or '),
                         array_to_string(v_chunk_keys, ', '))
         end as problem
         offset 0
       ) p
  where p.problem is not null
  order by r.ordinality
  limit 1;
  if found then
    raise exception 'record % %', v_wrong.ordinality, v_wrong.problem
      using errcode = '22023',
            hint = coalesce(
              (select min(braid_store.absent_part_hint('records', k.name))
               from (select v_wrong.value union all select jsonb_path_query(v_wrong.value,
                 'lax $.document.chunks[*]')) o (value),
                    jsonb_object_keys(case jsonb_typeof(o.value) when 'object' then o.value else '{}' end) k (name)),
              'Send records that braid.export_tenant of this version returned.');
  end if;

  select coalesce(jsonb_agg(d.value), '[]'), coalesce(array_agg(d.value -> 'chunks'), '{}'),
         coalesce(array_agg(format('document "%s" chunk', left(d.value ->> 'external_id', 100))), '{}')
  into v_documents, v_chunk_lists, v_chunk_names
  from (
    select r.value -> 'document' as value from jsonb_array_elements(check_records.records) r where r.value ? 'document'
  ) d;
  perform braid_store.check_sizes(v_documents), braid_store.check_chunk_sizes(v_chunk_lists, v_chunk_names);
  perform braid_store.check_sparse_terms(array_agg(k.value -> 'sparse'), array_agg(format('sparse of %s %s', l.name,
    k.ordinality)))
  from unnest(v_chunk_lists, v_chunk_names) l (chunks, name), jsonb_array_elements(l.chunks) with ordinality k
  where jsonb_typeof(k.value -> 'sparse') = 'object';
end
$$;

comment on function braid_store.check_records(jsonb) is
  'Check the records for import_tenant; raise 22023 for a record that it cannot read. The keys of a record are the '
  'columns of the tables, read from the catalog.';
