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
  v_texts braid_store.document_input[];
  v_count int;
  v_costs float8[]; -- Costs of the texts, then of the title and speaker that the model reads before each.
  v_budgets int[];
  v_longer braid_store.document_input[];
  v_longer_budgets int[];
  v_spoken braid_store.document_input[];
  v_have_chunks boolean;
  v_have_turns boolean;
  v_are_embedded boolean; -- True if each text has an embedding or sparse terms. It is then one chunk.
begin
  select coalesce(bool_or(i.chunks is not null), false), coalesce(bool_or(i.turns is not null), false),
         coalesce(bool_and(i.embedding is not null or coalesce(i.sparse, '{}') <> '{}')
                    filter (where i.chunks is null and i.turns is null), true)
  into v_have_chunks, v_have_turns, v_are_embedded
  from unnest(document_chunks.inputs) i;

  -- The caller gave these chunks. Each kind of document has a statement of its own, because most writes have only one
  -- kind.
  if v_have_chunks then
    return query
    with given as materialized (
      -- i.chunks is left out, because each row would hold all chunks.
      select i.ordinality, i.external_id, i.speaker, i.category, i.importance, i.occurred_at, i.language, i.metadata,
             c.value, c.ordinality as chunk_number, row_number() over ()::int as number
      from unnest(document_chunks.inputs) i, jsonb_array_elements(i.chunks) with ordinality c
      where i.chunks is not null
    ), estimates as materialized (
      select braid_store.token_costs(array(select g.value ->> 'content' from given g order by g.number)) as costs
    )
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
    from given g;
  end if;

  v_texts := document_chunks.inputs;
  if v_have_chunks or v_have_turns then
    v_are_embedded := v_are_embedded and not v_have_turns;
    v_texts := array(
      select i
      from unnest(document_chunks.inputs) i
      where i.chunks is null
        -- A document whose turns have no text is handled here.
        and (i.turns is null
             or not exists (select from jsonb_array_elements(i.turns) g where g.value ->> 'text' ~ E'\\S')));
  end if;
  v_count := cardinality(v_texts);
  if v_count > 0 then
    -- One call estimates the texts and what the model reads before each.
    v_costs := braid_store.token_costs(array(
      select case
               -- A longer text needs an estimate only if it has an embedding or sparse terms, and so becomes one chunk.
               when t.number <= v_count
                 then case when (t.input).embedding is not null or (t.input).sparse <> '{}'
                                or length((t.input).content)
                                   <= 8 * coalesce((t.input).chunk_tokens, document_chunks.collection.chunk_tokens)
                           then coalesce((t.input).content, '') else '' end
               else concat_ws(
                 E'\n', case when 'title' = any (document_chunks.collection.embed_fields) then (t.input).title end,
                 case when 'speaker' = any (document_chunks.collection.embed_fields) then (t.input).speaker end) end
      from (
        select unnest(v_texts) as input, generate_series(1, v_count) as number
        union all
        select unnest(v_texts), generate_series(v_count + 1, 2 * v_count)
        where not v_are_embedded
      ) t
      order by t.number));
    if not v_are_embedded then
      v_budgets := array(
        -- Title and speaker take their share of chunk_tokens, at most half of it.
        select greatest(t.most_tokens - ceil(v_costs[v_count + t.number])::int, t.most_tokens / 2, 1)
        from (
          select coalesce((t.input).chunk_tokens, document_chunks.collection.chunk_tokens) as most_tokens, t.number
          from (select unnest(v_texts) as input, generate_series(1, v_count) as number) t
          offset 0
        ) t
        order by t.number);
    end if;
    return query
    select (t.input).ordinality, 0,
           case when w.is_whole then coalesce((t.input).content, '') else btrim((t.input).content, c_white_space) end,
           ceil(t.cost)::int, (t.input).speaker, (t.input).category, (t.input).importance, (t.input).occurred_at,
           (t.input).language, (t.input).metadata, (t.input).embedding,
           case when (t.input).embedding is not null
                then format('embedding of document "%s"', left((t.input).external_id, 100)) end,
           (t.input).sparse
    from (select unnest(v_texts) as input, unnest(v_costs[:v_count]) as cost, unnest(v_budgets) as budget) t,
         lateral (
           -- A document with an embedding or sparse terms is one chunk, because they stand for the whole text. A
           -- document with only a title is one chunk, too.
           select (t.input).embedding is not null or coalesce((t.input).sparse, '{}') <> '{}'
                  or coalesce((t.input).content, '') !~ E'\\S' and coalesce((t.input).title, '') ~ E'\\S' as is_whole
         ) w
    where w.is_whole
       or length((t.input).content) <= 8 * t.budget and t.cost <= t.budget and (t.input).content ~ E'\\S';

    if not v_are_embedded then
      select array_agg(t.input order by t.number), array_agg(t.budget order by t.number) into v_longer, v_longer_budgets
      from (
        select unnest(v_texts) as input, unnest(v_costs[:v_count]) as cost, unnest(v_budgets) as budget,
               generate_series(1, v_count) as number
      ) t
      where (t.input).embedding is null and coalesce((t.input).sparse, '{}') = '{}'
        and not (length((t.input).content) <= 8 * t.budget and t.cost <= t.budget);
    end if;
    if v_longer is not null then
      return query
      select c.ordinality, s.chunk_index, s.content, s.token_count, c.speaker, c.category, c.importance, c.occurred_at,
             c.language, braid_store.copied_metadata(c.external_id, c.metadata, s.chunk_count), null::text, null::text,
               c.sparse
      from (
        select s.*, count(*) over (partition by s.text_number) as chunk_count
        from braid_store.split_texts(array(select i.content from unnest(v_longer) i), v_longer_budgets,
                                     array(select coalesce(i.overlap_tokens, document_chunks.collection.overlap_tokens)
                                           from unnest(v_longer) i),
                                     array(select i.format from unnest(v_longer) i)) s
      ) s
      join (
        select i.ordinality, i.external_id, i.speaker, i.category, i.importance, i.occurred_at, i.language, i.metadata,
               i.sparse, row_number() over ()::int as place
        from unnest(v_longer) i
      ) c on c.place = s.text_number;
    end if;
  end if;

  if v_have_turns then
    v_spoken := array(select i from unnest(document_chunks.inputs) i where i.turns is not null);
    return query
    select s.ordinality, s.chunk_index, s.content, s.token_count, s.speaker, i.category, i.importance, s.occurred_at,
           i.language, braid_store.copied_metadata(i.external_id, i.metadata, s.chunk_count) || s.metadata,
           null::text, null::text, null::jsonb
    from (
      select s.*, count(*) over (partition by s.ordinality) as chunk_count
      from braid_store.split_turns(document_chunks.collection, v_spoken) s
    ) s
    join (select i.ordinality, i.external_id, i.category, i.importance, i.language, i.metadata
      from unnest(v_spoken) i) i
      on i.ordinality = s.ordinality;
  end if;
end
$$;

comment on function braid_store.document_chunks(braid_store.collections, braid_store.document_input[]) is
  'Return the chunks of documents. Chunks that the caller gave stay as they are. A document with an embedding or '
  'sparse terms, or with only a title, is one chunk. Other texts, and turns, are split so that a chunk fits '
  'chunk_tokens. embedding_name: what messages call the embedding of a chunk.';
