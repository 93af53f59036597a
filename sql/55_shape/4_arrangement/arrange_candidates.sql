create or replace function braid_store.arrange_candidates(
  tenant_id int,
  collection braid_store.collections,
  candidates braid_store.fused_candidate[],
  match_count int,
  options jsonb,
  out arranged braid_store.fused_candidate[],
  out passages int4range[],
  out missing_count int,
  out has_more boolean,
  out last_unit int,
  out last_score float8
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
declare
  -- Pairs of vectors, some seconds of work.
  c_most_pairs constant bigint := 20000000;
  v_asked record;
  v_is_paged boolean;
  v_chunk_ids bigint[];
  v_scores float8[];
  v_places int[];
  -- Of each place in v_places: its row or group, numbered in order, and the score that orders these.
  v_units int[];
  v_unit_scores float8[];
  v_group_scores float8[];
  v_firsts int[];
  v_order int[];
  v_wanted int := match_count;
  v_collapse_wanted int;
  v_before int := 0;
  v_kept int[];
begin
  v_asked := braid_store.arrangement_options(options);
  v_is_paged := v_asked.cursor is not null;
  if not v_asked.is_asked then
    arranged := candidates[:match_count];
    missing_count := match_count - cardinality(arranged);
    return;
  end if;
  v_collapse_wanted := case when v_asked.group_by is null and not v_asked.diversify and not v_asked.context and not v_is_paged
                            then match_count else cardinality(candidates) end;
  if v_asked.diversify and match_count::bigint * cardinality(candidates) > c_most_pairs
     or v_asked.collapse_similarity is not null
        and least(v_collapse_wanted, cardinality(candidates) / 2)::bigint * cardinality(candidates) > c_most_pairs then
    raise exception 'option % would compare % candidates with each other, for % rows',
                    case when v_asked.collapse_similarity is null then 'diversify' else 'collapse' end, cardinality(candidates),
                    match_count
      using errcode = '22023',
            hint = 'Use a lower match_count or candidate_count; "collapse": true, for equal texts, compares no vectors.';
  end if;
  select coalesce(array_agg(c.chunk_id order by c.place), '{}'), coalesce(array_agg(c.score order by c.place), '{}')
  into v_chunk_ids, v_scores
  from unnest(candidates) with ordinality
         c (chunk_id, score, f1, f2, f3, s1, s2, s3, fused_score, boosts, group_score, place);

  if v_asked.collapse then
    v_places := braid_store.collapse_candidates(
      tenant_id, collection, v_chunk_ids, v_asked.collapse_similarity, v_collapse_wanted);
    v_chunk_ids := array(select v_chunk_ids[p.place] from unnest(v_places) with ordinality p (place, number)
                         order by p.number);
    v_scores := array(select v_scores[p.place] from unnest(v_places) with ordinality p (place, number)
                      order by p.number);
  else
    v_places := array(select generate_series(1, cardinality(v_chunk_ids)));
  end if;

  if v_asked.group_by is not null then
    select g.places, g.units, g.unit_scores into v_kept, v_units, v_unit_scores
    from braid_store.group_candidates(tenant_id, v_chunk_ids, v_scores, v_asked.group_by, v_asked.group_size,
                                      v_asked.group_score) g;
    v_places := array(select v_places[k.place] from unnest(v_kept) with ordinality k (place, number) order by k.number);
    v_chunk_ids := array(select v_chunk_ids[k.place] from unnest(v_kept) with ordinality k (place, number)
                         order by k.number);
    v_group_scores := v_unit_scores;
  else
    v_units := array(select generate_series(1, cardinality(v_places)));
    v_unit_scores := v_scores;
  end if;
  -- The first chunk of each.
  v_firsts := array(select min(u.number) from unnest(v_units) with ordinality u (unit, number) group by u.unit order by 1);

  if v_is_paged then
    v_before := braid_store.units_before_page(
      tenant_id,
      array(select v_chunk_ids[f.first] from unnest(v_firsts) with ordinality f (first, number) order by f.number),
      array(select v_unit_scores[f.first] from unnest(v_firsts) with ordinality f (first, number) order by f.number),
      v_asked.cursor);
  end if;

  loop
    -- Passages that become one leave room for more.
    if v_asked.diversify then
      v_order := braid_store.diversify_candidates(
        tenant_id, collection,
        array(select v_chunk_ids[f.first] from unnest(v_firsts) with ordinality f (first, number) order by f.number),
        array(select v_unit_scores[f.first] from unnest(v_firsts) with ordinality f (first, number) order by f.number),
        v_asked.diversify_lambda, v_wanted);
    elsif v_asked.context and v_asked.group_by is null and not v_is_paged then
      v_order := array(select generate_series(1, cardinality(v_firsts)));
    else
      v_order := array(select generate_series(v_before + 1, least(v_before + match_count, cardinality(v_firsts))));
    end if;
    v_kept := array(
      select r.number
      from unnest(v_order) with ordinality o (unit, place),
           generate_series(v_firsts[o.unit], coalesce(v_firsts[o.unit + 1] - 1, cardinality(v_units))) r (number)
      order by o.place, r.number);
    exit when not v_asked.context;

    select array(select v_kept[p.place] from unnest(m.places) with ordinality p (place, number) order by p.number),
           m.passages
    into v_kept, passages
    from braid_store.merge_passages(
           tenant_id,
           array(select v_chunk_ids[k.place] from unnest(v_kept) with ordinality k (place, number) order by k.number),
           case when v_asked.group_by is not null
                then array(select v_units[k.place] from unnest(v_kept) with ordinality k (place, number)
                           order by k.number) end,
           v_asked.context_before, v_asked.context_after,
           case when v_asked.group_by is null then match_count end,
           -- What came of a page's rows must not reach into another page.
           not v_is_paged or v_asked.group_by is not null) m;
    exit when v_asked.group_by is not null or not v_asked.diversify or cardinality(v_kept) = match_count
              or v_wanted >= cardinality(v_firsts)
              or v_wanted::bigint * 2 * cardinality(v_firsts) > c_most_pairs;
    v_wanted := least(v_wanted::bigint * 2, cardinality(v_firsts));
  end loop;

  arranged := array(
    select candidates[v_places[k.place]] from unnest(v_kept) with ordinality k (place, number) order by k.number);
  if v_asked.group_by is not null then
    for v_number in 1..cardinality(arranged) loop
      arranged[v_number].group_score := v_group_scores[v_kept[v_number]];
    end loop;
    missing_count := match_count - cardinality(v_order);
  else
    missing_count := match_count - cardinality(arranged);
  end if;
  if v_is_paged then
    has_more := v_before + match_count < cardinality(v_firsts);
    last_unit := array_position(v_kept, v_firsts[v_order[cardinality(v_order)]]);
    last_score := v_unit_scores[v_firsts[v_order[cardinality(v_order)]]];
  end if;
end
$$;

comment on function braid_store.arrange_candidates(int, braid_store.collections, braid_store.fused_candidate[], int, jsonb) is
  'What of the ordered candidates is shown, in order: collapsed, grouped, diversified, in passages (of chunk_indexes), a '
  'page; match_count rows, or groups, of which missing_count are missing. On a page: whether candidates are left, and '
  'where its last row or group begins and what its score is.';
