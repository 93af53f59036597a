-- role: service
create or replace function braid_store.check_synced_relation(relation regclass, fields jsonb, mode text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_categories constant jsonb := '{
    "id": ["integer", "text", "uuid"], "tenant_column": ["integer", "text", "uuid"], "filter": ["boolean"],
    "importance": ["integer", "number"], "occurred_at": ["time"], "turns": ["json", "text"],
    "access": ["array", "json", "text"]}';
  c_max_columns constant int := 50; -- a function takes 100 arguments, and each metadata column needs two
  v_class pg_class;
  v_field text;
  v_column text;
  v_category text;
  v_wrong record;
  v_key int2[];
begin
  select c.* into v_class from pg_class c where c.oid = relation;
  if v_class.relkind not in ('r', 'p') or v_class.relispartition
     or v_class.relkind = 'r' and exists (select from pg_inherits i where relation in (i.inhrelid, i.inhparent)) then
    raise exception 'table_name is "%", which is %', relation,
                    case v_class.relkind
                      when 'v' then 'a view' when 'm' then 'a materialized view' when 'f' then 'a foreign table'
                      when 'r' then 'a part of another table, or has parts' when 'p' then 'a part of another table'
                      else 'no table' end
      using errcode = '22023',
            hint = 'Triggers would miss changes there. Sync an ordinary table or a partitioned one, or write '
                   'documents yourself with braid.upsert_documents.';
  elsif v_class.relkind = 'p' and check_synced_relation.mode = 'immediate' then
    raise exception 'mode is ''immediate'', and table "%" is partitioned', relation
      using errcode = '22023', hint = 'Use mode ''deferred'': its trigger runs for each row, and records the key.';
  elsif v_class.relpersistence = 't' then
    raise exception 'table_name is "%", a temporary table', relation
      using errcode = '22023', hint = 'Only its own session can read a temporary table. Sync an ordinary table.';
  elsif v_class.relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'braid'::regnamespace,
                                 'braid_calls'::regnamespace, 'braid_store'::regnamespace, 'braid_locks'::regnamespace)
                                   then
    raise exception 'table_name is "%", a table of the system', relation
      using errcode = '22023', hint = 'Name a table of your own.';
  end if;

  select p.relid::regclass as part, pg_get_userbyid(c.relowner) as owner, c.relkind into v_wrong
  from pg_partition_tree(relation) p
  join pg_class c on c.oid = p.relid
  where c.relowner <> v_class.relowner or c.relkind not in ('r', 'p')
  limit 1;
  if v_wrong.relkind not in ('r', 'p') then
    raise exception 'table_name is "%", whose partition "%" is a foreign table', relation, v_wrong.part
      using errcode = '22023',
        hint = 'Triggers would miss changes there. Sync a table without such a partition.';
  elsif found then
    raise exception 'table_name is "%", whose partition "%" belongs to "%"', relation, v_wrong.part, v_wrong.owner
      using errcode = '22023', hint = 'Give the partition the same owner as the table.';
  end if;

  for v_field, v_column in
    select f.key, c.value
    from jsonb_each(check_synced_relation.fields) f, jsonb_array_elements_text(f.value) with ordinality c
    order by f.key, c.ordinality
  loop
    v_category := braid_store.synced_column_category(relation, v_column);
    if v_category is null then
      raise exception '% names the column "%", which table "%" does not have', v_field, left(v_column, 100), relation
        using errcode = '42704',
              hint = format('It has %s.', (
                select string_agg(format('"%s"', a.attname), ', ' order by a.attnum)
                from pg_attribute a where a.attrelid = relation and a.attnum > 0 and not a.attisdropped));
    elsif not coalesce((c_categories -> v_field) ? v_category, true) then
      raise exception '% names the column "%", which is of type %', v_field, left(v_column, 100), (
                        select format_type(a.atttypid, a.atttypmod) from pg_attribute a
                        where a.attrelid = relation and a.attname = v_column)
        using errcode = '22023',
              hint = case v_field
                when 'filter'
                  then 'Use a boolean column, such as one that is generated always as (status = ''published'') '
                                   'stored.'
                when 'importance' then 'Use a column of numbers.'
                when 'access' then 'Use a column of type text[], text, or jsonb or json with an array of texts.'
                when 'turns' then 'Use a column of type jsonb or json, with an array of turns, '
                                  'or of text with turns such as "Ana: Hello.".'
                when 'occurred_at' then 'Use a column of type date, timestamp or timestamptz.'
                else 'Use columns of type int, bigint, text or uuid.' end;
    elsif (v_field in ('tenant_column', 'access') or mode = 'immediate')
          and exists (select from pg_attribute a where a.attrelid = relation and a.attname = v_column
            and a.attgenerated = 'v') then
      raise exception '% names the column "%", which is generated and not stored', v_field, left(v_column, 100)
        using errcode = '22023', hint = 'Triggers do not see its values. Make it stored, or use mode deferred.';
    end if;
  end loop;
  select f.key, jsonb_array_length(f.value) as count into v_wrong
  from jsonb_each(check_synced_relation.fields) f
  where jsonb_array_length(f.value) > c_max_columns;
  if found then
    raise exception '% has % columns, more than %', v_wrong.key, v_wrong.count, c_max_columns
      using errcode = '54000', hint = 'Add a generated column that joins several of them.';
  end if;

  -- Without a unique key, rows can be neither identified nor looked up.
  v_key := array(
    select a.attnum
    from jsonb_array_elements_text(check_synced_relation.fields -> 'id') c (name)
    join pg_attribute a on a.attrelid = relation and a.attname = c.name);
  if braid_store.synced_key_index(relation, check_synced_relation.fields) is null
     or exists (select from pg_attribute a where a.attrelid = relation and a.attnum = any (v_key) and not a.attnotnull)
       then
    raise exception 'id is (%), which is no key of table "%"', (
                      select string_agg(c.name, ', ')
                        from jsonb_array_elements_text(check_synced_relation.fields -> 'id') c (name)),
                    relation
      using errcode = '22023',
            hint = 'Name the columns of its primary key, or of a unique index over columns that are not null. Without '
              'one, '
                   'add a column id bigint generated always as identity primary key.';
  end if;
  select a.attname, c.collname into v_wrong
  from pg_attribute a join pg_collation c on c.oid = a.attcollation
  where a.attrelid = relation and a.attnum = any (v_key) and not c.collisdeterministic;
  if found then
    raise exception 'id names the column "%", whose collation "%" is not deterministic', v_wrong.attname,
      v_wrong.collname
      using errcode = '22023', hint = 'Use another key: spellings that this collation treats as equal would become '
                                      'several documents.';
  end if;
end
$$;

comment on function braid_store.check_synced_relation(regclass, jsonb, text) is
  'Check that a table can be synced with these fields. Raise 22023 or 42704, naming argument and column, if it cannot.';
