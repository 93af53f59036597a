create or replace function braid_store.parse_documents(
  documents jsonb,
  collection braid_store.collections,
  embeddings @vector@.vector[] default null
)
returns braid_store.document_input[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_chunk_fields constant jsonb := '{
    "content": ["string"], "speaker": ["string", "null"], "category": ["string", "null"],
    "importance": ["number", "null"], "occurred_at": ["string", "null"], "language": ["string", "null"],
    "metadata": ["object", "null"], "embedding": ["array", "string", "null"], "sparse": ["object", "null"]}'
    || braid_store.extend_document_fields()
    || case when parse_documents.embeddings is null then '{}' else '{"embedding": ["number", "null"]}' end::jsonb;
  c_document_fields constant jsonb := c_chunk_fields || '{
    "external_id": ["string", "number"], "content": ["string", "null"], "title": ["string", "null"],
    "source_uri": ["string", "null"], "chunks": ["array", "null"], "turns": ["array", "null"],
    "chunk_tokens": ["number", "null"], "overlap_tokens": ["number", "null"],
    "format": ["string", "null"]}' || braid_store.extend_document_attributes();
  -- Digests of the embeddings stand in the hash of a document, because places in embeddings change from batch to batch.
  v_digests text[];
  v_keys text[]; -- Keys that any document has; statements for other keys need no plan.
  v_part_keys text[];
  v_has_part_keys boolean;
  v_attribute_keys text[]; -- Keys of parts that reach no index.
  v_other_keys text[]; -- Keys that are no attributes, or are hashed in another form.
  v_chunk_lists jsonb[];
  v_chunk_names text[];
  v_sparse jsonb[];
  v_sparse_names text[];
  v_wrong record;
  v_inputs braid_store.document_input[];
