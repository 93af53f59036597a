create or replace function braid_store.explain_chunks(query_text text, chunk_ids bigint[], match text, collection text)
returns table (
  chunk_id bigint,
  term text,
  lexeme text,
  frequency float8,
  title_frequency float8,
  document_frequency bigint,
  idf float8,
  query_frequency int,
  length float8,
  average_length float8,
  length_normalisation float8,
  contribution float8
)
language plpgsql
stable
parallel safe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_unknown record;
  v_compiled record;
  v_chunk_ids bigint[];
begin
  perform braid_store.required_words(explain_chunks.match, 1);
  v_collection := braid_store.find_collection(explain_chunks.collection);
  if explain_chunks.query_text is null then
    raise exception 'query_text is null' using errcode = '22023', hint = 'Give the text that was searched for.';
  elsif explain_chunks.chunk_ids is null or cardinality(explain_chunks.chunk_ids) > 10000 then
    raise exception 'chunk_ids %', coalesce('has ' || cardinality(explain_chunks.chunk_ids) || ' elements', 'is null')
      using errcode = '22023', hint = 'Give an array of at most 10000 ids.';
  end if;
  select u.chunk_id into v_unknown
  from unnest(explain_chunks.chunk_ids) u (chunk_id)
  left join lateral (
    select c.collection_id from braid_store.chunks c where c.tenant_id = v_tenant_id and c.id = u.chunk_id offset 0
  ) c on true
  where c.collection_id is distinct from v_collection.id
  limit 1;
  if found then
    raise exception 'chunk % does not exist in collection "%"', coalesce(v_unknown.chunk_id::text, 'null'),
                    v_collection.name
      using errcode = '42704',
            hint = 'Take chunk_id from a search''s rows; a document that is written again gets new chunks.';
  end if;

  v_compiled := braid_store.compile_query(
    v_tenant_id, v_collection, (braid_store.searched_text(explain_chunks.query_text, true)).searched,
    explain_chunks.match, '{}', '{}');
  v_chunk_ids := braid_store.matching_chunks(
    v_tenant_id, v_collection,
    array(select u.chunk_id from unnest(explain_chunks.chunk_ids) with ordinality u (chunk_id, place)
          group by u.chunk_id order by min(u.place)),
    v_compiled.query);

  return query
  with occurrences as (
    select u.place, u.chunk_id, t.term_number, t.term, l.lexeme, t.document_frequency, t.idf, t.weight,
           t.frequency as query_frequency, f.length, coalesce(f.title_frequencies[w.place], 0)::float8 as title_frequency,
           (f.position_ends[w.place] - coalesce(f.position_ends[w.place - 1], 0))::float8 as all_frequency,
           v_collection.k1 * (1 - v_collection.b + v_collection.b * f.length / (v_compiled.query).average_length)
             as saturation
    from unnest(v_chunk_ids) with ordinality u (chunk_id, place),
         lateral (
           select string_to_array(f.lexemes, ' ') collate "C" as lexemes, f.position_ends, f.title_frequencies,
                  f.body_length + v_collection.title_weight * f.title_length as length
           from braid_store.forward_rows f
           where f.tenant_id = v_tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f,
         braid_store.term_statistics(v_compiled.query, v_compiled.terms, v_compiled.document_frequencies,
                                     v_compiled.frequencies) t,
         unnest(t.lexemes) l (lexeme),
         lateral (select width_bucket(l.lexeme collate "C", f.lexemes) as place offset 0) w
    where f.lexemes[w.place] = l.lexeme
  ), weighted as (
    select o.*, o.all_frequency + (v_collection.title_weight - 1) * o.title_frequency as weighted_frequency
    from occurrences o
  )
  select o.chunk_id, o.term, o.lexeme, o.all_frequency - o.title_frequency, o.title_frequency, o.document_frequency, o.idf,
         o.query_frequency, o.length, (v_compiled.query).average_length, o.saturation,
         -- A term's lexemes count as one: each has its share of what the term adds.
         case when o.weighted_frequency > 0
              then o.weight * o.weighted_frequency
                   / (sum(o.weighted_frequency) over (partition by o.place, o.term_number) + o.saturation)
              else 0 end as contribution
  from weighted o
  order by o.place, contribution desc, o.term_number, o.lexeme collate "C";
end
$$;

comment on function braid_store.explain_chunks(text, bigint[], text, text) is
  'Does the work of braid.explain_score, for the tenant of the session.';
