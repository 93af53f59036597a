create or replace function braid_store.due_centroid(
  tenant_id int,
  collection braid_store.collections,
  out is_due boolean,
  out vector_count bigint,
  out due_at timestamptz
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- mean_similarity measures all vectors up to this number, and needs no centroid.
  c_measured constant int := 1000;
  v_old braid_store.centroids;
begin
  -- Count chunks, because nearly all of them soon have a vector. Counting the vectors would read them all each time.
  vector_count := (
    select sum(s.chunk_count) from braid_store.segments s
    where s.tenant_id = due_centroid.tenant_id and s.collection_id = due_centroid.collection.id);
  select c.* into v_old
  from braid_store.centroids c
  where c.tenant_id = due_centroid.tenant_id and c.collection_id = due_centroid.collection.id
    and c.vector_space_id = due_centroid.collection.vector_space_id;
  is_due := case when coalesce(vector_count, 0) <= c_measured then v_old.mean is not null
                 else (abs(vector_count - v_old.vector_count) <= v_old.vector_count / 10
                       and v_old.computed_at > clock_timestamp() - interval '1 day') is not true end;
  vector_count := case when vector_count > c_measured then vector_count end;
  due_at := case when not is_due and v_old.mean is not null then v_old.computed_at + interval '1 day' end;
end
$$;

comment on function braid_store.due_centroid(int, braid_store.collections) is
  'Tell whether the centroid of a tenant''s part of a collection is due: the number of its chunks has changed by a '
  'tenth, or a day has passed. vector_count: the number of chunks; null if there are too few for a centroid. due_at: '
  'when the centroid will be due, if it is not now.';
