create or replace function braid_store.overlap_length(before text, after text)
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_short constant int := 12;
  c_end constant text := right(before, c_short);
  c_limit constant int := least(length(before), length(after));
  v_from int := 0;
  v_length int;
  v_longest int := 0;
  v_found int;
begin
  -- A match shorter than this may be chance, so only whole sentences count.
  if before ~ E'[.!?…。！？]["''”’」』）)\\]]*$' then
    for v_length in 1..least(c_short - 1, c_limit) loop
      if right(before, v_length) = left(after, v_length)
         and right(before, v_length + 1) !~ E'^[0-9A-Za-z\\u00c0-\\u1fff\\u3040-\\uffff]{2}'
         and substr(after, v_length, 2) !~ E'^[^。！？」』）]\\S' then
        v_longest := v_length;
      end if;
    end loop;
  end if;
  -- A longer overlap is possible only where the last characters of the first text occur in the second.
  while length(c_end) = c_short loop
    v_found := strpos(substr(after, v_from + 1), c_end);
    exit when v_found = 0 or v_from + v_found + c_short - 1 > c_limit;
    v_from := v_from + v_found;
    v_length := v_from + c_short - 1;
    if right(before, v_length) = left(after, v_length) then
      v_longest := v_length;
    end if;
  end loop;
  return v_longest;
end
$$;

comment on function braid_store.overlap_length(text, text) is
  'Return the length of the longest text that ends the first text and begins the second. An overlap of fewer than 12 '
  'characters counts only if it consists of whole sentences.';
