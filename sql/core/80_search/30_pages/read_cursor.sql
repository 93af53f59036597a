create or replace function braid_store.read_cursor(
  cursor text,
  out fingerprint text,
  out place int,
  out candidate_count int,
  out score float8,
  out chunk_id bigint,
  out external_id text,
  out chunk_index int
)
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bytes bytea;
  v_parts jsonb;
  v_is_valid boolean := false;
begin
  if length(read_cursor.cursor) <= 16384 and read_cursor.cursor ~ '^[A-Za-z0-9_-]+$' then
    -- This function is parallel unsafe, because the exception block is a subtransaction.
    begin
      v_bytes := decode(rpad(translate(read_cursor.cursor, '-_', '+/'), (length(read_cursor.cursor) + 3) / 4 * 4, '='),
                        'base64');
      if substr(v_bytes, 1, 8) = substr(sha256(substr(v_bytes, 9)), 1, 8) then
        v_parts := convert_from(substr(v_bytes, 9), 'UTF8')::jsonb;
        select p.f, p.n, p.w, p.s, p.c, p.d, p.i
        into fingerprint, place, candidate_count, score, chunk_id, external_id, chunk_index
        from jsonb_to_record(v_parts) p (f text, n int, w int, s float8, c bigint, d text, i int);
        v_is_valid := fingerprint is not null and place between 1 and 1000000
                      and candidate_count between 1 and 100000 and score <> 'NaN'
                      and chunk_id is not null and external_id is not null and chunk_index is not null;
      end if;
    exception when data_exception or program_limit_exceeded then
      v_is_valid := false;
    end;
  end if;
  if v_is_valid is not true then
    raise exception 'option cursor is not a cursor that a search returned: "%"', left(read_cursor.cursor, 100)
      using errcode = '22023', hint = 'Give the cursor of a page''s last row unchanged, or "" for the first page.';
  end if;
end
$$;

comment on function braid_store.read_cursor(text) is
  'Return the contents of a cursor. fingerprint identifies its query. place: how many rows or groups came before the '
  'next page. candidate_count: how many candidates each leg had. score, chunk_id, external_id and chunk_index belong '
  'to the last row or group. Raise 22023 for a cursor that write_cursor did not make.';
