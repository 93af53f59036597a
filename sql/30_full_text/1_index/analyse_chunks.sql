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
-- A plan made while the tables were small would read them whole for each chunk as long as the session keeps it.
set enable_seqscan = off
set jit = off
-- Tokens are read in order, and a hash aggregate keeps the order of what it collects.
set enable_hashagg = on
set enable_sort = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  v_chunk_ids bigint[];
  v_are_first boolean[];
  v_configs text[]; -- of each chunk's language
  v_texts text[]; -- the titles, then the bodies
  v_count int;
  v_has_titles boolean;
  v_lexemes text[];
  -- Sorted: 20 bits of the chunk's place in v_chunk_ids, 26 of the lexeme's in v_lexemes, then whether it is in the
  -- body, 15 bits of its position, and whether its position counts for the length.
  v_tokens bigint[];
begin
  select array_agg(c.id order by c.id),
         array_agg(c.chunk_index = 0 order by c.id),
         array_agg(case when c.language is null then analyse_chunks.collection.text_config
                        else braid_store.language_config(c.language, analyse_chunks.collection.text_config) end
                   order by c.id),
         array_agg(case when 'title' = any (analyse_chunks.collection.index_fields) then d.title end order by c.id)
         || array_agg(concat_ws(E'\n', case when 'speaker' = any (analyse_chunks.collection.index_fields) then c.speaker
                                       end, c.content) order by c.id)
  into v_chunk_ids, v_are_first, v_configs, v_texts
  from unnest(analyse_chunks.chunk_ids) u (chunk_id),
       -- Laterals with offset 0 look up by key. Without statistics (they would leak) the planner cannot tell that all
       -- chunks of a tenant are more than one.
       lateral (
         -- A range, in order, since only the index by id gives that: where the table was empty at its last vacuum, all
         -- indexes that begin with the tenant seem equal for a key.
         select c.* from braid_store.chunks c
         where c.tenant_id = analyse_chunks.tenant_id and c.id between u.chunk_id and u.chunk_id
         order by c.id
         offset 0
       ) c,
       lateral (
         select d.title from braid_store.documents d
         where d.tenant_id = analyse_chunks.tenant_id and d.id = c.document_id
         offset 0
       ) d;

  if v_chunk_ids is null then
    return;
  end if;

  v_count := cardinality(v_chunk_ids);
  v_has_titles := (select bool_or(t.title is not null) from unnest(v_texts[:v_count]) t (title));

  with occurrences as materialized (
    select o.lexeme collate "C" as lexeme, dense_rank() over (order by o.lexeme collate "C") as lexeme_number,
           o.is_counted, o.occurrences
    from (select distinct unnest(v_configs) as config) c,
         braid_store.token_occurrences(
           array(select case when u.config = c.config then u.text end
                 from unnest(v_texts, v_configs || v_configs) with ordinality u (text, config, place)
                 order by u.place),
           c.config, analyse_chunks.collection.fold_diacritics) o
  )
  select array(select distinct o.lexeme from occurrences o order by o.lexeme),
         array(
           select ((t.text_number - case when t.text_number > v_count then v_count else 0 end) << 43)
                  | (t.lexeme_number << 17)
                  | case when t.text_number > v_count then 65536 else 0 end
                  | (least(t.occurrence & 4294967295, 32767) << 1)
                  | t.counted as token
           from (
             select t.lexeme_number, t.counted, t.occurrence, t.occurrence >> 32 as text_number
             from (
               select o.lexeme_number, o.is_counted::int as counted, unnest(o.occurrences) as occurrence
               from occurrences o
             ) t
           ) t
           order by 1)
  into v_lexemes, v_tokens;

  return query
  with title_lexemes as materialized (
    select t.token >> 17 as text_lexeme, count(*)::smallint as frequency, max(t.token >> 1 & 32767) as position -- the last
    from unnest(v_tokens) t (token)
    where v_has_titles and t.token & 65536 = 0 -- in the title
    group by t.token >> 17
  ), title_frequencies as materialized (
    select array_agg(t.text_lexeme order by t.text_lexeme) as text_lexemes,
           array_agg(t.frequency order by t.text_lexeme) as frequencies
    from title_lexemes t
  ), title_ends as materialized (
    -- Body positions begin well behind the title, so that no phrase spans both.
    select array_agg(coalesce(e.position + 10, 0)::int order by n.text_number) as positions
    from generate_series(1, v_count) n (text_number)
    left join (
      select t.text_lexeme >> 26 as text_number, max(t.position) as position
      from title_lexemes t
      group by t.text_lexeme >> 26
    ) e on e.text_number = n.text_number
  ), tokens as (
    select t.token, t.token >> 43 as text_number, t.token >> 17 as text_lexeme,
           t.token >> 17 is distinct from t.next_token >> 17 as is_last,
           width_bucket(t.token >> 17, (select f.text_lexemes from title_frequencies f)) as title_place
    from (select unnest(v_tokens) as token, unnest(v_tokens[2:]) as next_token) t
  ), texts as (
    select t.text_number,
           count(*) filter (where t.token & 65537 = 65537)::int as body_length,
           count(*) filter (where t.token & 65537 = 1)::int as title_length,
           string_agg(v_lexemes[t.text_lexeme & 67108863], ' ') filter (where t.is_last) as lexemes,
           array_agg(t.is_last) as are_last,
           array_agg(least((t.token >> 1 & 32767)
                           + case when v_has_titles and t.token & 65536 > 0
                                  then (select e.positions from title_ends e)[t.text_number] else 0 end,
                           32767)::smallint) as positions,
           array_agg(case when (select f.text_lexemes from title_frequencies f)[t.title_place] = t.text_lexeme
                          then (select f.frequencies from title_frequencies f)[t.title_place] else 0 end::smallint)
             filter (where v_has_titles and t.is_last and (select e.positions from title_ends e)[t.text_number] > 0)
             as title_frequencies
    from tokens t
    group by t.text_number
  )
  select analyse_chunks.tenant_id, analyse_chunks.collection.id, v_chunk_ids[n.text_number],
         coalesce(t.body_length, 0), coalesce(t.title_length, 0), v_are_first[n.text_number], coalesce(t.lexemes, ''),
         coalesce(array_positions(t.are_last[:32767], true)::smallint[], '{}'),
         coalesce(t.positions, '{}'), t.title_frequencies
  from generate_series(1, v_count) n (text_number)
  left join texts t on t.text_number = n.text_number;
end
$$;

comment on function braid_store.analyse_chunks(int, braid_store.collections, bigint[]) is
  'The forward rows that chunks must have, from their texts and the settings of their collection alone.';
