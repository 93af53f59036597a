-- role: reader
create or replace function braid_calls.highlight_chunk(
  chunk_id bigint,
  query_text text,
  start_tag text,
  stop_tag text,
  fragment_count int,
  fragment_words int,
  fragment_separator text
)
returns text
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_searched text;
  v_content text;
  v_config text;
  v_fold_diacritics boolean;
  v_lexemes text[];
  v_prefixes text[];
begin
  if highlight_chunk.query_text is null then
    raise exception 'query_text is null' using errcode = '22023', hint = 'Give a text; an empty one marks nothing.';
  end if;
  perform braid_store.check_snippet_arguments(start_tag, stop_tag, fragment_count, fragment_words, fragment_separator);
  perform braid_store.refuse_list(query_text);
  v_searched := (braid_store.searched_text(query_text, true)).searched;
  select c.content, braid_store.language_config(c.language, o.text_config) as text_config, o.fold_diacritics
  into v_content, v_config, v_fold_diacritics
  from braid_store.chunks c
  join braid_store.collections o on o.id = c.collection_id
  where c.tenant_id = v_tenant_id and c.id = highlight_chunk.chunk_id
    and (o.parts is null or exists (
      select from braid_store.documents d
      where d.tenant_id = v_tenant_id and d.id = c.document_id
        and braid_store.extend_hidden_document(d, o) is not true));
  if not found then
    raise exception 'chunk % does not exist', coalesce(highlight_chunk.chunk_id::text, 'null')
      using errcode = '42704',
            hint = 'Take chunk_id from a search''s rows; a document that is written again gets new chunks.';
  end if;

  select t.lexemes, t.prefixes into v_lexemes, v_prefixes
  from braid_store.marked_terms(braid_store.query_tokens(v_searched, v_config, v_fold_diacritics)) t;
  return (braid_store.make_snippets(array[v_content], v_lexemes, v_prefixes, v_config, v_fold_diacritics,
                                    highlight_chunk.start_tag, highlight_chunk.stop_tag, highlight_chunk.fragment_count,
                                    highlight_chunk.fragment_words, highlight_chunk.fragment_separator))[1];
end
$$;

comment on function braid_calls.highlight_chunk(bigint, text, text, text, int, int, text) is
  'Do the work of braid.highlight, for the tenant of the session.';
