create or replace function braid_store.expand_prefix(tenant_id int, collection_id int, prefix text, max_count int,
                                                    hidden_lexemes text[])
returns table (lexeme text)
language sql
stable
parallel safe
security invoker
rows 64
set search_path = pg_catalog, pg_temp
-- Rows are read in the order of the primary key, so that reading stops at the limit.
set enable_hashagg = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select e.lexeme
  from (
    -- The limit counts lexemes of live chunks, not rows, so that a merge does not change the result.
    select p.lexeme, sum(p.document_frequency) as document_frequency
    from braid_store.postings p
    where p.tenant_id = expand_prefix.tenant_id and p.collection_id = expand_prefix.collection_id
      -- In "C" order, every lexeme with this prefix is below the prefix followed by the last of all characters.
      and p.lexeme >= expand_prefix.prefix collate "C"
      and p.lexeme < expand_prefix.prefix || E'\U0010FFFF' collate "C"
    group by p.lexeme
    having sum(p.document_frequency) > 0
    order by p.lexeme
    limit 20000
  ) e
  where e.lexeme <> all (expand_prefix.hidden_lexemes)
  order by e.document_frequency desc, e.lexeme
  limit expand_prefix.max_count;
$$;

comment on function braid_store.expand_prefix(int, int, text, int, text[]) is
  'Return the commonest lexemes that begin with a prefix, at most max_count, commonest first. Only the first 20000 '
  'in alphabetical order are considered, which bounds the work for a short prefix. hidden_lexemes are left out.';
