-- role: reader
create or replace function braid_calls.run_static_embedder(content text, embedder text)
returns @vector@.vector
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  -- The work grows with the bytes, and with the number of different letters beyond ASCII.
  c_most_bytes constant int := 100000;
  v_embedder braid_store.static_embedders;
begin
  perform braid_store.require_tenant_id();
  if run_static_embedder.content is null then
    return null;
  elsif octet_length(run_static_embedder.content) > c_most_bytes then
    raise exception 'content has % bytes, more than %', octet_length(run_static_embedder.content), c_most_bytes
      using errcode = '54000', hint = 'Embed the text in pieces.';
  end if;
  select e.* into v_embedder from braid_store.static_embedders e where e.name = run_static_embedder.embedder;
  if not found then
    raise exception 'static embedder "%" does not exist', coalesce(left(run_static_embedder.embedder, 255), '')
      using errcode = '42704',
            hint = 'See the names, as an administrator: select name from braid.static_embedders(); or load one: '
                   'pgbraid static-embedder';
  end if;
  return braid_store.static_embedding(v_embedder, run_static_embedder.content);
end
$$;

comment on function braid_calls.run_static_embedder(text, text) is 'Do the work of braid.embed_text.';
