create or replace function braid_store.rerank_boosts(options jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_signals jsonb := coalesce(nullif(options -> 'rerank', 'null'), '["similarity"]');
  v_names text[] := array(select s.value #>> '{}' from jsonb_array_elements(v_signals) s);
begin
  if not v_names <@ '{similarity,importance,recency}' or not 'similarity' = any (v_names)
     or cardinality(v_names) <> (select count(distinct n) from unnest(v_names) n) then
    raise exception 'option rerank is %', left(v_signals::text, 100)
      using errcode = '22023',
            hint = 'List similarity and, each once, importance and recency, as in ["similarity", "importance", "recency"].';
  end if;
  return (
    select coalesce(jsonb_agg(case n.name when 'importance' then '{"importance": {}}'::jsonb
                                          else '{"recency": {"half_life": "7 days"}}' end order by n.place), '[]')
    from unnest(v_names) with ordinality n (name, place)
    where n.name <> 'similarity');
end
$$;

comment on function braid_store.rerank_boosts(jsonb) is
  'Returns the boosts that a search''s option rerank stands for.';
