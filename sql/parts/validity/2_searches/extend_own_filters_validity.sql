create or replace function braid_store.extend_own_filters_validity(
  inout filters jsonb,
  call_filters jsonb,
  collection_id int
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_times jsonb;
begin
  if call_filters @? '$.**."$as_of"' and not filters @? '$.**."$as_of"' then
    v_times := braid_store.asked_times(braid_store.timed_filters(call_filters, 1));
    filters := case when filters = '{}' then v_times
                    else jsonb_build_object('$and', jsonb_build_array(filters, v_times)) end;
  end if;
end
$$;

comment on function braid_store.extend_own_filters_validity(jsonb, jsonb, int) is
  'Let all pieces of a call be about the time that the call''s filters say, unless their own filters say another.';
