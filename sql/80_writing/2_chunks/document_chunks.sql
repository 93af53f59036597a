create or replace function braid_store.document_chunks(
  collection braid_store.collections,
  inputs braid_store.document_input[]
)
returns table (
  ordinality int,
  chunk_index int,
  content text,
  token_count int,
  speaker text,
  category text,
  importance float8,
  occurred_at timestamptz,
  language text,
  metadata jsonb,
  embedding text,
  embedding_name text,
  sparse jsonb
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_white_space constant text := E' \t\n\r\f\x0B';
  v_spoken braid_store.document_input[];
begin
  return query
  with given as materialized (
    -- Not i.chunks: each row would hold all chunks.
    select i.ordinality, i.external_id, i.speaker, i.category, i.importance, i.occurred_at, i.language, i.metadata,
           c.value, c.ordinality as chunk_number, row_number() over ()::int as number
    from unnest(document_chunks.inputs) i, jsonb_array_elements(i.chunks) with ordinality c
    where i.chunks is not null
  ), texts as materialized (
    select i.*, row_number() over ()::int as number,
           coalesce(i.chunk_tokens, document_chunks.collection.chunk_tokens) as most_tokens
    from unnest(document_chunks.inputs) i
    where i.chunks is null
      -- Segments in which nothing is said are no text.
      and not exists (select from jsonb_array_elements(i.segments) g where g.value ->> 'text' ~ E'\\S')
  ), estimates as materialized (
    -- All in one call: the given chunks, the texts, and what the model reads before each text.
    select c.given_count, c.text_count, braid_store.token_costs(
        array(select g.value ->> 'content' from given g order by g.number)
        || array(
          -- The estimate of a longer text is needed only if it has an embedding.
          select case when t.embedding is not null or t.sparse <> '{}' or length(t.content) <= 8 * t.most_tokens then coalesce(t.content, '')
                      else '' end
          from texts t
          order by t.number)
        || array(
          select concat_ws(E'\n', case when 'title' = any (document_chunks.collection.embed_fields) then t.title end,
                           case when 'speaker' = any (document_chunks.collection.embed_fields) then t.speaker end)
          from texts t
          order by t.number)) as costs
    from (
      select (select count(*) from given)::int as given_count, (select count(*) from texts)::int as text_count
    ) c
  ), budgets as materialized (
    select t.*, (select e.costs from estimates e)[(select e.given_count from estimates e) + t.number] as cost,
      -- Title and speaker take their share of chunk_tokens, but half at most.
      greatest(t.most_tokens - ceil((select e.costs from estimates e)[(
          select e.given_count + e.text_count from estimates e) + t.number])::int, t.most_tokens / 2, 1) as budget
    from texts t
  ), contents as materialized (
    select b.*, length(b.content) <= 8 * b.budget and b.cost <= b.budget as fits, row_number() over ()::int as place
    from budgets b
    where b.embedding is null and coalesce(b.sparse, '{}') = '{}' and b.content is not null
  )
  -- Chunks as given.
  select g.ordinality, (g.chunk_number - 1)::int, g.value ->> 'content',
         ceil((select e.costs from estimates e)[g.number])::int,
         coalesce(g.value ->> 'speaker', g.speaker), coalesce(g.value ->> 'category', g.category),
         coalesce((g.value ->> 'importance')::float8, g.importance),
         coalesce((g.value ->> 'occurred_at')::timestamptz, g.occurred_at),
         coalesce(g.value ->> 'language', g.language),
         case when jsonb_typeof(g.value -> 'metadata') = 'object' then g.metadata || (g.value -> 'metadata')
              else g.metadata end,
         g.value ->> 'embedding',
         format('embedding of document "%s" chunk %s', left(g.external_id, 100), g.chunk_number),
         case when jsonb_typeof(g.value -> 'sparse') = 'object' then g.value -> 'sparse' end
  from given g
  union all
  -- A document with an embedding or sparse terms is one chunk, because they stand for the whole text. A document with only a
  -- title is one chunk, too.
  select b.ordinality, 0, coalesce(b.content, ''), ceil(b.cost)::int, b.speaker, b.category, b.importance, b.occurred_at,
         b.language, b.metadata, b.embedding, format('embedding of document "%s"', left(b.external_id, 100)), b.sparse
  from budgets b
  where b.embedding is not null or b.sparse <> '{}' or coalesce(b.content, '') !~ E'\\S' and b.title ~ E'\\S'
  union all
  select c.ordinality, 0, btrim(c.content, c_white_space), ceil(c.cost)::int, c.speaker, c.category, c.importance,
         c.occurred_at, c.language, c.metadata, null, null, c.sparse
  from contents c
  where c.fits and c.content ~ E'\\S'
  union all
  select c.ordinality, s.chunk_index, s.content, s.token_count, c.speaker, c.category, c.importance, c.occurred_at,
         c.language, braid_store.copied_metadata(c.external_id, c.metadata, s.chunk_count), null, null, c.sparse
  from (
    select s.*, count(*) over (partition by s.text_number) as chunk_count
    from braid_store.split_texts(array(select case when not c.fits then c.content end from contents c order by c.place),
                                 array(select c.budget from contents c order by c.place),
                                 array(select coalesce(c.overlap_tokens, document_chunks.collection.overlap_tokens)
                                       from contents c order by c.place),
                                 array(select c.format from contents c order by c.place)) s
  ) s
  join contents c on c.place = s.text_number
  where exists (select from contents c where not c.fits);

  v_spoken := array(select i from unnest(document_chunks.inputs) i where i.segments is not null);
  if v_spoken <> '{}' then
    return query
    select s.ordinality, s.chunk_index, s.content, s.token_count, s.speaker, i.category, i.importance, s.occurred_at,
           i.language, braid_store.copied_metadata(i.external_id, i.metadata, s.chunk_count) || s.metadata,
           null::text, null::text, null::jsonb
    from (
      select s.*, count(*) over (partition by s.ordinality) as chunk_count
      from braid_store.split_segments(document_chunks.collection, v_spoken) s
    ) s
    join (select i.ordinality, i.external_id, i.category, i.importance, i.language, i.metadata from unnest(v_spoken) i) i
      on i.ordinality = s.ordinality;
  end if;
end
$$;

comment on function braid_store.document_chunks(braid_store.collections, braid_store.document_input[]) is
  'Returns the chunks of documents: those that the caller gave; one chunk for a document with an embedding or sparse terms; else the '
  'text, or the segments, split so that a chunk fits chunk_tokens. embedding_name: what messages call its embedding.';
