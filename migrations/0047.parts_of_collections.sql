-- What parts store with a collection is one object, so that the core has no column of theirs, and searches of a collection that
-- uses no part test for null only.
-- depends: 0046.parts

alter table braid_store.collections add column parts jsonb check (jsonb_typeof(parts) = 'object' and parts <> '{}');
comment on column braid_store.collections.parts is
    'What parts store with the collection, by the names of the settings; those that are not there have their defaults. Null: none are there.';

-- So that shares keep all their digits.
set local extra_float_digits = 1;
update braid_store.collections c
set parts = nullif(jsonb_strip_nulls(jsonb_build_object(
  'sparse_encoder', c.sparse_encoder,
  'token_vector_model', c.token_vector_model,
  'token_vector_dimensions', c.token_vector_dimensions,
  'token_vector_count', c.token_vector_count,
  'query_embedding_count', nullif(c.query_embedding_count, 0),
  'search_log', nullif(c.search_log, 'off'),
  'search_log_share', nullif(c.search_log_share, 0.1),
  'search_log_query', nullif(c.search_log_query, 'text'),
  'search_log_days', nullif(c.search_log_days, 30),
  'ranking_model', c.ranking_model)), '{}')
where true;

-- The view keeps its columns, and users' views keep the view. A new database has none yet.
do $$
declare
  v_text text := pg_get_viewdef(to_regclass('braid.collections'));
  v_new record;
begin
  if v_text is null then
    return;
  end if;
  for v_new in
    select *
    from (values
      ('sparse_encoder', '(c.parts ->> ''sparse_encoder'') as sparse_encoder'),
      ('token_vector_model', '(c.parts ->> ''token_vector_model'') as token_vector_model'),
      ('token_vector_dimensions', '(c.parts ->> ''token_vector_dimensions'')::int as token_vector_dimensions'),
      ('token_vector_count', '(c.parts ->> ''token_vector_count'')::int as token_vector_count'),
      ('query_embedding_count', 'coalesce((c.parts ->> ''query_embedding_count'')::int, 0) as query_embedding_count'),
      ('search_log', 'coalesce(c.parts ->> ''search_log'', ''off'') as search_log'),
      ('search_log_share', 'coalesce((c.parts ->> ''search_log_share'')::float8, 0.1) as search_log_share'),
      ('search_log_query', 'coalesce(c.parts ->> ''search_log_query'', ''text'') as search_log_query'),
      ('search_log_days', 'coalesce((c.parts ->> ''search_log_days'')::int, 30) as search_log_days'),
      ('ranking_model', '(c.parts ->> ''ranking_model'') collate "C" as ranking_model')
    ) n (name, expression)
  loop
    v_text := regexp_replace(v_text, E'\\mc\\.' || v_new.name || E'\\M', v_new.expression);
  end loop;
  execute 'create or replace view braid.collections with (security_invoker = true) as ' || v_text;
end
$$;

alter table braid_store.collections
    drop column sparse_encoder,
    drop column token_vector_model,
    drop column token_vector_dimensions,
    drop column token_vector_count,
    drop column query_embedding_count,
    drop column search_log,
    drop column search_log_share,
    drop column search_log_query,
    drop column search_log_days,
    drop column ranking_model;
