create or replace function braid_store.static_embedding(embedder braid_store.static_embedders, content text)
returns @vector@.vector
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- The planner knows neither how many words a text has nor how few rows each of them finds.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_mergejoin = off
set jit = off
as $$
declare
  c_longest_word constant int := 100;
  v_sum @vector@.vector;
  v_rest text[];
  v_rest_sum @vector@.vector;
begin
  -- Most words are tokens.
  select @vector@.sum(t.embedding::@vector@.vector), array_agg(w.word) filter (where t.embedding is null)
  into v_sum, v_rest
  from unnest(braid_store.static_words(embedder.id, content)) w (word)
  left join lateral (
    select t.embedding from braid_store.static_embedder_tokens t
    where t.embedder_id = static_embedding.embedder.id and t.token = w.word
    offset 0
  ) t on true
  where w.word <> '';
  if v_rest is not null then
    -- WordPiece (Wu et al. 2016) takes the longest token that begins the word, then the longest that begins the rest. A
    -- word that cannot be split this way counts for nothing.
    with recursive counted as materialized (
      select u.word, count(*) as count
      from unnest(v_rest) u (word)
      where length(u.word) <= c_longest_word
      group by u.word
    ), pieces (word, next, embedding) as (
      select c.word, 1, null::@vector@.halfvec from counted c
      union all
      select p.word, p.next + t.length, t.embedding
      from pieces p,
           lateral (
             -- The longest comes first.
             select n.length, t.embedding
             from generate_series(least(length(p.word) - p.next + 1, static_embedding.embedder.longest_token), 1, -1)
                    n (length),
                  lateral (
                    select t.embedding from braid_store.static_embedder_tokens t
                    where t.embedder_id = static_embedding.embedder.id
                      and t.token = case when p.next > 1 then '##' else '' end || substr(p.word, p.next, n.length)
                    offset 0
                  ) t
             limit 1
           ) t
      where p.next <= length(p.word)
    )
    select @vector@.sum(p.embedding::@vector@.vector)
    into v_rest_sum
    from (select p.word, p.embedding, max(p.next) over (partition by p.word) as reached from pieces p) p
    join counted c on c.word = p.word
    cross join generate_series(1, c.count)
    where p.embedding is not null and p.reached > length(p.word);
    v_sum := coalesce(v_sum operator(@vector@.+) v_rest_sum, v_sum, v_rest_sum);
  end if;
  -- Vectors may take each other away, and a zero vector has no direction.
  return case when @vector@.vector_norm(v_sum) > 0 then @vector@.l2_normalize(v_sum) end;
end
$$;

comment on function braid_store.static_embedding(braid_store.static_embedders, text) is
  'Return the mean of the vectors of a text''s tokens, with the length 1; null if the embedder knows no token of the '
  'text, or if their sum is zero.';
