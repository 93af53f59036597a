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
as $$
#variable_conflict use_column
declare
  -- A token is packed into one number, because numbers sort fast. Bits 43 to 62 hold the chunk's index in v_chunk_ids.
  -- Bits 17 to 42 hold the lexeme's index in v_lexemes. Together these bits identify a posting: a lexeme in a chunk.
  -- Bit 16 is set in the body and clear in the title. Bits 1 to 15 hold the position. Bit 0 is set if the position
  -- counts for the chunk's length.
  c_chunk_shift constant int := 43;
  c_posting_shift constant int := 17;
  c_lexeme_bits constant int := 26;
  c_lexeme_mask constant bigint := 67108863;
  c_body_flag constant bigint := 65536;
  c_position_shift constant int := 1;
  c_counted_flag constant bigint := 1;
  -- A position has 15 bits, as in forward rows. All tokens after this position get this position.
  c_max_position constant bigint := 32767;
  -- These positions stay free between a title and its body, so that no phrase spans both.
  c_title_gap constant int := 10;
  v_chunk_ids bigint[];
  v_are_first boolean[];
  v_configs text[];
  v_titles text[];
  v_bodies text[];
  v_count int;
  v_has_titles boolean;
  v_lexemes text[];
  v_keys bigint[];
  v_tokens bigint[];
