create or replace function braid_store.note_function_body(synced braid_store.synced_tables, relation regclass)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Select the tenant and key of a row t.
  v_row text := format('%s as tenant, %s as key', braid_store.synced_tenant(synced.fields),
                       braid_store.synced_key(synced.fields));
  v_given text; -- selects the document, too
  -- A row without a key neither was nor can become a document; sync_is_outdated reports the nullable column.
  v_has_key text := (select string_agg(format('t.%I is not null', c.value), ' and ' order by c.ordinality)
                     from jsonb_array_elements_text(synced.fields -> 'id') with ordinality c);
  v_old text;
  v_new text;
  v_narrowed text; -- also has the column of access
  -- Narrow the documents of rows that say who may read them; the source of the rows t stands between the two texts.
  v_narrow text[] := case when synced.fields ? 'access' then array[
    format(chr(10) || '    perform braid_store.narrow_rows(%s, (select jsonb_agg(to_jsonb(r)) from (select %s, %s -> '
           '''access'' as access from ', synced.id, v_row, braid_store.synced_document(
             relation, jsonb_build_object('access', synced.fields -> 'access'))),
    format(' t where %s) r));', v_has_key)] end;
  v_insert text := format('insert into braid_store.row_changes (synced_table_id, tenant, key)' || chr(10)
                          || '    select %s, r.tenant, r.key from', synced.id);
begin
  if synced.phase = 'lost' then
    return chr(10) || 'begin' || chr(10) || '  return null;' || chr(10) || 'end' || chr(10);
  end if;
  v_given := format('%s, case when %s then %s end as document', v_row, braid_store.synced_filter(synced.fields),
                    braid_store.synced_document(relation, synced.fields));
  select format('(select %s) t', string_agg(format('old.%1$I as %1$I', c.name), ', ' order by c.name)
                filter (where c.is_key)),
         format('(select %s) t', string_agg(format('new.%1$I as %1$I', c.name), ', ' order by c.name)
                filter (where c.is_key)),
         format('(select %s)', string_agg(format('new.%1$I as %1$I', c.name), ', ' order by c.name))
  into v_old, v_new, v_narrowed
  from (
    select c.value as name, bool_or(f.key <> 'access') as is_key
    from jsonb_each(synced.fields) f, jsonb_array_elements_text(f.value) c
    where f.key in ('id', 'tenant_column', 'access')
    group by c.value
  ) c;
  return
    case when synced.mode = 'immediate' then
      format($body$
declare
  v_open int;
  v_rows jsonb;
begin
  if tg_when = 'BEFORE' then
    perform braid_store.count_modification(%4$s, 1);
    return null;
  end if;
  if tg_level = 'STATEMENT' and tg_op <> 'TRUNCATE' then
    v_open := braid_store.count_modification(%4$s, -1);
  end if;
  begin
    -- Only at depth 1: a trigger that changes the same rows again fires before the statement's own trigger.
    if v_open is not null and pg_trigger_depth() = 1 then
      if tg_op = 'DELETE' then
        v_rows := (select jsonb_agg(to_jsonb(r)) from (
          select * from (select row_number() over () as number, %6$s as has_key, %1$s, null as document
            from old_rows t) r where r.has_key limit %3$s) r);
      elsif tg_op = 'INSERT' then
        v_rows := (select jsonb_agg(to_jsonb(r)) from (
          select * from (select row_number() over () as number, %6$s as has_key, %2$s from new_rows t) r where r.has_key
            limit %3$s) r);
      else
        -- A row that cascades change again appears several times, its old and new states in the order of the changes.
        v_rows := (select jsonb_agg(to_jsonb(r)) from (
          select * from (select row_number() over () * 2 as number, %6$s as has_key, %2$s from new_rows t
                         union all
                         select row_number() over () * 2 - 1, %6$s, %1$s, null from old_rows t) r where r.has_key
                           limit %3$s) r);
      end if;
      if v_rows is null or braid_store.apply_at_once(%4$s, v_rows, v_open) then
        return null;
      end if;
    end if;
  exception
    when lock_not_available or deadlock_detected then
      null;
    when others then
%5$s
  end;
$body$, v_row, v_given, braid_store.immediate_row_limit() + 1, synced.id,
        case synced.on_error when 'keep' then '      null;' else format(
          $body$      -- An outdated definition is no fault of the row.
      if not braid_store.sync_is_outdated(%s) then
        raise;
      end if;$body$, synced.id) end, v_has_key)
    else chr(10) || 'begin' || chr(10) end
    || format($body$  if tg_op = 'TRUNCATE' then
    insert into braid_store.row_changes (synced_table_id) values (%3$s);
  elsif tg_level = 'ROW' then%7$s
    if tg_op = 'INSERT' then
      %1$s (select %2$s from %5$s where %4$s) r;%8$s
    elsif tg_op = 'DELETE' then
      %1$s (select %2$s from %6$s where %4$s) r;
    else
      %1$s (select %2$s from %5$s where %4$s union select %2$s from %6$s where %4$s) r;%8$s
    end if;
  elsif tg_op = 'INSERT' then
    %1$s (select %2$s from new_rows t where %4$s) r;%9$s
  elsif tg_op = 'DELETE' then
    %1$s (select %2$s from old_rows t where %4$s) r;
  else
    %1$s (select %2$s from new_rows t where %4$s union select %2$s from old_rows t where %4$s) r;%9$s
  end if;
  return null;
$body$, v_insert, v_row, synced.id, v_has_key, v_new, v_old,
        case (select c.relkind from pg_class c where c.oid = relation) when 'p' then '' else $body$
    -- ENABLE TRIGGER ALL makes this trigger fire next to the statement's triggers.
    if current_setting('session_replication_role') <> 'replica' then
      return null;
    end if;$body$ end, coalesce(v_narrow[1] || v_narrowed || v_narrow[2], ''),
        coalesce(v_narrow[1] || 'new_rows' || v_narrow[2], ''))
    || case when synced.on_error = 'fail' then format($body$exception when undefined_column or datatype_mismatch then
  -- A column was renamed or dropped, or its type differs from this session's plan, which is no fault of the row. Have
  -- all rows read again.
  insert into braid_store.row_changes (synced_table_id, last_error) values (%1$s, left(sqlerrm, 1000));
  return null;
$body$, synced.id) else format($body$exception when others then
  -- The user's statement must not fail. Have all rows read again, because the changed row cannot be named.
  begin
    insert into braid_store.row_changes (synced_table_id, last_error) values (%1$s, left(sqlerrm, 1000));
  exception when others then
    raise warning 'a change of "%%" was not noted: %%', tg_relid::regclass, sqlerrm
      using hint = 'Call braid.check_sync.';
  end;
  return null;
$body$, synced.id) end
    || 'end' || chr(10);
end
$$;

comment on function braid_store.note_function_body(braid_store.synced_tables, regclass) is
  E'Return the body of the trigger function of a synced table.\n'
  'The function notes the keys of the rows that a statement changed, or of the one row that it is called for. With '
  'mode immediate, it applies the rows itself if it can. It has the owner''s rights, so that writers of the table '
  'need none. It turns values into text without any code but pg_catalog''s.';
