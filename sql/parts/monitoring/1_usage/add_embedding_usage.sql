-- role: service
-- tenants: all
-- A tenant's own writers must not change what it is charged for.
create or replace function braid_store.add_embedding_usage(
  tenant text,
  embedding_model text,
  request_count bigint,
  text_count bigint,
  token_count bigint,
  estimated_token_count bigint,
  cost numeric
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_tenant_id int;
  v_wrong record;
begin
  select n.name, n.value into v_wrong
  from (values ('request_count', add_embedding_usage.request_count::numeric),
               ('text_count', add_embedding_usage.text_count),
               ('token_count', add_embedding_usage.token_count),
               ('estimated_token_count', add_embedding_usage.estimated_token_count),
               ('cost', coalesce(add_embedding_usage.cost, 0))) n (name, value)
  where (n.value between 0 and 1e15) is not true
  limit 1;
  if found then
    raise exception '% is %', v_wrong.name, coalesce(v_wrong.value::text, 'null')
      using errcode = '22023', hint = 'Use a number from 0 to 1000000000000000.';
  elsif (octet_length(add_embedding_usage.embedding_model) between 1 and 255) is not true then
    raise exception 'embedding_model is %', coalesce('''' || left(add_embedding_usage.embedding_model, 255) || '''',
      'null')
      using errcode = '22023', hint = 'Use a name of 1 to 255 bytes.';
  end if;
  select t.id into v_tenant_id from braid_store.tenants t where t.key = add_embedding_usage.tenant;
  if not found then
    raise exception 'tenant % does not exist', coalesce('"' || left(add_embedding_usage.tenant, 255) || '"', 'null')
      using errcode = '42704', hint = 'embedding_backlog() names tenants that have something to embed.';
  end if;
  insert into braid_store.embedding_usage as u
  select v_tenant_id, add_embedding_usage.embedding_model, (now() at time zone 'UTC')::date,
         add_embedding_usage.request_count, add_embedding_usage.text_count, add_embedding_usage.token_count,
         add_embedding_usage.estimated_token_count, add_embedding_usage.cost
  on conflict (tenant_id, embedding_model, day) do update
  set request_count = u.request_count + excluded.request_count,
      text_count = u.text_count + excluded.text_count,
      token_count = u.token_count + excluded.token_count,
      estimated_token_count = u.estimated_token_count + excluded.estimated_token_count,
      cost = coalesce(u.cost + excluded.cost, u.cost, excluded.cost);
end
$$;

comment on function braid_store.add_embedding_usage(text, text, bigint, bigint, bigint, bigint, numeric) is
  'Do the work of braid.record_embedding_usage.';
