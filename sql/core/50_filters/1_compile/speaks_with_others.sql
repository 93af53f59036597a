create or replace function braid_store.speaks_with_others()
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- This must be the condition of the index chunks_speakers_idx, word by word. The column joins the names that
  -- split_turns() has found, and is cut if they are long.
  return '(position('', '' in c.speaker) > 0 or octet_length(c.speaker) > 255)';
end
$$;

comment on function braid_store.speaks_with_others() is
  'Return the SQL condition on braid_store.chunks c for chunks that may have several speakers, which are listed in '
  'metadata.';
