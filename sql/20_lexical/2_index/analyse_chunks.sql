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
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  v_chunk_ids bigint[];
  v_are_first boolean[];
  v_configs text[]; -- of each chunk's language
  v_titles text[];
  v_bodies text[];
begin
  select array_agg(c.id order by c.id),
         array_agg(c.chunk_index = 0 order by c.id),
         array_agg(case when c.language is null then analyse_chunks.collection.text_config
                        else braid_store.language_config(c.language, analyse_chunks.collection.text_config) end
                   order by c.id),
         array_agg(case when 'title' = any (analyse_chunks.collection.index_fields) then d.title end order by c.id),
         array_agg(concat_ws(E'\n', case when 'speaker' = any (analyse_chunks.collection.index_fields) then c.speaker end,
                             c.content) order by c.id)
  into v_chunk_ids, v_are_first, v_configs, v_titles, v_bodies
  from unnest(analyse_chunks.chunk_ids) u (chunk_id),
       -- Laterals with offset 0 look up by key. Without statistics (they would leak) the planner cannot tell that all
       -- chunks of a tenant are more than one.
       lateral (
         select c.* from braid_store.chunks c where c.tenant_id = analyse_chunks.tenant_id and c.id = u.chunk_id offset 0
       ) c,
       lateral (
         select d.title from braid_store.documents d
         where d.tenant_id = analyse_chunks.tenant_id and d.id = c.document_id
         offset 0
       ) d;

  if v_chunk_ids is null then
    return;
  end if;

  return query
  with title_tokens as materialized (
    select t.text_number, t.position, t.lexeme, t.kind
    from (select distinct unnest(v_configs) as config) c,
         braid_store.tokenize(array(select case when u.config = c.config then u.text end
                                    from unnest(v_titles, v_configs) with ordinality u (text, config, place)
                                    order by u.place),
                              c.config, analyse_chunks.collection.fold_diacritics) t
  ), body_tokens as materialized (
    select t.text_number, t.position, t.lexeme, t.kind
    from (select distinct unnest(v_configs) as config) c,
         braid_store.tokenize(array(select case when u.config = c.config then u.text end
                                    from unnest(v_bodies, v_configs) with ordinality u (text, config, place)
                                    order by u.place),
                              c.config, analyse_chunks.collection.fold_diacritics) t
  ), title_end as (
    -- Body positions begin well behind the title, so that no phrase spans both.
    select t.text_number, max(t.position) + 10 as position from title_tokens t group by t.text_number
  ), tokens as (
    select t.text_number, t.lexeme collate "C" as lexeme, t.position, true as in_title from title_tokens t
    union all
    select t.text_number, t.lexeme, t.position + coalesce(e.position, 0), false
    from body_tokens t left join title_end e on e.text_number = t.text_number
  ), title_terms as (
    select t.text_number, t.lexeme, count(*)::smallint as frequency from title_tokens t group by t.text_number, t.lexeme
  ), sorted_tokens as (
    select t.*, coalesce(tt.frequency, 0::smallint) as title_frequency, row_number() over w as place,
           lead(t.lexeme) over w is distinct from t.lexeme as is_last
    from tokens t
    left join title_terms tt on tt.text_number = t.text_number and tt.lexeme = t.lexeme
    window w as (partition by t.text_number order by t.lexeme, t.position)
  ), lengths as (
    select n.text_number, coalesce(body.length, 0) as body_length, coalesce(title.length, 0) as title_length
    from generate_subscripts(v_chunk_ids, 1) n (text_number)
    left join (
      select t.text_number, count(distinct t.position)::int as length
      from body_tokens t where t.kind <> 'stop_word' group by t.text_number
    ) body on body.text_number = n.text_number
    left join (
      select t.text_number, count(distinct t.position)::int as length
      from title_tokens t where t.kind <> 'stop_word' group by t.text_number
    ) title on title.text_number = n.text_number
  )
  select analyse_chunks.tenant_id, analyse_chunks.collection.id, v_chunk_ids[l.text_number], l.body_length,
         l.title_length, v_are_first[l.text_number], coalesce(f.lexemes, ''), coalesce(f.position_ends, '{}'),
         coalesce(f.positions, '{}'), f.title_frequencies
  from lengths l
  left join (
    select t.text_number,
           string_agg(t.lexeme, ' ' order by t.lexeme, t.position) filter (where t.is_last) as lexemes,
           array_agg(least(t.place, 32767)::smallint order by t.lexeme, t.position) filter (where t.is_last)
             as position_ends,
           array_agg(least(t.position, 32767)::smallint order by t.lexeme, t.position) as positions,
           case when bool_or(t.in_title)
                then array_agg(t.title_frequency order by t.lexeme, t.position) filter (where t.is_last)
                end as title_frequencies
    from sorted_tokens t
    group by t.text_number
  ) f on f.text_number = l.text_number;
end
$$;

comment on function braid_store.analyse_chunks(int, braid_store.collections, bigint[]) is
  'The forward rows that chunks must have, from their texts and the settings of their collection alone.';
