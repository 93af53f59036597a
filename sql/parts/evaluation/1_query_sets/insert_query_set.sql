-- role: writer
create or replace function braid_calls.insert_query_set(query_set text, level text, description text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_max_description constant int := 10000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_level text;
  v_is_new boolean;
begin
  if (octet_length(insert_query_set.query_set) between 1 and 255) is not true then
    raise exception 'query_set is %', coalesce('''' || left(insert_query_set.query_set, 100) || '''', 'null')
      using errcode = '22023', hint = 'Give a name of 1 to 255 bytes.';
  elsif (insert_query_set.level in ('document', 'chunk')) is not true then
    raise exception 'level is %', coalesce('''' || left(insert_query_set.level, 100) || '''', 'null')
      using errcode = '22023', hint = 'Use document or chunk, the unit that judgments grade.';
  elsif (octet_length(insert_query_set.description) <= c_max_description) is not true then
    raise exception 'description has % bytes', coalesce(octet_length(insert_query_set.description)::text, 'null')
      using errcode = '22023', hint = format('Give a text of at most %s bytes.', c_max_description);
  end if;
  -- An upsert of a partitioned table has no xmax that tells an insert from an update, so use two statements. Repeat if
  -- the set is dropped between them.
  loop
    insert into braid_store.query_sets (tenant_id, name, level, description)
    values (v_tenant_id, insert_query_set.query_set, insert_query_set.level, insert_query_set.description)
    on conflict on constraint query_sets_pkey do nothing
    returning level into v_level;
    v_is_new := found;
    exit when v_is_new;
    update braid_store.query_sets s set description = insert_query_set.description
    where s.tenant_id = v_tenant_id and s.name = insert_query_set.query_set
    returning s.level into v_level;
    exit when found;
  end loop;
  if v_level <> insert_query_set.level then
    raise exception 'query set "%" exists already, with the level %', insert_query_set.query_set, v_level
      using errcode = '22023', hint = 'Choose another name, or drop it with braid.drop_query_set.';
  end if;
  return v_is_new;
end
$$;

comment on function braid_calls.insert_query_set(text, text, text) is 'Do the work of braid.create_query_set.';
