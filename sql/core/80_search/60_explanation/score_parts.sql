create or replace function braid_store.score_parts(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  chunk_ids bigint[]
)
returns table (
  chunk_number int,
  term_number int,
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
language sql
stable
parallel safe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
  with occurrences as (
    select u.place, u.chunk_id, t.term_number, t.term, l.lexeme, t.document_frequency, t.idf, t.weight,
           t.frequency as query_frequency, f.length, n.title_frequency, n.all_frequency,
           (score_parts.collection).k1
           * (1 - b.value + b.value * f.length / (score_parts.query).average_length) as saturation
    from unnest(score_parts.chunk_ids) with ordinality u (chunk_id, place),
         lateral (
           select string_to_array(f.lexemes, ' ') collate "C" as lexemes, f.position_ends, f.positions,
             f.title_frequencies,
                  f.body_length + (score_parts.collection).title_weight * f.title_length as length
           from braid_store.forward_rows f
           where f.tenant_id = score_parts.tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f,
         (select coalesce((score_parts.collection).b,
           braid_store.adaptive_b((score_parts.query).average_length)) as value
          offset 0) b,
         braid_store.term_statistics(score_parts.collection, score_parts.query) t,
         unnest(t.lexemes) l (lexeme),
         lateral (
           select (f.position_ends[w.place] - coalesce(f.position_ends[w.place - 1], 0))::float8 as all_frequency,
                  coalesce(f.title_frequencies[w.place], 0)::float8 as title_frequency
           from (select width_bucket(l.lexeme collate "C", f.lexemes) as place offset 0) w
           where f.lexemes[w.place] = l.lexeme
           union all
           select p.frequency, p.title_frequency
           from braid_store.phrase_frequency(l.lexeme, f.lexemes, f.position_ends, f.positions, f.title_frequencies) p
           where strpos(l.lexeme, ' ') > 0 and p.frequency > 0
           offset 0
         ) n
  ), weighted as (
    select o.*, o.all_frequency + ((score_parts.collection).title_weight - 1) * o.title_frequency as weighted_frequency
    from occurrences o
  )
  select o.place::int, o.term_number, o.chunk_id, o.term, o.lexeme, o.all_frequency - o.title_frequency,
         o.title_frequency, o.document_frequency, o.idf, o.query_frequency, o.length,
         (score_parts.query).average_length, o.saturation,
         -- The lexemes of a term count as one: each has its share of what the term adds.
         case when o.weighted_frequency > 0
              then o.weight * o.weighted_frequency
                   / (sum(o.weighted_frequency) over (partition by o.place, o.term_number) + o.saturation)
              else 0 end as contribution
  from weighted o;
$$;

comment on function braid_store.score_parts(int, braid_store.collections, braid_store.text_query, bigint[]) is
  'Split the BM25 scores of chunks into what each lexeme of a compiled query adds. chunk_number is the place of the '
  'chunk in chunk_ids.';