begin
  if jsonb_typeof(parse_documents.documents) is distinct from 'array' then
    raise exception 'documents is %', coalesce('a JSON ' || jsonb_typeof(parse_documents.documents), 'null')
      using errcode = '22023', hint = 'Send a JSON array of objects, not a string that holds JSON.';
  end if;
  perform braid_store.check_sizes(parse_documents.documents);
  perform braid_store.check_fields(array[parse_documents.documents], '{document}', c_document_fields);
  -- The offset keeps the keys of all documents from being read once for each use.
  select k.all_keys, k.part_keys, k.all_keys && k.part_keys,
         k.part_keys || '{content,title,speaker,language,embedding,sparse,chunks,turns,chunk_tokens,overlap_tokens}'
                     || '{format,metadata,occurred_at}'::text[],
         array(select jsonb_object_keys(braid_store.extend_document_attributes()))
  into v_keys, v_part_keys, v_has_part_keys, v_other_keys, v_attribute_keys
  from (select array(select distinct jsonb_object_keys(d)
    from jsonb_array_elements(parse_documents.documents) d) as all_keys,
               array(select jsonb_object_keys(braid_store.extend_document_fields())) as part_keys
        offset 0) k;
  if v_keys && '{importance,occurred_at}'::text[] then
    perform braid_store.check_values(array[parse_documents.documents], '{document}');
  end if;
  if v_keys && '{format,chunk_tokens,overlap_tokens}'::text[] then
    perform braid_store.check_chunk_options(parse_documents.documents, parse_documents.collection);
  end if;

  select d.ordinality, d.value ->> 'external_id' as external_id, jsonb_typeof(d.value -> 'chunks') as chunks_type,
         coalesce(octet_length(d.value ->> 'external_id'), 0) as external_id_bytes,
         (select k from unnest(v_part_keys) k where jsonb_typeof(d.value -> k) <> 'null' limit 1) as part_key
  into v_wrong
  from jsonb_array_elements(parse_documents.documents) with ordinality d
  where coalesce(octet_length(d.value ->> 'external_id'), 0) not between 1 and 1024
     or jsonb_typeof(d.value -> 'chunks') = 'array' and (jsonb_typeof(d.value -> 'embedding') <> 'null'
                                                         or jsonb_typeof(d.value -> 'content') <> 'null'
                                                         or jsonb_typeof(d.value -> 'sparse') <> 'null'
                                                         or v_has_part_keys and exists (
                                                           select from unnest(v_part_keys) k
                                                           where jsonb_typeof(d.value -> k) <> 'null'))
     or v_has_part_keys
        and coalesce(jsonb_typeof(d.value -> 'embedding'), 'null') = 'null'
        and coalesce(jsonb_typeof(nullif(d.value -> 'sparse', '{}')), 'null') = 'null'
        and exists (select from unnest(v_part_keys) k where jsonb_typeof(d.value -> k) <> 'null')
  limit 1;
  if found and v_wrong.external_id_bytes not between 1 and 1024 then
    raise exception 'external_id of document % has % bytes', v_wrong.ordinality, v_wrong.external_id_bytes
      using errcode = '22023', hint = 'Give each document your own id for it, 1 to 1024 bytes long.';
  elsif found and v_wrong.chunks_type = 'array' then
    raise exception 'document "%" has chunks and also %', left(v_wrong.external_id, 100),
                    regexp_replace(concat_ws(', ', 'content, embedding, sparse', array_to_string(v_part_keys, ', ')),
                      ', ([^,]*)$', E' or \\1')
      using errcode = '22023', hint = 'Put these keys into the chunks, or leave out chunks.';
  elsif found then
    raise exception 'document "%" has % but no embedding', left(v_wrong.external_id, 100), v_wrong.part_key
      using errcode = '22023',
            hint = format('Give the document an embedding as well, or give chunks that have %s of their own: text '
                          'without an embedding is split into chunks.',
                          v_wrong.part_key);
  end if;

  if 'turns' = any (v_keys) then
    select d.value ->> 'external_id' as external_id, k.key into v_wrong
    from jsonb_array_elements(parse_documents.documents) d,
         unnest('{content,chunks,embedding,sparse}' || v_part_keys) k (key)
    where jsonb_typeof(d.value -> 'turns') = 'array' and jsonb_typeof(d.value -> k.key) <> 'null'
    limit 1;
    if found then
      raise exception 'document "%" has turns and also %', left(v_wrong.external_id, 100), v_wrong.key
        using errcode = '22023',
              hint = 'Give the text only in turns, which pgbraid splits into chunks, or only in chunks of your own.';
    end if;
    perform braid_store.check_turns(parse_documents.documents);
  end if;

  if 'chunks' = any (v_keys) then
    select array_agg(d.value -> 'chunks'), array_agg(format('document "%s" chunk', left(d.value ->> 'external_id',
      100)))
    into v_chunk_lists, v_chunk_names
    from jsonb_array_elements(parse_documents.documents) d
    where jsonb_typeof(d.value -> 'chunks') = 'array';
  end if;
  if v_chunk_lists is not null then
    perform braid_store.check_fields(v_chunk_lists, v_chunk_names, c_chunk_fields);
    perform braid_store.check_values(v_chunk_lists, v_chunk_names),
            braid_store.check_chunk_sizes(v_chunk_lists, v_chunk_names);
    select l.item_name, c.ordinality into v_wrong
    from unnest(v_chunk_lists, v_chunk_names) l (items, item_name), jsonb_array_elements(l.items) with ordinality c
    where not c.value ? 'content'
    limit 1;
    if found then
      raise exception '% % has no content', v_wrong.item_name, v_wrong.ordinality
        using errcode = '22023', hint = 'Give each chunk its text as content.';
    end if;
  end if;

  if v_keys && '{sparse,chunks}'::text[] then
    select array_agg(s.terms), array_agg(s.name) into v_sparse, v_sparse_names
    from jsonb_array_elements(parse_documents.documents) d,
         lateral (
           select d.value -> 'sparse' as terms, format('sparse of document "%s"', left(d.value ->> 'external_id',
             100)) as name
           union all
           select c.value -> 'sparse', format('sparse of document "%s" chunk %s', left(d.value ->> 'external_id', 100),
             c.ordinality)
           from jsonb_array_elements(case jsonb_typeof(d.value -> 'chunks') when 'array' then d.value -> 'chunks' end)
                with ordinality c
         ) s
    where jsonb_typeof(s.terms) = 'object';
  end if;
  if v_sparse is not null then
    perform braid_store.check_sparse_terms(v_sparse, v_sparse_names);
  end if;

  if parse_documents.embeddings is not null then
    perform braid_store.check_embedding_places(parse_documents.documents, parse_documents.embeddings);
    v_digests := array(
      select encode(sha256(@vector@.vector_send(e.embedding)), 'base64')
      from unnest(parse_documents.embeddings) with ordinality e (embedding, place)
      order by e.place);
  end if;

  select array_agg(
           row(d.ordinality, d.value ->> 'external_id', d.value ->> 'content', d.value ->> 'title',
               d.value ->> 'source_uri', f.metadata, d.value ->> 'speaker', d.value ->> 'category',
               (d.value ->> 'importance')::float8, (d.value ->> 'occurred_at')::timestamptz, d.value ->> 'language',
               d.value ->> 'embedding', f.chunks,
               -- A key whose value is null counts as absent, except inside metadata. Half of a hash is enough to tell
               -- versions of a document apart.
               substr(sha256(convert_to(
                 jsonb_build_array(
                   jsonb_strip_nulls(
                     d.value - ('{external_id,source_uri,metadata,category,importance,occurred_at,chunks}'::text[]
                                || v_attribute_keys)
                     || h.embedding),
                   h.chunks)::text, 'UTF8')), 1, 16),
               substr(sha256(convert_to(
                 jsonb_build_array(
                   jsonb_strip_nulls(
                     d.value - v_other_keys) || a.attributes,
                   -- The same moment gives the same hash, however it is written.
                   extract(epoch from (d.value ->> 'occurred_at')::timestamptz)::text, f.metadata)::text,
                 'UTF8')), 1, 16),
               case when jsonb_typeof(d.value -> 'sparse') = 'object' then d.value -> 'sparse' end,
               case when jsonb_typeof(d.value -> 'turns') = 'array' then d.value -> 'turns' end,
               (d.value ->> 'chunk_tokens')::numeric::int, (d.value ->> 'overlap_tokens')::numeric::int,
               d.value ->> 'format',
               case when v_has_part_keys and d.value ?| v_part_keys then (
                 select nullif(coalesce(jsonb_object_agg(k.key, d.value -> k.key), '{}') || a.attributes, '{}')
                 from unnest(v_part_keys) k (key)
                 where jsonb_typeof(d.value -> k.key) <> 'null') else nullif(a.attributes, '{}') end
              )::braid_store.document_input
           order by d.ordinality)
  into v_inputs
  from jsonb_array_elements(parse_documents.documents) with ordinality d,
       lateral (select case when jsonb_typeof(d.value -> 'metadata') = 'object' then d.value -> 'metadata'
                            else '{}' end as metadata,
                       case when jsonb_typeof(d.value -> 'chunks') = 'array' then d.value -> 'chunks' end as chunks) f,
       lateral (
         select case when v_keys && v_attribute_keys
                     then coalesce((select jsonb_object_agg(k, d.value -> k) from unnest(v_attribute_keys) k
                                    where d.value ? k), '{}')
                     else '{}' end as attributes
         offset 0
       ) a,
       -- Embeddings are hashed as digests, not as places.
       lateral (
         select case when v_digests is null or jsonb_typeof(d.value -> 'embedding') is distinct from 'number' then '{}'
                     -- A place may be written as 1.0.
                     else jsonb_build_object('embedding', v_digests[(d.value -> 'embedding')::numeric::int])
                end as embedding,
                case when v_digests is null or f.chunks is null or f.chunks = '[]' then f.chunks
                     else (select jsonb_agg(case when jsonb_typeof(c.value -> 'embedding') = 'number'
                                                 then c.value || jsonb_build_object(
                                                        'embedding', v_digests[(c.value -> 'embedding')::numeric::int])
                                                 else c.value end
                                            order by c.ordinality)
                           from jsonb_array_elements(f.chunks) with ordinality c) end as chunks
       ) h;
  return coalesce(v_inputs, '{}');
end
$$;

comment on function braid_store.parse_documents(jsonb, braid_store.collections, @vector@.vector[]) is
  'Check a batch of documents and return it as rows, each with hashes of its content and of its attributes. Raise '
  '22023 with the names of document and key if one is wrong. embeddings: the vectors that documents and chunks name '
  'by their place; null if documents hold their vectors.';
