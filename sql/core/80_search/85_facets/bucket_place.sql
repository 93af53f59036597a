create or replace function braid_store.bucket_place(name text, place bigint)
returns bigint
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_buckets constant int := 10000;
begin
  if bucket_place.place > c_max_buckets then
    raise exception 'aggregations: interval of % makes more than % buckets', to_json(left(bucket_place.name, 100)),
                    c_max_buckets
      using errcode = '54000',
            hint = 'Give a greater interval, or a number of buckets, or filters that select fewer values.';
  end if;
  return bucket_place.place;
end
$$;

comment on function braid_store.bucket_place(text, bigint) is
  'Return the place of a bucket in the answer. Raise 54000 if an aggregation has too many buckets.';
