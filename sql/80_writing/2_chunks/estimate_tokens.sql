create or replace function braid_store.estimate_tokens(content text)
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return ceil(braid_store.token_cost(estimate_tokens.content))::int;
end
$$;
comment on function braid_store.estimate_tokens(text) is
  'Estimates how many BERT WordPiece tokens a text has. Cheap, and rarely too low.';
