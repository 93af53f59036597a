-- role: reader
-- standby: yes
create or replace function braid_calls.fit_passages(results braid_store.search_result[], token_budget int, sort text)
returns table (
  citation int,
  chunk_id bigint,
  external_id text,
  title text,
  source_uri text,
  passage_start int,
  passage_end int,
  content text,
  token_count int,
  total_tokens int,
  score float8
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_tokens int[];
  v_taken int[] := '{}';
  v_total bigint := 0;
  v_passage text;
  v_beginnings text[];
  v_cut text;
  v_size int;
begin
  if fit_passages.token_budget is null or fit_passages.token_budget < 1 then
    raise exception 'token_budget is %', coalesce(fit_passages.token_budget::text, 'null')
      using errcode = '22023', hint = 'Use a whole number from 1.';
  elsif fit_passages.sort is null or fit_passages.sort not in ('score', 'document') then
    raise exception 'sort is %', coalesce('"' || left(fit_passages.sort, 100) || '"', 'null')
      using errcode = '22023', hint = 'Use score or document.';
  end if;

  -- Text shared by two chunks appears once in the passage but counts twice, so the count is never too low.
  v_tokens := array(
    select n.tokens
    from unnest(fit_passages.results) with ordinality r,
         lateral (
           select sum(c.token_count)::int as tokens
           from (
             select c.token_count from braid_store.chunks c
             where c.tenant_id = v_tenant_id and c.document_id = r.document_id
               and c.chunk_index between r.passage_start and r.passage_end
             order by c.chunk_index
             offset 0
           ) c
           offset 0
         ) n
    order by r.ordinality);
  for v_place in 1..cardinality(v_tokens) loop
    if v_total + v_tokens[v_place] <= fit_passages.token_budget then
      v_total := v_total + v_tokens[v_place];
      v_taken := v_taken || v_place;
    end if;
  end loop;
  if v_taken = '{}' and v_tokens <> '{}' then
    -- Take the longest beginning of the best passage that fits, up to the end of a word. A beginning may have more
    -- tokens per character than the rest, so shorter ones are tried as well.
    v_passage := fit_passages.results[1].passage;
    v_beginnings := array(
      select coalesce(substring(b.beginning from E'^(.*)\\s\\S{0,30}$'), b.beginning) || ' …'
      from (
        select n, left(v_passage, (length(v_passage)::float8 * fit_passages.token_budget / v_tokens[1]
          * n / 20)::int) as beginning
        from generate_series(1, 20) n
      ) b
      where b.beginning <> ''
      order by b.n);
    select b.beginning, ceil(b.cost)::int into v_cut, v_size
    from unnest(v_beginnings, braid_store.token_costs(v_beginnings)) with ordinality b (beginning, cost, place)
    where b.cost <= fit_passages.token_budget
    order by b.place desc
    limit 1;
    if v_cut is null then
      raise exception 'token_budget is %, too small for the beginning of a passage', fit_passages.token_budget
        using errcode = '22023', hint = 'Raise token_budget: a typical passage has some 200 tokens.';
    end if;
    v_taken := array[1];
    v_tokens[1] := v_size;
  end if;

  return query
    select o.citation::int, o.chunk_id, o.external_id, o.title, o.source_uri, o.passage_start, o.passage_end,
           coalesce(v_cut, o.passage), o.tokens, (sum(o.tokens) over (order by o.citation))::int, o.score
    from (
      select t.*,
             row_number() over (order by case when fit_passages.sort = 'document' then t.document_place end,
                                         case when fit_passages.sort = 'document' then t.passage_start end,
                                         t.place) as citation
      from (
        select r.*, v_tokens[r.place] as tokens, min(r.place) over (partition by r.document_id) as document_place
        from (select q.*, q.ordinality::int as place from unnest(fit_passages.results) with ordinality q) r
        where r.place = any (v_taken)
      ) t
    ) o
    order by o.citation;
end
$$;

comment on function braid_calls.fit_passages(braid_store.search_result[], int, text) is
  'Choose the passages that fit into a budget of tokens. Rows are taken best first; each passage is taken if there '
  'is still room for it. If none fits, return the beginning of the best passage, with an ellipsis. sort is the order '
  'of the result: score or document.';
