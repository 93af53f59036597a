create or replace function braid_store.check_sizes(documents jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_documents constant int := 10000;
  c_max_bytes constant int := 64000000;
  c_max_content constant int := 10000000;
  -- These limits are for a document with an embedding or sparse terms, because it becomes one chunk.
  c_max_embedded constant int := 1000000;
  c_max_words constant int := 32700;
  c_max_chunks constant int := 100000;
  -- The model reads the title with each chunk.
  c_max_title constant int := 4096;
  -- These values become keys of B-trees, whose rows have 2704 bytes at most.
  c_max_key constant int := 1024;
  c_max_uri constant int := 8192;
  c_max_metadata constant int := 1000000;
  -- Each chunk stores a copy of its document's metadata. This limit is for chunks that the caller gave; copied_metadata
  -- checks the others.
  c_max_copied_metadata constant bigint := 200000000;
  v_wrong record;
begin
  if jsonb_array_length(check_sizes.documents) > c_max_documents then
    raise exception 'documents has % elements, more than %', jsonb_array_length(check_sizes.documents), c_max_documents
      using errcode = '54000', hint = 'Send batches of about 1000 documents.';
  elsif pg_column_size(check_sizes.documents) > c_max_bytes then
    raise exception 'documents takes % bytes, more than %', pg_column_size(check_sizes.documents), c_max_bytes
      using errcode = '54000', hint = 'Send batches of a few megabytes.';
  end if;

  -- Most documents are too short to exceed any limit, and need no exact check. An element of an array takes at least
  -- four bytes.
  if not exists (
    select from jsonb_array_elements(check_sizes.documents) d
    where octet_length(d.value ->> 'content') > 65000
       or pg_column_size(d.value -> 'metadata') > 2000 or pg_column_size(d.value -> 'chunks') > 400000
       or d.value ? 'turns'
       or octet_length(concat(d.value ->> 'title', d.value ->> 'source_uri', d.value ->> 'speaker',
         d.value ->> 'category',
                              d.value ->> 'language')) > 1024)
  then
    return;
  end if;
  select d.external_id, s.name, s.size, s.unit, s.most into v_wrong
  from (
    select left(d.value ->> 'external_id', 100) as external_id, d.value as document,
           case jsonb_typeof(d.value -> 'chunks') when 'array' then d.value -> 'chunks' end as chunks,
           g.turn_count, coalesce(octet_length(d.value ->> 'content'), g.size) as content_size,
           coalesce(jsonb_typeof(d.value -> 'embedding') <> 'null', false)
             or coalesce(jsonb_typeof(d.value -> 'sparse') <> 'null' and d.value -> 'sparse' <> '{}',
               false) as is_embedded,
           case when d.value ? 'metadata' then pg_column_size(d.value -> 'metadata') else 0 end as metadata_size
    from jsonb_array_elements(check_sizes.documents) d,
         lateral (
           select jsonb_array_length(s.turns) as turn_count, (
                    select sum(octet_length(t.value ->> 'text')) from jsonb_array_elements(s.turns) t) as size
           from (select case jsonb_typeof(d.value -> 'turns') when 'array' then d.value -> 'turns' end as turns) s
         ) g
    offset 0
  ) d,
  lateral (values
    (case when d.turn_count is null then 'content' else 'text of the turns' end, d.content_size::bigint, 'bytes',
     case when d.is_embedded then c_max_embedded else c_max_content end::bigint),
    ('content', case when d.is_embedded and d.content_size <= c_max_embedded
                     then braid_store.least_word_count(d.document ->> 'content', c_max_words) end, 'words',
                       c_max_words),
    ('title', octet_length(d.document ->> 'title'), 'bytes', c_max_title),
    ('source_uri', octet_length(d.document ->> 'source_uri'), 'bytes', c_max_uri),
    ('speaker', octet_length(d.document ->> 'speaker'), 'bytes', c_max_key),
    ('category', octet_length(d.document ->> 'category'), 'bytes', c_max_key),
    ('language', octet_length(d.document ->> 'language'), 'bytes', c_max_key),
    ('metadata', d.metadata_size, 'bytes', c_max_metadata),
    ('chunks', jsonb_array_length(d.chunks), 'elements', c_max_chunks),
    ('turns', d.turn_count, 'elements', c_max_chunks),
    ('metadata, once for each chunk,',
     d.metadata_size::bigint * jsonb_array_length(d.chunks), 'bytes', c_max_copied_metadata)
  ) s (name, size, unit, most)
  where s.size > s.most
  limit 1;
  if found then
    raise exception '% of document "%" has % %, more than %', v_wrong.name, v_wrong.external_id, v_wrong.size,
      v_wrong.unit,
                    v_wrong.most
      using errcode = '54000',
            hint = case when v_wrong.name = 'content' and v_wrong.most < c_max_content
                          then 'Leave out embedding and sparse for a text this long, so that it is split into '
                               'chunks.'
                        when v_wrong.name in ('content', 'chunks', 'turns', 'text of the turns')
                          then 'Divide the document into several.'
                        when v_wrong.name like 'metadata%' then 'Put long values into content, or store them '
                                                                'elsewhere.'
                        else 'Shorten it, or put it into the content.' end;
  end if;
end
$$;

comment on function braid_store.check_sizes(jsonb) is
  'Raise 54000 for a batch or a document that is too large, and name the field. check_chunk_sizes checks the chunks '
  'that the caller gave.';
