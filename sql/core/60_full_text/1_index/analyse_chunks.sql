create or replace function braid_store.analyse_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns setof braid_store.forward_rows
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Tokens are read in order, and a hash aggregate keeps the order of its input, so no sort is needed.
set enable_hashagg = on
set enable_sort = off
set work_mem = '64MB'
-- The planner expects 40 kB for a chunk's arrays, which take 8, so the chunks of a batch would be written to files.
set hash_mem_multiplier = 4
as $$
#variable_conflict use_column
declare
  -- A position has 15 bits, as in forward rows. All tokens after this position get this position.
  c_max_position constant bigint := 32767;
  -- These positions stay free between a title and its body, so that no phrase spans both.
  c_title_gap constant int := 10;
  v_chunk_ids bigint[];
  v_are_first boolean[];
  v_configs text[];
  v_titles text[];
  v_texts text[];
  v_count int;
  v_has_titles boolean;
  -- A text's number is its chunk's place in v_chunk_ids. If there are titles, a bit follows: 0 for title, 1 for body.
  v_number_bits int := 0;
begin
  select t.ids, t.are_first, t.text_configs, t.titles, t.bodies
  into v_chunk_ids, v_are_first, v_configs, v_titles, v_texts
  from braid_store.indexed_texts(analyse_chunks.tenant_id, analyse_chunks.collection, analyse_chunks.chunk_ids) t;
  if v_chunk_ids is null then
    return;
  end if;
  v_count := cardinality(v_chunk_ids);
  v_has_titles := (select bool_or(t.title is not null) from unnest(v_titles) t (title));
  if v_has_titles then
    v_number_bits := 1;
    v_texts := array[null::text]
               || array(select unnest(array[u.title, u.body]) from unnest(v_titles, v_texts) u (title, body));
  end if;

  return query
  with words as materialized (
    -- Each text search configuration gets one call of the tokenizer, in which the texts of other configurations are
    -- null.
    select o.lexeme collate "C" as lexeme, o.is_counted, o.occurrences
    from (select distinct unnest(v_configs) as config) c,
         braid_store.token_occurrences(
           array(select case when v_configs[u.text_number >> v_number_bits] = c.config then u.text end
                 from unnest(v_texts) with ordinality u (text, text_number)),
           c.config, analyse_chunks.collection.fold_diacritics) o
  ), numbered as materialized (
    select l.*, row_number() over () as lexeme_number
    from (
      select w.lexeme, count(*) = 1 as is_alone, bool_or(w.is_counted) as is_counted, max(w.occurrences) as occurrences
      from words w
      group by w.lexeme
      order by w.lexeme
    ) l
  ), keys as materialized (
    -- An array without nulls finds its elements at once.
    select array_replace(braid_store.term_keys(array(select l.lexeme from numbered l)), null, -1) as keys
  ), merged as (
    -- Several words, such as The and the, may have one lexeme. Its occurrences get the order of their places. A low bit
    -- tells which of them count.
    select t.lexeme_number, array_agg(t.token) as tokens
    from (
      select l.lexeme_number, unnest(w.occurrences) << 1 | case when w.is_counted then 1 else 0 end as token
      from numbered l
      join words w on w.lexeme = l.lexeme
      where not l.is_alone
      order by 2
    ) t
    group by t.lexeme_number
  ), body_starts as materialized (
    select array_agg(coalesce(e.last_position + c_title_gap, 0)::int order by n.chunk_place) as positions
    from generate_series(1, v_count) n (chunk_place)
    left join (
      select t.occurrence >> braid_store.position_bits() + 1 as chunk_place,
             max(least(t.occurrence & braid_store.max_position(), c_max_position)) as last_position
      from (select unnest(w.occurrences) as occurrence from words w) t
      where t.occurrence >> braid_store.position_bits() & 1 = 0
      group by 1
    ) e on e.chunk_place = n.chunk_place
    where v_has_titles
  ), tokens as (
    select t.lexeme, t.key, t.token >> t.chunk_shift as chunk_place,
           (t.token >> t.chunk_shift) is distinct from (t.next_token >> t.chunk_shift) as is_last,
           not v_has_titles or t.token >> t.text_shift & 1 = 1 as is_in_body,
           coalesce(t.are_counted, t.token & 1 = 1) as is_counted,
           least(t.token >> t.low_bits & braid_store.max_position(), c_max_position) as position,
           -- In the ordered tokens, the chunk's title comes before the first number that its body can have.
           case when v_has_titles and (t.token >> t.chunk_shift) is distinct from (t.next_token >> t.chunk_shift)
                then width_bucket((t.token >> t.chunk_shift << t.chunk_shift) + (1::bigint << t.text_shift) - 1,
                                  t.tokens)
                     - width_bucket((t.token >> t.chunk_shift << t.chunk_shift) - 1, t.tokens) end as title_frequency
    from (
      select l.lexeme, l.key, l.are_counted, l.low_bits, l.low_bits + braid_store.position_bits() as text_shift,
             l.low_bits + braid_store.position_bits() + v_number_bits as chunk_shift, l.tokens,
             unnest(l.tokens) as token, unnest(l.tokens[2:]) as next_token
      from (
        select l.lexeme, nullif((select k.keys from keys k)[l.lexeme_number], -1) as key,
               case when l.is_alone then l.is_counted end as are_counted,
               case when l.is_alone then 0 else 1 end as low_bits,
               case when l.is_alone then l.occurrences else m.tokens end as tokens
        from numbered l
        left join merged m on m.lexeme_number = l.lexeme_number
        order by l.lexeme_number
      ) l
    ) t
    offset 0 -- so that each expression is computed once, not at every use
  ), chunks as (
    -- Tokens are read in the order of lexemes, and a lexeme's in the order of chunks, title before body. So each chunk
    -- collects its tokens in order, and a lexeme ends where its next token belongs to another chunk.
    select t.chunk_place,
           count(*) filter (where t.is_counted and t.is_in_body)::int as body_length,
           count(*) filter (where t.is_counted and not t.is_in_body)::int as title_length,
           string_agg(t.lexeme, ' ') filter (where t.is_last) as lexemes,
           array_positions((array_agg(t.is_last))[:c_max_position], true)::smallint[] as position_ends,
           array_agg(case when v_has_titles and t.is_in_body
                          then least(t.position + (select b.positions from body_starts b)[t.chunk_place],
                                     c_max_position)
                          else t.position end::smallint) as positions,
           array_agg(t.title_frequency::smallint)
             filter (where v_has_titles and t.is_last and (select b.positions from body_starts b)[t.chunk_place] > 0)
             as title_frequencies,
           array_agg(t.key) filter (where t.is_last) as keys
    from tokens t
    group by t.chunk_place
  )
  select analyse_chunks.tenant_id, analyse_chunks.collection.id, v_chunk_ids[n.chunk_place],
         coalesce(c.body_length, 0), coalesce(c.title_length, 0), v_are_first[n.chunk_place],
         case when f.are_short
              then array(
                select p.key + p.position_end - p.position_begin
                from (
                  select unnest(c.keys) as key, unnest(c.position_ends) as position_end,
                         unnest('{0}' || c.position_ends) as position_begin
                ) p
                where p.key is not null
                order by 1) end,
         case when f.are_short and c.title_frequencies is not null
              then (
                select array_agg(p.key + p.frequency order by p.key)
                from (select unnest(c.keys) as key, unnest(c.title_frequencies) as frequency) p
                where p.key is not null and p.frequency > 0) end,
         coalesce(c.lexemes, ''), coalesce(c.position_ends, '{}'), coalesce(c.positions, '{}'), c.title_frequencies
  from generate_series(1, v_count) n (chunk_place)
  left join chunks c on c.chunk_place = n.chunk_place,
  lateral (
    select case when cardinality(c.positions) > braid_store.max_frequency()
                then not exists (
                  select
                  from (
                    select unnest(c.keys) as key, unnest(c.position_ends) as position_end,
                           unnest('{0}' || c.position_ends) as position_begin
                  ) p
                  where p.key is not null and p.position_end - p.position_begin > braid_store.max_frequency())
                else true end as are_short
    offset 0
  ) f;
end
$$;

comment on function braid_store.analyse_chunks(int, braid_store.collections, bigint[]) is
  'Compute the forward rows of chunks: their lexemes, positions and lengths. The result depends only on the texts of '
  'the chunks and the settings of the collection. The function writes nothing.';
