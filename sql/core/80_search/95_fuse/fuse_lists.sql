-- role: reader, definer
create or replace function braid_calls.fuse_lists(lists jsonb, fusion text, rrf_k float8, match_count int)
returns table (id text, score float8, parts jsonb)
language plpgsql
stable
parallel unsafe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_most_lists constant int := 16;
  c_most_items constant int := 100000;
  -- JSON writes 1e130000 in a few bytes, and its digits as an id would take 130 kB.
  c_most_id constant numeric := 1e30;
  -- Beyond this score, the difference of two scores or its normalised value could leave the range of float8.
  v_most float8 := case when fuse_lists.fusion = 'convex' then 1e100 else 'infinity' end;
  v_count int := case when jsonb_typeof(fuse_lists.lists) = 'array' then jsonb_array_length(fuse_lists.lists) end;
  v_list jsonb;
  v_wrong record;
  v_items jsonb[] := '{}';
  v_names text[] := '{}';
  v_weights float8[] := '{}';
  v_item_count int := 0;
  v_scored_count int;
  v_weights_sum float8;
begin
  perform braid_store.require_tenant_id();
  if (v_count between 1 and c_most_lists) is not true then
    raise exception 'lists is %', coalesce('an array of ' || v_count, 'a JSON ' || jsonb_typeof(fuse_lists.lists),
                                           'null')
      using errcode = '22023',
            hint = format('Give an array of 1 to %s lists, such as [["a", "b"], ["b", "c"]]. GET turns JSON into a '
                          'string: use POST.', c_most_lists);
  elsif (fuse_lists.fusion in ('rrf', 'convex')) is not true then
    raise exception 'fusion is %', coalesce(quote_literal(left(fuse_lists.fusion, 100)), 'null')
      using errcode = '22023', hint = 'Use rrf, which reads ranks alone, or convex, which reads scores.';
  elsif (fuse_lists.rrf_k between 0 and 1e9) is not true then
    raise exception 'rrf_k is %', coalesce(fuse_lists.rrf_k::text, 'null')
      using errcode = '22023', hint = 'Use a number from 0 to 1e9, usually 60.';
  elsif (fuse_lists.match_count between 1 and c_most_items) is false then
    raise exception 'match_count is %', fuse_lists.match_count
      using errcode = '22023', hint = format('Use 1 to %s, or null for all.', c_most_items);
  end if;

  for v_number in 1..v_count loop
    v_list := fuse_lists.lists -> v_number - 1;
    if jsonb_typeof(v_list) = 'array' then
      v_list := jsonb_build_object('items', v_list);
    elsif jsonb_typeof(v_list) <> 'object' then
      raise exception 'list % is a JSON %', v_number, jsonb_typeof(v_list)
        using errcode = '22023', hint = 'Give an array of items, or an object such as {"items": [...], "weight": 2}.';
    end if;
    v_list := jsonb_build_object('items', null) || v_list;
    select o.key, left(o.value::text, 100) as value, k.hint into v_wrong
    from jsonb_each(v_list) o
    left join (values
      ('items', 'Give an array of ids, or of objects such as {"id": "a", "score": 0.5}.'),
      ('name', 'Give a text, by which the column parts names the list.'),
      ('weight', 'Use 0, or a number from 1e-9 to 1e9, usually 1.')
    ) k (name, hint) on k.name = o.key
    where case o.key
            when 'items' then jsonb_typeof(o.value) = 'array'
            when 'name' then jsonb_typeof(o.value) in ('string', 'null')
            when 'weight' then o.value in ('null', '0') or braid_store.is_number(o.value, 1e-9, 1e9)
          end is not true
    order by o.key
    limit 1;
    if found then
      raise exception 'list %: % is %', v_number, left(v_wrong.key, 100), v_wrong.value
        using errcode = '22023', hint = coalesce(v_wrong.hint, 'Its keys are: items, name, weight.');
    end if;
    v_item_count := v_item_count + jsonb_array_length(v_list -> 'items');
    if v_item_count > c_most_items then
      raise exception 'lists has more than % items', c_most_items
        using errcode = '54000', hint = 'Give the best items of each list: items further down hardly count.';
    end if;
    select i.ordinality as place, left(i.value::text, 100) as value into v_wrong
    from jsonb_array_elements(v_list -> 'items') with ordinality i
    cross join lateral (
      select case jsonb_typeof(i.value) when 'object' then i.value -> 'id' else i.value end as id, i.value -> 'score'
        as score
    ) o
    where (case jsonb_typeof(o.id)
             when 'string' then true
             when 'number' then o.id::numeric between -c_most_id and c_most_id and o.id::text ~ '^-?[0-9]+$'
           end
           and (jsonb_typeof(i.value) <> 'object' or i.value - '{id,score}'::text[] = '{}')
           and (coalesce(o.score, 'null') = 'null' or braid_store.is_number(o.score, -v_most, v_most))) is not true
    order by i.ordinality
    limit 1;
    if found then
      raise exception 'list %: item % is %', v_number, v_wrong.place, v_wrong.value
        using errcode = '22023',
              hint = 'Give a text, a whole number, or an object such as {"id": "a", "score": 0.5} with a finite score'
                     || case fuse_lists.fusion when 'convex' then ' from -1e100 to 1e100.' else '.' end;
    end if;
    v_scored_count := (
      select count(*) from jsonb_array_elements(v_list -> 'items') i
      where jsonb_typeof(i.value) = 'object' and jsonb_typeof(i.value -> 'score') = 'number');
    if v_scored_count < jsonb_array_length(v_list -> 'items') and (v_scored_count > 0
       or fuse_lists.fusion = 'convex') then
      raise exception 'list % has % items and % scores', v_number, jsonb_array_length(v_list -> 'items'), v_scored_count
        using errcode = '22023',
              hint = case fuse_lists.fusion when 'convex' then 'Give each item a score, or use the fusion rrf.'
                                      else 'Give each item of a list a score, or none.' end;
    end if;
    v_items := v_items || (v_list -> 'items');
    v_names := v_names || (v_list ->> 'name');
    v_weights := v_weights || coalesce((v_list ->> 'weight')::float8, 1);
  end loop;
  v_weights_sum := (select sum(w) from unnest(v_weights) w);
  if v_weights_sum = 0 then
    raise exception 'all weights are 0' using errcode = '22023', hint = 'Give at least one list a weight above 0.';
  end if;

  return query
  with given as (
    -- An id counts once in each list, at its best place.
    select distinct on (l.list, g.id) l.list, g.id, g.score, i.ordinality as place
    from unnest(v_items) with ordinality l (items, list)
    cross join lateral jsonb_array_elements(l.items) with ordinality i
    cross join lateral (
      select case jsonb_typeof(i.value) when 'object' then i.value ->> 'id' else i.value #>> '{}' end collate "C"
               as id,
             case jsonb_typeof(i.value) when 'object' then (i.value ->> 'score')::float8 end as score
      offset 0
    ) g
    order by l.list, g.id, g.score desc nulls last, i.ordinality
  ),
  ranked as (
    select g.list, g.id, g.score, row_number() over (partition by g.list order by g.score desc, g.place) as rank,
           min(g.score) over by_list as lowest, max(g.score) over by_list as highest
    from given g
    window by_list as (partition by g.list)
  ),
  counted as (
    select r.list, r.id, r.score, r.rank,
           case when fuse_lists.fusion = 'rrf' then v_weights[r.list] / (fuse_lists.rrf_k + r.rank)
                else v_weights[r.list] / v_weights_sum * n.normalised end as part, n.normalised
    from ranked r
    cross join lateral (
      -- Equal scores are all the best. The range is compared first, as dividing by rounding errors amplifies them.
      select case when fuse_lists.fusion = 'convex' then
               case when r.highest - r.lowest <= 1e-9 * greatest(abs(r.lowest), abs(r.highest), 1e-100) then 1
                    when r.score - r.lowest < 1e-100 then 0
                    else (r.score - r.lowest) / (r.highest - r.lowest) end end as normalised
      offset 0
    ) n
  )
  select c.id, sum(c.part order by c.list) as score,
         jsonb_agg(
           jsonb_build_object('list', coalesce(to_jsonb(v_names[c.list]), to_jsonb(c.list)), 'rank', c.rank,
                              'score', c.score, 'part', c.part)
           || case when fuse_lists.fusion = 'convex' then jsonb_build_object('normalised_score', c.normalised)
                   else '{}' end
           order by c.list) as parts
  from counted c
  group by c.id
  order by 2 desc, c.id
  limit fuse_lists.match_count;
end
$$;

comment on function braid_calls.fuse_lists(jsonb, text, float8, int) is
  'Do the work of braid.fuse, which reads no data, for a session with a tenant.';