begin
  select t.ids, t.are_first, t.text_configs, t.titles, t.bodies
  into v_chunk_ids, v_are_first, v_configs, v_titles, v_bodies
  from braid_store.indexed_texts(analyse_chunks.tenant_id, analyse_chunks.collection, analyse_chunks.chunk_ids) t;
  if v_chunk_ids is null then
    return;
  end if;
  v_count := cardinality(v_chunk_ids);
  v_has_titles := (select bool_or(t.title is not null) from unnest(v_titles) t (title));

  -- Each text search configuration gets one call of the tokenizer, in which the texts of other configurations are null.
  -- text_number counts the titles first, then the bodies.
  with occurrences as materialized (
    select o.lexeme collate "C" as lexeme, dense_rank() over by_lexeme as lexeme_number,
           rank() over by_lexeme = row_number() over by_lexeme as is_first, o.is_counted, o.occurrences
    from (select distinct unnest(v_configs) as config) c,
         braid_store.token_occurrences(
           array(select case when u.config = c.config then u.text end
                 from unnest(v_titles || v_bodies, v_configs || v_configs) with ordinality u (text, config, place)
                 order by u.place),
           c.config, analyse_chunks.collection.fold_diacritics) o
    window by_lexeme as (order by o.lexeme collate "C")
  )
  select l.lexemes, braid_store.term_keys(l.lexemes),
         array(
           select ((t.text_number - case when t.text_number > v_count then v_count else 0 end) << c_chunk_shift)
                  | (t.lexeme_number << c_posting_shift)
                  | case when t.text_number > v_count then c_body_flag else 0 end
                  | (least(t.position, c_max_position) << c_position_shift)
                  | case when t.is_counted then c_counted_flag else 0 end as token
           from (
             select t.lexeme_number, t.is_counted, t.occurrence >> braid_store.position_bits() as text_number,
                    t.occurrence & braid_store.max_position() as position
             from (
               select o.lexeme_number, o.is_counted, unnest(o.occurrences) as occurrence from occurrences o
             ) t
           ) t
           order by 1)
  into v_lexemes, v_keys, v_tokens
  from (
    select array(select o.lexeme from occurrences o where o.is_first order by o.lexeme_number) as lexemes
    offset 0
  ) l;

  -- Tokens are sorted by chunk, then by lexeme, and the title's tokens come before the body's. So positions are
  -- collected in order, and a lexeme ends where the next token belongs to another posting.
  return query
  with title_postings as materialized (
    select t.token >> c_posting_shift as posting, count(*)::smallint as frequency,
           max(t.token >> c_position_shift & c_max_position) as last_position
    from unnest(v_tokens) t (token)
    where v_has_titles and t.token & c_body_flag = 0
    group by t.token >> c_posting_shift
  ), title_frequencies as materialized (
    -- Each posting of the body is found in these sorted arrays by binary search.
    select array_agg(t.posting order by t.posting) as postings,
           array_agg(t.frequency order by t.posting) as frequencies
    from title_postings t
  ), body_starts as materialized (
    select array_agg(coalesce(e.last_position + c_title_gap, 0)::int order by n.chunk_place) as positions
    from generate_series(1, v_count) n (chunk_place)
    left join (
      select t.posting >> c_lexeme_bits as chunk_place, max(t.last_position) as last_position
      from title_postings t
      group by t.posting >> c_lexeme_bits
    ) e on e.chunk_place = n.chunk_place
  ), tokens as (
    select t.token >> c_chunk_shift as chunk_place, t.token >> c_posting_shift as posting,
           t.token & c_body_flag > 0 as is_in_body, t.token >> c_position_shift & c_max_position as position,
           t.token & c_counted_flag > 0 as is_counted,
           t.token >> c_posting_shift is distinct from t.next_token >> c_posting_shift as is_last,
           width_bucket(t.token >> c_posting_shift, (select f.postings from title_frequencies f)) as title_place
    from (select unnest(v_tokens) as token, unnest(v_tokens[2:]) as next_token) t
  ), chunks as (
    select t.chunk_place,
           count(*) filter (where t.is_counted and t.is_in_body)::int as body_length,
           count(*) filter (where t.is_counted and not t.is_in_body)::int as title_length,
           string_agg(v_lexemes[t.posting & c_lexeme_mask], ' ') filter (where t.is_last) as lexemes,
           array_agg(v_keys[t.posting & c_lexeme_mask]) filter (where t.is_last) as keys,
           array_positions((array_agg(t.is_last))[:c_max_position], true)::smallint[] as position_ends,
           array_agg(least(t.position + case when v_has_titles and t.is_in_body
                                             then (select b.positions from body_starts b)[t.chunk_place] else 0 end,
                           c_max_position)::smallint) as positions,
           array_agg(case when (select f.postings from title_frequencies f)[t.title_place] = t.posting
                          then (select f.frequencies from title_frequencies f)[t.title_place] else 0 end::smallint)
             filter (where v_has_titles and t.is_last and (select b.positions from body_starts b)[t.chunk_place] > 0)
             as title_frequencies
    from tokens t
    group by t.chunk_place
  )
  select analyse_chunks.tenant_id, analyse_chunks.collection.id, v_chunk_ids[n.chunk_place],
         coalesce(c.body_length, 0), coalesce(c.title_length, 0), v_are_first[n.chunk_place], t.terms, t.title_terms,
         coalesce(c.lexemes, ''), coalesce(c.position_ends, '{}'), coalesce(c.positions, '{}'), c.title_frequencies
  from generate_series(1, v_count) n (chunk_place)
  left join chunks c on c.chunk_place = n.chunk_place,
  lateral (
    select case when f.is_short then coalesce(f.terms, '{}') end as terms,
           case when f.is_short then f.title_terms end as title_terms
    from (
      select array_agg(p.key + p.frequency order by p.key) as terms,
             array_agg(p.key + p.title_frequency order by p.key) filter (where p.title_frequency > 0) as title_terms,
             coalesce(max(p.frequency), 0) <= braid_store.max_frequency() as is_short
      from (
        select p.key, p.position_end - p.position_begin as frequency, p.title_frequency
        from (
          select unnest(c.keys) as key, unnest(c.position_ends) as position_end,
                 unnest('{0}' || c.position_ends) as position_begin, unnest(c.title_frequencies) as title_frequency
        ) p
        where p.key is not null
        offset 0
      ) p
    ) f
  ) t;
end
$$;

comment on function braid_store.analyse_chunks(int, braid_store.collections, bigint[]) is
  'Compute the forward rows of chunks: their lexemes, positions and lengths. The result depends only on the texts of '
  'the chunks and the settings of the collection. The function writes nothing.';
