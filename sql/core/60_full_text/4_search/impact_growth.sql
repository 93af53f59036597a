create or replace function braid_store.impact_growth(
  segment braid_store.segments,
  collection braid_store.collections,
  average_length float8
)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- This factor raises even the lowest impact to the highest.
  c_unbounded constant float8 := 1e6;
  v_title float8;
  v_length float8;
  v_saturation float8;
begin
  -- An impact is tf / (tf + K), with K = k1 (1 - b) + k1 b length / average. If tf grows by a factor f and K shrinks by
  -- a factor g, the impact grows by at most f g. g is at most the factor by which one of K's two addends shrinks,
  -- whichever factor is larger. If an addend becomes 0, there is no limit, because the other one may be 0 as well (a
  -- text of stop words has length 0).
  if (collection.title_weight > 0 and segment.title_weight = 0)
     or (segment.k1 > 0 and collection.k1 = 0)
     or (segment.k1 > 0 and segment.b < 1 and collection.b = 1)
     or (segment.k1 > 0 and segment.b > 0 and collection.b = 0)
     or (segment.k1 > 0 and segment.b > 0 and segment.title_weight > 0 and collection.title_weight = 0)
  then
    return c_unbounded;
  end if;
  v_title := case when segment.title_weight > 0
                  then greatest(1, collection.title_weight / segment.title_weight) else 1 end;
  if segment.k1 = 0 then
    return least(v_title, c_unbounded);
  end if;
  v_length := case when collection.title_weight > 0
                   then greatest(1, segment.title_weight / collection.title_weight) else 1 end;
  v_saturation := segment.k1 / collection.k1
                  * greatest(case when segment.b < 1 then (1 - segment.b) / (1 - collection.b) else 0 end,
                             case when segment.b > 0 then segment.b / collection.b * v_length
                                                          * impact_growth.average_length / segment.average_length
                                  else 0 end);
  return least(v_title * greatest(1, v_saturation), c_unbounded);
end
$$;

comment on function braid_store.impact_growth(braid_store.segments, braid_store.collections, float8) is
  'Return the factor by which the impacts of a segment may have grown since they were computed, because the '
  'collection''s parameters or its average length changed. Impacts times this factor are upper bounds again. It is '
  'between 1 and 1000000.';
