create or replace function braid_store.asked_text(query_text text, has_operators boolean, text_config text)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when asked_text.has_operators
              then (select coalesce(string_agg(p.content, ' ' order by p.clause_number), '')
                    from braid_store.parse_query(asked_text.query_text, asked_text.text_config) p
                    where p.occurrence <> 'must_not')
              else asked_text.query_text end;
$$;

comment on function braid_store.asked_text(text, boolean, text) is
  'Return the words that a query asks for, which clients embed: the query text without operators and without '
  'excluded words. has_operators: whether the query language is read; if false, the whole text is returned.';
