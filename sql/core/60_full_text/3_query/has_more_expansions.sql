create or replace function braid_store.has_more_expansions(tenant_id int, collection_id int, prefix text)
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set enable_hashagg = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select exists (
    select
    from braid_store.postings p
    where p.tenant_id = has_more_expansions.tenant_id and p.collection_id = has_more_expansions.collection_id
      and p.lexeme >= has_more_expansions.prefix collate "C"
      and p.lexeme < has_more_expansions.prefix || E'\U0010FFFF' collate "C"
    group by p.lexeme
    order by p.lexeme
    offset 20000 limit 1);
$$;

comment on function braid_store.has_more_expansions(int, int, text) is
  'Tell whether more lexemes begin with a prefix than the 20000 that braid_store.expand_prefix considers.';
