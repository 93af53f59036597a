create or replace function braid_store.write_standing_query(
  tenant_id int,
  collection braid_store.collections,
  name text,
  query_text text,
  query_embedding @vector@.vector,
  filters jsonb,
  match text,
  semantic_min_score float8,
  options jsonb,
  created_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Make the planner read the primary key in its order.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_most_queries constant int := 10000;
  c_most_terms constant int := 64;
  v_collection braid_store.collections := collection;
  v_language braid_store.collections;
  v_text text := coalesce(write_standing_query.query_text, '');
  v_tokens braid_store.query_token[] := '{}';
  v_terms record;
  v_other text;
  v_embedding @vector@.vector := write_standing_query.query_embedding;
  v_count int;
  v_query_id bigint;
begin
  if (octet_length(write_standing_query.name) between 1 and 255) is not true then
    raise exception 'name is %', coalesce('''' || left(write_standing_query.name, 100) || '''', 'null')
      using errcode = '22023', hint = 'Give a name of 1 to 255 bytes.';
  elsif v_text = '' and write_standing_query.query_embedding is null then
    raise exception 'query_text and query_embedding are both empty'
      using errcode = '22023', hint = 'Give a text, an embedding, or both.';
  elsif num_nonnulls(write_standing_query.query_embedding, write_standing_query.semantic_min_score) > 0
        and (write_standing_query.semantic_min_score between -1e38 and 1e38) is not true then
    raise exception 'semantic_min_score is %', coalesce(write_standing_query.semantic_min_score::text, 'null')
      using errcode = '22023',
            hint = 'Give the least similarity that matches, such as 0.5: every chunk has some similarity.';
  end if;
  perform braid_store.required_words(write_standing_query.match, 1);
  perform braid_store.read_search_options(write_standing_query.options);
  v_other := (select min(o.key) from jsonb_each(write_standing_query.options) o
              where o.key not in ('language', 'operators') and o.value <> 'null');
  if v_other is not null then
    raise exception 'option % has no meaning for a standing query', v_other
      using errcode = '22023', hint = 'Leave it out: a standing query takes the options language and operators.';
  end if;

  if v_text <> '' then
    perform braid_store.refuse_list(v_text);
    v_language := braid_store.standing_query_collection(v_collection, write_standing_query.options);
    if (braid_store.searched_text(v_text, true)).is_cut then
      raise exception 'query_text has % characters', length(v_text)
        using errcode = '54000', hint = 'Give at most 64 words; a document is no standing query.';
    end if;
    v_tokens := braid_store.standing_query_tokens(v_language, v_text, write_standing_query.options);
    if (select count(distinct (t.lexeme, t.kind = 'prefix')) from unnest(v_tokens) t) > c_most_terms then
      raise exception 'query_text has more than % words and parts of words', c_most_terms
        using errcode = '54000', hint = 'Give the words that matter, or several standing queries.';
    end if;
  end if;
  if v_embedding is null and write_standing_query.semantic_min_score is not null then
    if v_text <> '' and v_collection.parts is not null then
      select e.embedding into v_embedding
      from braid_store.extend_query_embedding(
             tenant_id, v_collection,
             braid_store.asked_text(v_text, coalesce((options -> 'operators')::boolean, true), v_language.text_config),
             '') e;
    end if;
    if v_embedding is null then
      raise exception 'semantic_min_score is %, and there is no query_embedding', semantic_min_score
        using errcode = '22023',
              hint = 'Give query_embedding, or leave semantic_min_score out. Where a collection has a static embedder, '
                     'the words of query_text are enough.';
    end if;
  end if;
  v_terms := braid_store.standing_query_terms(tenant_id, v_collection.id, v_tokens, match);
  if v_text <> '' then
    if coalesce(cardinality(v_terms.keys || v_terms.prefixes), 0) = 0 and v_embedding is null
      then
      raise exception 'query_text ''%'' has no word that a text could have', left(v_text, 100)
        using errcode = '22023', hint = 'Give a word to search for; exclusions alone match nothing.';
    end if;
    perform braid_store.compile_query(tenant_id, v_language, v_tokens, match);
  end if;
  if write_standing_query.filters is not null then
    -- PostgreSQL reads and plans the condition here.
    perform braid_store.filtered_among(
      '{}', tenant_id, braid_store.compile_filter(filters, tenant_id, v_collection.id));
  end if;

  v_collection := braid_store.lock_for_writing(v_collection.id, tenant_id);
  if v_embedding is not null then
    perform braid_store.check_embeddings(v_collection, array[v_embedding], 'query_embedding');
  end if;
  v_count := 1 + coalesce((
    select q.query_count from braid_store.standing_queries q
    where q.tenant_id = write_standing_query.tenant_id and q.collection_id = v_collection.id
    order by q.id desc
    limit 1), 0);
  if v_count > c_most_queries then
    -- Queries that were dropped are among them.
    v_count := 1 + (
      select count(*) from braid_store.standing_queries q
      where q.tenant_id = write_standing_query.tenant_id and q.collection_id = v_collection.id);
  end if;
  if v_count > c_most_queries then
    raise exception 'collection "%" has % standing queries of this tenant', v_collection.name, c_most_queries
      using errcode = '54000', hint = 'Drop queries that nobody needs: braid.drop_standing_query.';
  end if;
  insert into braid_store.standing_queries (tenant_id, collection_id, name, query_text, match, filters, options,
                                            required_lexemes, excluded_lexemes, demands, is_plain, query_count,
                                            created_at)
  values (tenant_id, v_collection.id, name, v_text, match, nullif(nullif(filters, '{}'), 'null'),
          nullif(jsonb_strip_nulls(options), '{}'), v_terms.required_lexemes, v_terms.excluded_lexemes,
          v_terms.demands, v_terms.is_plain, v_count, write_standing_query.created_at)
  on conflict (tenant_id, collection_id, name) do nothing
  returning id into v_query_id;
  if v_query_id is null then
    raise exception 'standing query "%" exists already', write_standing_query.name
      using errcode = '22023', hint = 'Drop it first, in the same transaction: braid.drop_standing_query.';
  end if;
  insert into braid_store.standing_query_terms (tenant_id, collection_id, is_prefix, lexeme, query_id)
  select tenant_id, v_collection.id, k.is_prefix, k.lexeme, v_query_id
  from (
    select false as is_prefix, unnest(v_terms.keys) as lexeme
    union all
    select true, unnest(v_terms.prefixes)
  ) k;
  if v_embedding is not null then
    insert into braid_store.standing_query_embeddings (tenant_id, collection_id, vector_space_id, query_id, min_score,
                                                       embedding)
    values (tenant_id, v_collection.id, v_collection.vector_space_id, v_query_id,
            write_standing_query.semantic_min_score, v_embedding);
  end if;
end
$$;

comment on function braid_store.write_standing_query(
  int, braid_store.collections, text, text, @vector@.vector, jsonb, text, float8, jsonb, timestamptz) is
  'Store a standing query. Whatever could fail when a document is written is tried here first.';
