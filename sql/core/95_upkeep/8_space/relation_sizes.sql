-- This function works across tenants. It is for the owner of the tables, because only the owner can vacuum them.
create or replace function braid_store.relation_sizes()
returns table (table_name text, part text, byte_count bigint, needed_byte_count bigint)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  -- To learn the length of rows, this many are sampled of each table, and again for each of its indexes. Rows of a page
  -- are alike, so some more are allowed.
  c_sample constant int := 1000;
  c_max_sample constant int := 1500;
  v_table record;
  v_index record;
  v_row_bytes float8;
  v_key_bytes float8;
begin
  for v_table in
    select c.oid, c.relname, c.reltuples, c.reltoastrelid,
           -- The rows of a page date from the last vacuum, but pages are counted now: the table may have grown since,
           -- or have few rows in many pages.
           least(100, 100 * c_sample / greatest(c.reltuples / greatest(c.relpages, 1) * p.pages, p.pages,
             1)) as sample_percent,
           p.pages > 2 * greatest(c.relpages, 1) as has_grown,
           (select string_agg(format('coalesce(pg_column_size(t.%I), 0)', a.attname), ' + ' order by a.attnum)
            from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as row_bytes,
           coalesce((select o.option_value::int from pg_options_to_table(c.reloptions) o
                     where o.option_name = 'toast_tuple_target'), 2032) as max_inline_bytes
    from pg_class c
    -- The offset puts the conditions on c first, because asking for the size of a shard that is being dropped would
    -- wait for the drop.
    cross join lateral (
      select pg_relation_size(c.oid) / current_setting('block_size')::int as pages offset 0
    ) p
    where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r' and c.reltuples >= 0
      -- A standby cannot read unlogged tables.
      and c.relpersistence = 'p'
      -- Shards are always rebuilt, and tables of days dropped, as a whole.
      and c.relname !~ '_[0-9]+$'
    order by c.relname
  loop
    -- 32 bytes are added for header, line pointer and alignment. A long row keeps about a quarter of the limit in line.
    execute format(
      'select avg(case when s.bytes > $1 then $1 / 4 else s.bytes end) '
      'from (select %2$s + 32 as bytes from only braid_store.%1$I t tablesample system (%3$s) limit $2) s',
      v_table.relname, v_table.row_bytes, v_table.sample_percent)
    into v_row_bytes
    using v_table.max_inline_bytes, c_max_sample;
    table_name := v_table.relname;
    part := 'rows';
    byte_count := pg_relation_size(v_table.oid);
    -- If the sample has hit no row, each row may fill a page.
    needed_byte_count := coalesce(ceil(v_table.reltuples * v_row_bytes / 0.96 + 8192),
                                  least(byte_count, ceil(v_table.reltuples * 8192 + 8192)));
    -- The number of rows now is unknown until the next vacuum.
    needed_byte_count := greatest(needed_byte_count, case when v_table.has_grown then byte_count end);
    return next;
    part := 'toast';
    select pg_relation_size(c.oid), ceil(c.reltuples * 2048 + 8192) into byte_count, needed_byte_count
    from pg_class c
    -- Values are stored in pieces of 2 KB, four in a page.
    where c.oid = v_table.reltoastrelid and c.reltuples >= 0;
    if found then
      needed_byte_count := greatest(needed_byte_count, case when v_table.has_grown then byte_count end);
      return next;
    end if;
    for v_index in
      select x.indexrelid as oid, i.relname, i.reltuples,
             -- An expression has no column, and format takes no null as a name.
             (select string_agg(case when a.attname is null then '8'
                                     else format('coalesce(pg_column_size(t.%I), 0)', a.attname) end, ' + ')
              from unnest(x.indkey::int[]) k (attnum)
              left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum
                and k.attnum > 0) as key_bytes,
             coalesce(pg_get_expr(x.indpred, x.indrelid), 'true') as predicate
      from pg_index x
      join pg_class i on i.oid = x.indexrelid
      join pg_am m on m.oid = i.relam and m.amname = 'btree'
      where x.indrelid = v_table.oid and x.indisvalid and i.reltuples >= 0
      order by i.relname
    loop
      execute format(
        'select avg(%2$s) from (select t.* from only braid_store.%1$I t tablesample system (%3$s) limit $1) t where '
        '%4$s',
        v_table.relname, v_index.key_bytes, v_table.sample_percent, v_index.predicate)
      into v_key_bytes
      using c_max_sample;
      part := v_index.relname;
      byte_count := pg_relation_size(v_index.oid);
      -- 20 bytes are added for header, line pointer and alignment. Pages are filled to 90 %, and pages above the leaves
      -- are added.
      needed_byte_count := coalesce(ceil(v_index.reltuples * (v_key_bytes + 20) / 0.88 + 16384),
                                    -- A key takes no more.
                                    least(byte_count, ceil(v_index.reltuples * 2731 + 16384)));
      needed_byte_count := greatest(needed_byte_count, case when v_table.has_grown then byte_count end);
      return next;
    end loop;
  end loop;
end
$$;

comment on function braid_store.relation_sizes() is
  'Return the bytes that tables and their indexes take, and about how many they would take if they were written '
  'anew. The estimate uses the number of rows at the last vacuum and the length of about 1000 of them. If the table '
  'has more than doubled since, it is at least the present size. part: rows, toast (values that are stored out of '
  'line), or the name of an index. Vector shards are left out.';
