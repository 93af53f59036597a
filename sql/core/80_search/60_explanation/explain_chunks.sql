-- role: reader
create or replace function braid_calls.explain_chunks(query_text text, chunk_ids bigint[], match text, collection text)
returns table (
  chunk_id bigint,
  term text,
  lexeme text,
  frequency float8,
  title_frequency float8,
  document_frequency bigint,
  idf float8,
  query_frequency int,
  length float8,
  average_length float8,
  length_normalisation float8,
  contribution float8
)
language plpgsql
stable
parallel unsafe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_unknown record;
  v_tokens braid_store.query_token[];
  v_query braid_store.text_query;
  v_chunk_ids bigint[];
begin
  perform braid_store.required_words(explain_chunks.match, 1);
  v_collection := braid_store.find_collection(explain_chunks.collection);
  if explain_chunks.query_text is null then
    raise exception 'query_text is null' using errcode = '22023', hint = 'Give the text that was searched for.';
  elsif explain_chunks.chunk_ids is null or cardinality(explain_chunks.chunk_ids) > 10000 then
    raise exception 'chunk_ids %', coalesce('has ' || cardinality(explain_chunks.chunk_ids) || ' elements', 'is null')
      using errcode = '22023', hint = 'Give an array of at most 10000 ids.';
  end if;
  select u.chunk_id into v_unknown
  from unnest(explain_chunks.chunk_ids) u (chunk_id)
  left join lateral (
    select c.collection_id, c.document_id from braid_store.chunks c
    where c.tenant_id = v_tenant_id and c.id between u.chunk_id and u.chunk_id
    order by c.id
    offset 0
  ) c on true
  where c.collection_id is distinct from v_collection.id
     or v_collection.parts is not null and exists (
       select
       from (
         select d from braid_store.documents d
         where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id
         order by d.id
         offset 0
       ) o (document)
       where braid_store.extend_hidden_document(o.document, v_collection))
  limit 1;
  if found then
    raise exception 'chunk % does not exist in collection "%"', coalesce(v_unknown.chunk_id::text, 'null'),
                    v_collection.name
      using errcode = '42704',
            hint = 'Take chunk_id from a search''s rows; a document that is written again gets new chunks.';
  end if;

  perform braid_store.refuse_list(explain_chunks.query_text);
  v_tokens := braid_store.query_tokens((braid_store.searched_text(explain_chunks.query_text, true)).searched,
                                       v_collection.text_config, v_collection.fold_diacritics);
  v_query := braid_store.compile_query(v_tenant_id, v_collection, v_tokens, explain_chunks.match);
  if v_collection.parts is not null then
    if v_collection.typos = 'auto' then
      v_query := braid_store.hide_lexemes(v_query, v_tenant_id, v_collection, v_tokens, explain_chunks.match);
    end if;
    v_query := (braid_store.match_alternatives(v_tenant_id, v_collection, v_tokens, explain_chunks.match, v_query,
                                               null)).matched;
  end if;
  if v_collection.typos = 'auto' then
    v_query := (braid_store.match_typos(v_tenant_id, v_collection, v_tokens, explain_chunks.match, v_query)).matched;
  end if;
  v_chunk_ids := braid_store.demanded_chunks(
    v_tenant_id, v_collection,
    array(select u.chunk_id from unnest(explain_chunks.chunk_ids) with ordinality u (chunk_id, place)
          group by u.chunk_id order by min(u.place)),
    v_query);

  return query
  select p.chunk_id, p.term, p.lexeme, p.frequency, p.title_frequency, p.document_frequency, p.idf, p.query_frequency,
         p.length, p.average_length, p.length_normalisation, p.contribution
  from braid_store.score_parts(v_tenant_id, v_collection, v_query, v_chunk_ids) p
  order by p.chunk_number, p.contribution desc, p.term_number, p.lexeme collate "C";
end
$$;

comment on function braid_calls.explain_chunks(text, bigint[], text, text) is
  'Do the work of braid.explain_score, for the tenant of the session.';
