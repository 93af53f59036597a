create or replace function braid_store.token_cost(content text)
returns float8
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select (regexp_count(token_cost.content, '[a-z]{1,3}|\S')
          + case when octet_length(token_cost.content) > length(token_cost.content)
                 then 2 * regexp_count(token_cost.content, '[가-힣]') else 0 end)::float8
$$;
comment on function braid_store.token_cost(text) is 'preliminary';
