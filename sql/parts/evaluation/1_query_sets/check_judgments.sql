create or replace function braid_store.check_judgments(judgments jsonb, level text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_judgments constant int := 100000;
  c_max_bytes constant int := 64000000;
  v_wrong record;
begin
  if jsonb_typeof(check_judgments.judgments) is distinct from 'array' then
    raise exception 'judgments is %', coalesce('a JSON ' || jsonb_typeof(check_judgments.judgments), 'null')
      using errcode = '22023',
            hint = 'Send a JSON array, such as [{"query_id": "1", "external_id": "call-1", "grade": 2}].';
  elsif jsonb_array_length(check_judgments.judgments) > c_max_judgments
        or pg_column_size(check_judgments.judgments) > c_max_bytes then
    raise exception 'judgments has % elements and % bytes; at most % and % are taken',
                    jsonb_array_length(check_judgments.judgments), pg_column_size(check_judgments.judgments),
                      c_max_judgments,
                    c_max_bytes
      using errcode = '54000', hint = 'Send batches of about 10000 judgments.';
  end if;

  select j.ordinality, p.problem into v_wrong
  from jsonb_array_elements(check_judgments.judgments) with ordinality j,
       lateral (
         select case
           when jsonb_typeof(j.value) <> 'object' then 'is no object'
           when j.value - '{query_id,external_id,chunk_index,grade,judge}'::text[] <> '{}'
             then format('has the unknown key "%s"', (
               select left(min(k), 100)
               from jsonb_object_keys(j.value - '{query_id,external_id,chunk_index,grade,judge}'::text[]) k))
           when (jsonb_typeof(j.value -> 'query_id') = 'string' and j.value ->> 'query_id' <> '') is not true
             then 'has no query_id, a string'
           when (jsonb_typeof(j.value -> 'external_id') = 'string'
                 and octet_length(j.value ->> 'external_id') between 1 and 1024) is not true
             then 'has no external_id, a string of 1 to 1024 bytes'
           when not j.value ? 'grade'
                or j.value -> 'grade' <> 'null' and not (braid_store.is_number(j.value -> 'grade', -1000, 1000)
                   and (j.value ->> 'grade')::numeric % 1 = 0)
             then format('has the grade %s', coalesce(left(j.value ->> 'grade', 100), 'null'))
           when jsonb_typeof(j.value -> 'judge') not in ('string', 'null')
                or octet_length(j.value ->> 'judge') not between 1 and 255
             then 'has a judge that is no string of 1 to 255 bytes'
           when level = 'document' and jsonb_typeof(j.value -> 'chunk_index') <> 'null'
             then 'has a chunk_index, and the query set is of documents'
           when level = 'chunk' and not (coalesce(braid_store.is_number(j.value -> 'chunk_index', 0, 2147483647), false)
                and (j.value ->> 'chunk_index')::numeric % 1 = 0)
             then 'has no chunk_index, and the query set is of chunks'
         end as problem
         offset 0
       ) p
  where p.problem is not null
  order by j.ordinality
  limit 1;
  if found then
    raise exception 'judgment % %', v_wrong.ordinality, v_wrong.problem
      using errcode = '22023',
            hint = 'A judgment is an object: {"query_id": "1", "external_id": "call-1", "grade": 2}. judge is '
                   'optional; a query set of chunks needs chunk_index as well. A grade is a whole number from -1000 '
                   'to 1000, or null to remove it.';
  end if;

  select j.value ->> 'query_id' as query_id, j.value ->> 'external_id' as external_id into v_wrong
  from jsonb_array_elements(check_judgments.judgments) j
  group by 1, 2, (j.value ->> 'chunk_index')::numeric, coalesce(j.value ->> 'judge', 'default')
  having count(distinct coalesce((j.value ->> 'grade')::numeric, -2000)) > 1
  order by 1, 2
  limit 1;
  if found then
    raise exception 'one judge gives document "%" two grades for query "%"', left(v_wrong.external_id, 100),
                    left(v_wrong.query_id, 100)
      using errcode = '22023', hint = 'Give one grade in a call, or name the judges. A later call replaces the grade.';
  end if;
end
$$;

comment on function braid_store.check_judgments(jsonb, text) is
  'Check judgments for a query set of this level, document or chunk. Raise 22023 if their form is wrong or they '
  'contradict each other, and 54000 for too many.';
