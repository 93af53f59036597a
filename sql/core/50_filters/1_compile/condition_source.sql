create or replace function braid_store.condition_source(key text, operand jsonb, tenant_id int, collection_id int)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- source_chunk_ids, which runs the returned query, has the same planner settings. A comment below explains them.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  -- With more unindexed chunks than this, reading every chunk is as fast.
  c_max_unindexed constant int := 1000;
  v_operators jsonb := braid_store.indexable_operators(condition_source.operand);
  v_attribute braid_store.indexed_attributes;
  v_type text;
  v_field text;
  v_test record;
  v_key text;
  v_source text;
  v_unindexed int;
begin
  case
    when condition_source.key in ('speaker', 'category') then
      v_type := 'text';
      v_field := format('c.%I', condition_source.key);
    when condition_source.key = 'occurred_at' then
      v_type := 'timestamptz';
      v_field := 'c.occurred_at';
    when condition_source.key = 'external_id' then
      v_type := 'text';
      v_field := 'd.external_id';
    when condition_source.key in ('source_uri', 'language', 'importance') then
      return null;
    else
      select a.* into v_attribute
      from braid_store.indexed_attributes a
      where a.collection_id = condition_source.collection_id and a.removed_at is null
        and a.name = regexp_replace(condition_source.key, E'^metadata\\.', '') collate "C";
      if not found then
        return null;
      end if;
      v_type := 'attribute ' || v_attribute.type;
      v_field := case v_attribute.type when 'number' then 'a.number_value' else 'a.text_value' end;
  end case;

  v_test := braid_store.source_test(condition_source.key, v_type, v_field, v_operators);
  if v_test.condition is null then
    return null;
  elsif v_attribute.id is not null and v_test.operands = '' then
    -- If several elements are within a range, only the first gives the chunk. Unlike with "distinct", the source need
    -- not be read to its end.
    v_test.condition := format(
      '%s and (a.element = 0 or not exists (select from braid_store.chunk_attributes b where b.tenant_id = %s '
      'and b.chunk_id = a.chunk_id and b.attribute_id = %s and b.element < a.element and %s))',
      v_test.condition, condition_source.tenant_id, v_attribute.id,
      (braid_store.source_test(condition_source.key, v_type, overlay(v_field placing 'b' from 1 for 1),
        v_operators)).condition);
  end if;
  -- Each query is ordered by the field and runs with sorting switched off, so exactly one index fits. Otherwise the
  -- planner would use any index that begins with the tenant and collection, because it has no statistics and expects
  -- one row there. Each value has its own look-up, because PostgreSQL 16 would read the whole index for a list.
  v_key := case when v_attribute.id is null and condition_source.key = 'external_id' then 'd.id'
                when v_attribute.id is null then 'c.id' else 'a.chunk_id' end;
  v_source := format(
    'from %s lateral (select %s as id from %s where %s and %s order by %s offset 0) s',
    v_test.operands, v_key,
    case v_key when 'd.id' then 'braid_store.documents d' when 'c.id' then 'braid_store.chunks c'
               else 'braid_store.chunk_attributes a' end,
    case when v_attribute.id is null
         then format('%1$s.tenant_id = %2$s and %1$s.collection_id = %3$s', left(v_key, 1), condition_source.tenant_id,
                     condition_source.collection_id)
         else format('a.tenant_id = %s and a.attribute_id = %s', condition_source.tenant_id, v_attribute.id) end,
    v_test.condition, v_field);
  if condition_source.key = 'speaker' then
    -- The index does not find each of several speakers, so chunks with several speakers are added to the source.
    execute format('select count(*) from (select from braid_store.chunks c where c.tenant_id = $1 and c.collection_id '
      '= $2 and %s '
                   'order by c.speaker using ~<~ limit $3) c', braid_store.speaks_with_others())
      into v_unindexed using condition_source.tenant_id, condition_source.collection_id, c_max_unindexed + 1;
    return case
      when v_unindexed = 0 then 'select s.id ' || v_source
      when v_unindexed <= c_max_unindexed then
        format('select s.id %s union select c.id from (select c.id from braid_store.chunks c where c.tenant_id = %s '
               'and c.collection_id = %s and %s order by c.speaker using ~<~ offset 0) c',
               v_source, condition_source.tenant_id, condition_source.collection_id, braid_store.speaks_with_others())
    end;
  elsif v_key = 'c.id' then
    -- A midnight belongs to the ranges of two days, so a chunk may be found twice.
    return case when condition_source.key = 'occurred_at' and v_operators ? '$in' then 'select distinct s.id '
      else 'select s.id ' end
           || v_source;
  elsif v_key = 'd.id' then
    return format('select c.id %s, lateral (select c.id from braid_store.chunks c '
                  'where c.tenant_id = %s and c.document_id between s.id and s.id order by c.document_id offset 0) c',
                  v_source, condition_source.tenant_id);
  end if;

  -- Several elements of a stored array may be among the operands, so a chunk may be found twice.
  v_source := case when v_operators ? '$in' then 'select distinct s.id ' else 'select s.id ' end || v_source;
  select count(*) into v_unindexed
  from (
    select from braid_store.chunks c
    where c.tenant_id = condition_source.tenant_id and c.collection_id = condition_source.collection_id
      and c.attribute_version < v_attribute.id
    order by c.attribute_version
    limit c_max_unindexed + 1
  ) c;
  return case
    when v_unindexed = 0 then v_source
    when v_unindexed <= c_max_unindexed then
      format('%s union select c.id from (select c.id from braid_store.chunks c where c.tenant_id = %s '
             'and c.collection_id = %s and c.attribute_version < %s order by c.attribute_version offset 0) c',
             v_source, condition_source.tenant_id, condition_source.collection_id, v_attribute.id)
  end;
end
$$;

comment on function braid_store.condition_source(text, jsonb, int, int) is
  'Return a query that finds candidates for one key of a filter by an index, or null if no index helps. The query '
  'gives ids of chunks, each once. All chunks that match are among them, and perhaps others, so the caller must test '
  'them with the filter. Chunks that braid.maintain() has not indexed yet are always among them.';
