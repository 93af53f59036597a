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
      and a.attname <> all ('{tenant_id,id,collection_id}'))
    || '{collection,chunks}';
  v_chunk_keys text[] := array(
    select a.attname from pg_attribute a
    where a.attrelid = 'braid_store.chunks'::regclass and a.attnum > 0 and not a.attisdropped
      and a.attname <> all ('{tenant_id,id,collection_id,document_id,attribute_version}'))
    || array['embeddings'];
  v_profile_keys text[] := '{profile,embedding,embedding_model,dimensions,distance,attributes,updated_at}';
  v_query_set_keys text[] := '{query_set,level,description,created_at}';
  v_query_keys text[] := '{query_set,query_id,text,filters,updated_at,embeddings,judgments}';
  v_model_keys text[] := '{name,model,updated_at}';
begin
  if jsonb_typeof(check_records.records) is distinct from 'array' then
    raise exception 'records is %', coalesce('a JSON ' || jsonb_typeof(check_records.records), 'null')
      using errcode = '22023', hint = 'Send a JSON array of what braid.export_tenant gave.';
  elsif jsonb_array_length(check_records.records) > 10000 then
    raise exception 'records has % elements, more than 10000', jsonb_array_length(check_records.records)
      using errcode = '22023', hint = 'Send batches of about 1000 records, in their order.';
  end if;

  select r.ordinality, p.problem into v_wrong
  from jsonb_array_elements(check_records.records) with ordinality r,
       lateral (
         select r.value -> 'document' as document,
                case when jsonb_typeof(r.value -> 'document' -> 'chunks') = 'array' then r.value -> 'document' -> 'chunks' end
                  as chunks
         offset 0
       ) d,
       lateral (
         select case
           when jsonb_typeof(r.value) <> 'object' or not r.value ?| '{collection,document,profile,query_set,query,ranking_model}'
                or (select count(*) from jsonb_object_keys(r.value)) <> 1
             then 'is not an object with the one key "collection", "document", "profile", "query_set", "query" or '
                  '"ranking_model"'
           when jsonb_typeof(r.value -> 'collection') <> 'object' or jsonb_typeof(d.document) <> 'object'
                or jsonb_typeof(r.value -> 'profile') <> 'object' or jsonb_typeof(r.value -> 'query_set') <> 'object'
                or jsonb_typeof(r.value -> 'query') <> 'object' or jsonb_typeof(r.value -> 'ranking_model') <> 'object'
             then 'has something else than an object in it'
           when r.value ? 'profile' and (
                  not r.value -> 'profile' ?& v_profile_keys or (r.value -> 'profile') - v_profile_keys <> '{}'
                  or jsonb_typeof(r.value #> '{profile,profile}') <> 'string')
             then format('has not these keys: %s', array_to_string(v_profile_keys, ', '))
           when r.value ? 'query_set' and (
                  not r.value -> 'query_set' ?& v_query_set_keys or (r.value -> 'query_set') - v_query_set_keys <> '{}'
                  or jsonb_typeof(r.value #> '{query_set,query_set}') <> 'string'
                  or r.value #>> '{query_set,level}' not in ('document', 'chunk')
                  or jsonb_typeof(r.value #> '{query_set,description}') <> 'string')
             then format('has not these keys, or wrong values: %s', array_to_string(v_query_set_keys, ', '))
           when r.value ? 'query' and (
                  not r.value -> 'query' ?& v_query_keys or (r.value -> 'query') - v_query_keys <> '{}'
                  or jsonb_typeof(r.value #> '{query,query_set}') <> 'string'
                  or jsonb_typeof(r.value #> '{query,embeddings}') <> 'array'
                  or jsonb_typeof(r.value #> '{query,judgments}') <> 'array')
             then format('has not these keys, or wrong values: %s', array_to_string(v_query_keys, ', '))
           when r.value ? 'ranking_model' and (
                  not r.value -> 'ranking_model' ?& v_model_keys or (r.value -> 'ranking_model') - v_model_keys <> '{}'
                  or jsonb_typeof(r.value #> '{ranking_model,name}') <> 'string')
             then format('has not these keys, or wrong values: %s', array_to_string(v_model_keys, ', '))
           when d.document is null then null
           when not d.document ?& v_document_keys or d.document - v_document_keys <> '{}'
             then format('has not these keys: %s', array_to_string(v_document_keys, ', '))
           when jsonb_typeof(d.document -> 'collection') <> 'string' or jsonb_typeof(d.document -> 'external_id') <> 'string'
             then 'has a collection or an external_id that is no string'
           when jsonb_typeof(d.document -> 'metadata') <> 'object' then 'has metadata that are no object'
           when d.chunks is null then 'has chunks that are no array'
           when exists (
             select from jsonb_array_elements(d.chunks) k
             where case
               when jsonb_typeof(k.value) <> 'object' then true
               -- Only some chunks have sparse terms or token vectors.
               else not k.value ?& v_chunk_keys or k.value - v_chunk_keys - '{sparse,token_vectors}'::text[] <> '{}'
                    or jsonb_typeof(k.value -> 'metadata') <> 'object' or jsonb_typeof(k.value -> 'embeddings') <> 'object'
                    or jsonb_typeof(k.value -> 'sparse') not in ('object', 'null')
                    or jsonb_typeof(k.value -> 'token_vectors') <> 'object'
             end)
             then format('has a chunk without these keys, or whose metadata, embeddings, sparse terms or token vectors are no '
                         'object: %s',
                         array_to_string(v_chunk_keys, ', '))
         end as problem
         offset 0
       ) p
  where p.problem is not null
  order by r.ordinality
  limit 1;
  if found then
    raise exception 'record % %', v_wrong.ordinality, v_wrong.problem
      using errcode = '22023', hint = 'Send what braid.export_tenant of this version gave.';
  end if;

  perform braid_store.check_profile_attributes(r.value #> '{profile,attributes}',
                                               format('profile "%s": attributes', left(r.value #>> '{profile,profile}', 100)))
  from jsonb_array_elements(check_records.records) r
  where r.value ? 'profile';
  perform braid_store.check_ranking_model(r.value #> '{ranking_model,model}',
                                          format('ranking model "%s"', left(r.value #>> '{ranking_model,name}', 100)))
  from jsonb_array_elements(check_records.records) r
  where r.value ? 'ranking_model';

  select coalesce(jsonb_agg(d.value), '[]'), coalesce(array_agg(d.value -> 'chunks'), '{}'),
         coalesce(array_agg(format('document "%s" chunk', left(d.value ->> 'external_id', 100))), '{}')
  into v_documents, v_chunk_lists, v_chunk_names
  from (
    select r.value -> 'document' as value from jsonb_array_elements(check_records.records) r where r.value ? 'document'
  ) d;
  perform braid_store.check_sizes(v_documents), braid_store.check_chunk_sizes(v_chunk_lists, v_chunk_names);
  perform braid_store.check_sparse_terms(array_agg(k.value -> 'sparse'), array_agg(format('sparse of %s %s', l.name, k.ordinality)))
  from unnest(v_chunk_lists, v_chunk_names) l (chunks, name), jsonb_array_elements(l.chunks) with ordinality k
  where jsonb_typeof(k.value -> 'sparse') = 'object';
end
$$;

comment on function braid_store.check_records(jsonb) is
  'Raises 22023 for what import_tenant cannot read. The keys of a record are the columns of the tables, read from the '
  'catalog.';
