create or replace function braid_store.candidate_queries(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns table (query_id bigint, found_ids bigint[], are_sure boolean)
language plpgsql
stable
parallel safe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Rows are looked up by whole keys. The lists of a batch are long, which the planner does not know.
set enable_seqscan = off
set enable_nestloop = off
as $$
#variable_conflict use_column
declare
  v_lexemes text[] collate "C";
  v_synonymous text[] := '{}'; -- Lexemes of words that have a synonym in the batch.
  v_has_prefixes boolean;
begin
  select exists (
    select from braid_store.standing_query_terms k
    where k.tenant_id = candidate_queries.tenant_id and k.collection_id = candidate_queries.collection.id
      and k.is_prefix)
  into v_has_prefixes;
  if exists (select from braid_store.synonyms y where y.collection_id = candidate_queries.collection.id) then
    v_lexemes := array(
      select distinct w.lexeme collate "C" as lexeme
      from unnest(candidate_queries.chunk_ids) u (chunk_id),
           lateral (
             select f.lexemes from braid_store.forward_rows f
             where f.tenant_id = candidate_queries.tenant_id and f.chunk_id between u.chunk_id and u.chunk_id
             order by f.chunk_id
             offset 0
           ) f,
           string_to_table(f.lexemes, ' ') w (lexeme)
      order by 1);
    v_synonymous := array(
      select distinct w.lexeme
      from braid_store.synonyms y, string_to_table(y.lexeme, ' ') w (lexeme)
      where y.collection_id = candidate_queries.collection.id
        and exists (
          select from unnest(y.synonym_lexemes) s (synonym)
          where not exists (
            select from string_to_table(s.synonym, ' ') o (lexeme)
            where v_lexemes[width_bucket(o.lexeme collate "C", v_lexemes)] is distinct from o.lexeme)));
  end if;

  return query
  with texts as materialized (
    select u.chunk_id, f.lexemes, f.position_ends, f.positions
    from unnest(candidate_queries.chunk_ids) u (chunk_id),
         lateral (
           select string_to_array(f.lexemes, ' ') collate "C" as lexemes, f.position_ends, f.positions
           from braid_store.forward_rows f
           where f.tenant_id = candidate_queries.tenant_id and f.chunk_id between u.chunk_id and u.chunk_id
           order by f.chunk_id
           offset 0
         ) f
  ), words as materialized (
    select w.lexeme collate "C" as lexeme, array_agg(t.chunk_id) as chunk_ids, true as is_literal
    from texts t, unnest(t.lexemes) w (lexeme)
    group by w.lexeme collate "C"
    union all
    select s, candidate_queries.chunk_ids, false from unnest(v_synonymous) s
  ), found as materialized (
    select k.query_id, w.chunk_ids, w.is_literal
    from words w,
         lateral (
           select k.query_id from braid_store.standing_query_terms k
           where k.tenant_id = candidate_queries.tenant_id and k.collection_id = candidate_queries.collection.id
             and not k.is_prefix and k.lexeme between w.lexeme and w.lexeme
           order by k.lexeme, k.query_id
           offset 0
         ) k
    union all
    select k.query_id, w.chunk_ids, w.is_literal
    from words w, generate_series(1, case when v_has_prefixes then length(w.lexeme) else 0 end) n (length),
         lateral (
           select k.query_id from braid_store.standing_query_terms k
           where k.tenant_id = candidate_queries.tenant_id and k.collection_id = candidate_queries.collection.id
             and k.is_prefix and k.lexeme between left(w.lexeme, n.length) and left(w.lexeme, n.length)
           order by k.lexeme, k.query_id
           offset 0
         ) k
  ), queries as materialized (
    select q.*
    from (select distinct f.query_id from found f) f,
         lateral (
           select q.id, q.required_lexemes, q.excluded_lexemes, q.demands, q.is_plain
           from braid_store.standing_queries q
           where q.tenant_id = candidate_queries.tenant_id and q.collection_id = candidate_queries.collection.id
             and q.id between f.query_id and f.query_id
           order by q.id
           offset 0
         ) q
  ), pairs as (
    select q.id, t.chunk_id,
           q.is_plain and candidate_queries.collection.title_weight > 0 and p.is_literal
             and (v_synonymous = '{}'
                  or q.required_lexemes <@ t.lexemes
                     and (q.demands is null
                          or braid_store.demands_hold(q.demands, t.lexemes, '{}', t.position_ends, t.positions)))
             as is_sure
    from (
      select f.query_id, c.chunk_id, bool_or(f.is_literal) as is_literal
      from found f, unnest(f.chunk_ids) c (chunk_id)
      group by f.query_id, c.chunk_id
    ) p
    join queries q on q.id = p.query_id
    join texts t on t.chunk_id = p.chunk_id
    where q.required_lexemes <@ case when v_synonymous = '{}' then t.lexemes else t.lexemes || v_synonymous end
      and not q.excluded_lexemes && t.lexemes
      and (q.demands is null
           or braid_store.demands_hold(q.demands, t.lexemes, v_synonymous, t.position_ends, t.positions))
  )
  select p.id, array_agg(p.chunk_id order by p.chunk_id), bool_and(p.is_sure)
  from pairs p
  group by p.id;
end
$$;

comment on function braid_store.candidate_queries(int, braid_store.collections, bigint[]) is
  'Return the standing queries whose text may match some of the given chunks, with these chunks. are_sure: the '
  'chunks match, if they pass the query''s filter; otherwise verified_chunks() decides.';
