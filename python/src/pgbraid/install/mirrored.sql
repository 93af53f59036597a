-- On the coordinator: what changes in a table of definitions changes in the reference table of the same name, too.
create or replace function braid_shards.mirror()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_row jsonb;
  v_columns text;
  v_values text;
begin
  if tg_op in ('UPDATE', 'DELETE') then
    v_row := to_jsonb(old);
    execute (
      select format('delete from braid_shards.%I t where %s', tg_table_name,
                    string_agg(format('t.%I = %L', a.attname, v_row ->> a.attname::text), ' and '))
      from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
      where i.indrelid = tg_relid and i.indisprimary);
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    for v_columns in
      select string_agg(format('($1).%I::text', a.attname), ', ' order by a.attnum)
      from pg_attribute a
      where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped
    loop
      execute format('select string_agg(quote_nullable(v), '', '' order by n) from unnest(array[%s]) with ordinality u (v, n)',
                     v_columns)
      into v_values
      using new;
    end loop;
    execute (
      select format('insert into braid_shards.%I (%s) values (%s)', tg_table_name,
                    string_agg(quote_ident(a.attname), ', ' order by a.attnum), v_values)
      from pg_attribute a
      where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped);
  end if;
  return null;
end
$$;
