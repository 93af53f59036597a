create or replace function braid_store.parse_embeddings(embeddings text[], names text[] default null)
returns @vector@.vector[]
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_embedding text;
  v_number int := 0;
begin
  return parse_embeddings.embeddings::@vector@.vector[];
exception when data_exception or program_limit_exceeded then
  -- pgvector's message does not say which vector is wrong.
  foreach v_embedding in array parse_embeddings.embeddings loop
    v_number := v_number + 1;
    begin
      perform v_embedding::@vector@.vector;
    exception when data_exception or program_limit_exceeded then
      raise exception '% is not a vector: %',
                      coalesce(parse_embeddings.names[v_number], 'embedding ' || v_number), sqlerrm
        using errcode = '22023',
          hint = 'Give 1 to 16000 finite numbers, as a JSON array or as a string ''[0.1, ...]''.';
    end;
  end loop;
  raise;
end
$$;

comment on function braid_store.parse_embeddings(text[], text[]) is
  'Convert vectors from their text form. Raise 22023 with the name of the first text that is no vector. names: what '
  'messages call each vector; null counts vectors from 1.';
