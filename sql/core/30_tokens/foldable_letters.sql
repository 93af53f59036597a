create or replace function braid_store.foldable_letters()
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return E'[\\u00c0-\\u03ce\\u0439\\u0450-\\u045e\\u0476\\u0477\\u04c1-\\u04f9\\u0590-\\u06ff'
    '\\u093c\\u0929\\u0931\\u0934\\u1e00-\\u1fff]';
end
$$;

comment on function braid_store.foldable_letters() is
  'Return a pattern of the letters that braid_store.token_fold changes. Call it only for words that have one.';
