-- role: writer
create or replace function braid_calls.write_query_embedding(
  embedded_text text,
  embedding @vector@.vector,
  collection text,
  embedding_model text
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- The call precedes a search that a user waits for.
set lock_timeout = '100ms'
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_most_bytes constant int := 16384;
  -- Do not record every use of a repeated query: each would leave a dead row.
  c_recent constant interval := '1 hour';
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(write_query_embedding.collection);
  v_locked braid_store.collections;
  v_hash bytea := braid_store.query_text_hash(write_query_embedding.embedded_text);
begin
  if coalesce(write_query_embedding.embedded_text, '') = '' then
    raise exception 'embedded_text is %', case when write_query_embedding.embedded_text is null then 'null'
      else 'empty' end
      using errcode = '22023', hint = 'Give the text that was embedded.';
  elsif octet_length(write_query_embedding.embedded_text) > c_most_bytes then
    raise exception 'embedded_text has % bytes, more than %', octet_length(write_query_embedding.embedded_text),
      c_most_bytes
      using errcode = '54000', hint = 'Do not store vectors of queries this long: such queries rarely come twice.';
  elsif v_collection.parts ->> 'query_embedding_count' is null then
    raise exception 'collection "%" stores no vectors of queries', v_collection.name
      using errcode = '22023', hint = 'Have an administrator call braid.set_query_embeddings for the collection.';
  end if;
  perform braid_store.check_query_model(v_collection, write_query_embedding.embedding_model),
          braid_store.check_embeddings(v_collection, array[write_query_embedding.embedding], 'embedding');
  if exists (
    select
    from braid_store.query_embeddings q
    where q.tenant_id = v_tenant_id and q.collection_id = v_collection.id
      and q.vector_space_id = v_collection.vector_space_id and q.text_hash = v_hash
      and q.embedding operator(@vector@.=) write_query_embedding.embedding and q.used_at > clock_timestamp() - c_recent
  ) then
    return true;
  end if;

  begin
    v_locked := braid_store.lock_for_writing(v_collection.id, v_tenant_id);
    if v_locked.vector_space_id <> v_collection.vector_space_id or v_locked.parts ->> 'query_embedding_count' is null
      then
      return false;
    end if;
    insert into braid_store.query_embeddings (tenant_id, collection_id, vector_space_id, text_hash, embedding, used_at)
    values (v_tenant_id, v_collection.id, v_collection.vector_space_id, v_hash, write_query_embedding.embedding,
            clock_timestamp())
    on conflict on constraint query_embeddings_pkey
    do update set embedding = excluded.embedding, used_at = excluded.used_at;
  exception when lock_not_available then
    return false;
  end;
  perform braid_store.drop_query_embeddings(v_tenant_id, v_collection.id,
    (v_locked.parts ->> 'query_embedding_count')::int);
  return true;
end
$$;

comment on function braid_calls.write_query_embedding(text, @vector@.vector, text, text) is
  'Do the work of braid.store_query_embedding.';
