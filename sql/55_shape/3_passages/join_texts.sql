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
    -- What another speaker begins with is said again, not repeated.
    v_overlap := case when speakers[v_number] is distinct from speakers[v_number - 1] then 0
                      else braid_store.overlap_length(texts[v_number - 1], texts[v_number]) end;
    v_joined := v_joined || case when v_overlap = 0 then E'\n' || texts[v_number]
                                 else substr(texts[v_number], v_overlap + 1) end;
  end loop;
  return v_joined;
end
$$;

comment on function braid_store.join_texts(text[], text[]) is
  'The texts of neighbouring chunks as one: what the end of one and the beginning of the next have in common stands once; '
  'else a new line begins.';
