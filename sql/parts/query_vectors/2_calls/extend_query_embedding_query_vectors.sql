create or replace function braid_store.extend_query_embedding_query_vectors(
  tenant_id int,
  collection braid_store.collections,
  embedded_text text,
  cursor text
)
returns table (embedding @vector@.vector, mark text)
language plpgsql
stable
parallel unsafe
security invoker
rows 1
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_first text[];
  v_text text;
begin
  if extend_query_embedding_query_vectors.cursor <> '' then
    v_first := string_to_array((braid_store.read_cursor(extend_query_embedding_query_vectors.cursor)).fingerprint, ':');
    -- Later pages search as the first page did, even if a vector has been stored since.
    if v_first[2] is distinct from 'stored' then
      return;
    end if;
  end if;
  embedding := braid_store.find_query_embedding(
    extend_query_embedding_query_vectors.tenant_id, extend_query_embedding_query_vectors.collection,
      extend_query_embedding_query_vectors.embedded_text);
  if extend_query_embedding_query_vectors.cursor is not null then
    v_text := braid_store.query_fingerprint(array[extend_query_embedding_query_vectors.embedded_text]);
    mark := concat_ws(':', 'stored', v_text, braid_store.query_fingerprint(array[embedding::text]));
    if v_first[3] = v_text and v_first[4] is distinct from split_part(mark, ':', 3) then
      raise exception 'option cursor belongs to a search with a stored vector of the query, which %',
                      case when embedding is null then 'is no longer stored' else 'has changed since' end
        using errcode = '22023',
          hint = 'Begin again with "cursor": "", or give query_embedding from the first page on.';
    end if;
  end if;
  if embedding is not null then
    mark := coalesce(mark, 'stored');
    return next;
  end if;
end
$$;

comment on function braid_store.extend_query_embedding_query_vectors(int, braid_store.collections, text, text) is
  'Return the stored vector for the text of a search, if there is one, as find_query_embedding does. If the '
  'cursor''s first page was searched without a vector, return none. Raise 22023 if the first page had another vector '
  'for this text.';
