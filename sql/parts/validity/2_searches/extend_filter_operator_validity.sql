create or replace function braid_store.extend_filter_operator_validity(operator text, operand jsonb, collection_id int)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now text := braid_store.instant_text(clock_timestamp());
  v_time text;
begin
  if operator not in ('$as_of', '$unexpired') then
    return null;
  elsif not braid_store.has_validity(collection_id) then
    raise exception 'filters have %, and the documents of the collection have no validity', operator
      using errcode = '22023', hint = format('Leave %s out, or have an administrator call braid.set_validity.',
                                                    operator);
  elsif operator = '$unexpired' then
    return jsonb_build_object('expires_at', jsonb_build_object('$not', jsonb_build_object('$lte', v_now)));
  elsif operand = 'null' then
    return '{"$and": [{}]}';
  end if;
  v_time := case when operand = '"now"' then v_now else braid_store.read_instant(operand, '$as_of in filters') end;
  -- A missing key has no bound.
  return jsonb_build_object(
    'valid_from', jsonb_build_object('$not', jsonb_build_object('$gt', v_time)),
    'valid_until', jsonb_build_object('$not', jsonb_build_object('$lte', v_time)));
end
$$;

comment on function braid_store.extend_filter_operator_validity(text, jsonb, int) is
  'Return the filter for documents that are valid at a time ($as_of; null for any time), or that have not expired '
  '($unexpired).';
