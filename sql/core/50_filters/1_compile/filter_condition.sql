create or replace function braid_store.filter_condition(key text, operator text, operand jsonb, tenant_id int,
                                                        collection_id int)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_key constant text := to_json(left(filter_condition.key, 100));
  v_kind text;
  v_field text;
  v_absent text;
  v_test text;
  v_list text;
  v_days text;
  v_literal text;
begin
  case
    when filter_condition.key in ('speaker', 'category', 'language') then
      v_kind := 'text';
      v_field := format('c.%I', filter_condition.key);
    when filter_condition.key = 'importance' then
      v_kind := 'float8';
      v_field := 'c.importance';
    when filter_condition.key = 'occurred_at' then
      v_kind := 'timestamptz';
      v_field := 'c.occurred_at';
    when filter_condition.key in ('external_id', 'source_uri') then
      v_kind := 'text';
      v_field := format('d.%I collate "C"', filter_condition.key);
    else
      v_kind := 'jsonb';
      v_field := braid_store.filter_metadata_field(filter_condition.key);
  end case;
  v_absent := case v_kind when 'jsonb' then format('coalesce(%s, ''null'') = ''null''', v_field)
                          else format('%s is null', v_field) end;

  case
    when filter_condition.operator = '$exists' then
      if jsonb_typeof(filter_condition.operand) <> 'boolean' then
        raise exception 'filters: $exists of key % needs true or false, not %',
                        c_key, left(filter_condition.operand::text, 100)
          using errcode = '22023', hint = 'Write {"key": {"$exists": true}}.';
      end if;
      v_test := v_absent;

    when filter_condition.operator in ('$eq', '$ne') then
      v_literal := case when filter_condition.operand <> 'null'
                        then braid_store.filter_literal(filter_condition.key, v_kind, filter_condition.operand) end;
      v_test := case
        when filter_condition.operand = 'null' then v_absent
        when v_kind = 'timestamptz' then braid_store.filter_range(
          filter_condition.key, v_kind, v_field,
          jsonb_build_object('$gte', filter_condition.operand, '$lte', filter_condition.operand))
        -- jsonb "contains" is equality for scalars, and membership if the stored value is an array.
        else format('%s %s %s', v_field, case v_kind when 'jsonb' then '@>' else '=' end, v_literal)
      end;

    when filter_condition.operator in ('$in', '$nin') then
      if jsonb_typeof(filter_condition.operand) <> 'array' then
        raise exception 'filters: % of key % needs an array, not %', filter_condition.operator,
                        c_key, left(filter_condition.operand::text, 100)
          using errcode = '22023', hint = 'Write {"key": {"$in": ["a", "b"]}}, or {"key": "a"} for one value.';
      end if;
      -- The type of a value decides whether text or JSON can be compared with it, so one value of each type is checked.
      perform braid_store.filter_literal(filter_condition.key, v_kind, e.value)
      from (
        select distinct on (case when v_kind in ('text', 'jsonb') then jsonb_typeof(e.value)
          else e.value::text end) e.value
        from jsonb_array_elements(filter_condition.operand) e
        where e.value <> 'null'
      ) e;
      -- All values are one literal, because thousands of literals take seconds to plan. A date is a day, and all days
      -- are one literal, too.
      select format('%L::%s[]',
                    coalesce((case v_kind when 'jsonb' then array_agg(e.value) filter (where d.last is null)::text
                                          else array_agg(e.value #>> '{}') filter (where d.last is null)::text end),
                                            '{}'),
                    v_kind),
             '{' || string_agg(format('["%s","%s")', e.value #>> '{}', d.last), ',') filter (where d.last is not null)
               || '}'
      into v_list, v_days
      from jsonb_array_elements(filter_condition.operand) e,
           lateral (
             select nullif(braid_store.filter_bound(v_kind, '$lte', e.value), e.value) #>> '{}' as last
             where v_kind = 'timestamptz'
             union all
             select null where v_kind <> 'timestamptz'
           ) d
      where e.value <> 'null';
      v_test := format('%s = any (%s)', v_field, v_list);
      if v_days is not null then
        v_test := format('(%s or %s <@ %L::tstzmultirange)', v_test, v_field, v_days);
      end if;
      if v_kind = 'jsonb' then
        -- "= any" is hashed. Only stored arrays need the slower "contains any".
        v_test := format('(%s or jsonb_typeof(%s) = ''array'' and %s @> any (%s))', v_test, v_field, v_field, v_list);
      end if;
      if filter_condition.operand @> 'null' then
        v_test := format('(%s or %s)', v_test, v_absent);
      end if;

    when filter_condition.operator in ('$like', '$ilike') then
      v_test := braid_store.filter_pattern(filter_condition.key, v_kind, v_field, filter_condition.operator,
                                           filter_condition.operand);

    else
      v_test := braid_store.filter_range(filter_condition.key, v_kind, v_field, filter_condition.operand);
  end case;

  -- If a chunk has several speakers, its column speaker names all of them, and its metadata lists them.
  if filter_condition.key = 'speaker' and filter_condition.operator <> '$exists' and filter_condition.operand <> 'null'
    then
    v_test := format('(%s or %s and %s)', v_test, braid_store.speaks_with_others(), braid_store.filter_condition(
      'metadata.speakers', case filter_condition.operator when '$ne' then '$eq' when '$nin' then '$in'
                                                          else filter_condition.operator end,
      case when filter_condition.operator in ('$in', '$nin')
           then jsonb_path_query_array(filter_condition.operand, 'strict $[*] ? (@ != null)')
           else filter_condition.operand end,
      filter_condition.tenant_id, filter_condition.collection_id));
  end if;
  if filter_condition.key in ('external_id', 'source_uri') then
    -- offset 0 is a fence: without it, the planner would read, for each chunk, all documents that match, not only the
    -- chunk's own.
    v_test := format('exists (select from (select d.* from braid_store.documents d '
                     'where d.tenant_id = %s and d.id between c.document_id and c.document_id order by d.id offset 0) '
                       'd '
                     'where d.collection_id = %s and %s)',
                     filter_condition.tenant_id, filter_condition.collection_id, v_test);
  end if;
  -- For a missing key, "is not true" is true, but "not" would be null.
  if filter_condition.operator in ('$ne', '$nin') or filter_condition.operator = '$exists'
                                                     and filter_condition.operand = 'true' then
    v_test := format('(%s) is not true', v_test);
  end if;
  return v_test;
end
$$;
comment on function braid_store.filter_condition(text, text, jsonb, int, int) is
  'Return the SQL condition for one key, operator and operand of a filter. filter_predicate says what the operators '
  'mean.';
