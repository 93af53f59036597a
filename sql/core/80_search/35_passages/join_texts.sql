create or replace function braid_store.join_texts(texts text[], speakers text[])
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_joined text := texts[1];
  v_overlap int;
begin
  for v_number in 2..cardinality(texts) loop
    -- If another speaker begins with the same words, they were said twice, so they are kept.
    v_overlap := case when speakers[v_number] is distinct from speakers[v_number - 1] then 0
                      else braid_store.overlap_length(texts[v_number - 1], texts[v_number]) end;
    v_joined := v_joined || case when v_overlap = 0 then E'\n' || texts[v_number]
                                 else substr(texts[v_number], v_overlap + 1) end;
  end loop;
  return v_joined;
end
$$;

comment on function braid_store.join_texts(text[], text[]) is
  'Join the texts of neighbouring chunks. If a chunk begins with the end of the previous chunk, that text is written '
  'once, unless the speaker changes. Otherwise the chunk begins on a new line.';
