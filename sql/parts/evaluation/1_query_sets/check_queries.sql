create or replace function braid_store.check_queries(queries jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_queries constant int := 10000;
  c_max_bytes constant int := 64000000;
  c_max_text constant int := 1000000;
  v_wrong record;
begin
  if jsonb_typeof(check_queries.queries) is distinct from 'array' then
    raise exception 'queries is %', coalesce('a JSON ' || jsonb_typeof(check_queries.queries), 'null')
      using errcode = '22023', hint = 'Send a JSON array, such as [{"query_id": "1", "text": "price objections"}].';
  elsif jsonb_array_length(check_queries.queries) > c_max_queries or pg_column_size(check_queries.queries) > c_max_bytes
    then
    raise exception 'queries has % elements and % bytes; at most % and % are taken',
      jsonb_array_length(check_queries.queries),
                    pg_column_size(check_queries.queries), c_max_queries, c_max_bytes
      using errcode = '54000', hint = 'Send batches of about 1000 queries.';
  end if;

  select q.ordinality, left(q.value ->> 'query_id', 100) as query_id, p.problem into v_wrong
  from jsonb_array_elements(check_queries.queries) with ordinality q,
       lateral (
         select case
           when jsonb_typeof(q.value) <> 'object' then 'is no object'
           when (jsonb_typeof(q.value -> 'query_id') = 'string'
                 and octet_length(q.value ->> 'query_id') between 1 and 512) is not true
             then 'has no query_id, a string of 1 to 512 bytes'
           when q.value - '{query_id,text,embedding,filters}'::text[] <> '{}'
             then format('has the unknown key "%s"', (
               select left(min(k), 100)
                 from jsonb_object_keys(q.value - '{query_id,text,embedding,filters}'::text[]) k))
           when (jsonb_typeof(q.value -> 'text') = 'string' and q.value ->> 'text' <> ''
                 and octet_length(q.value ->> 'text') <= c_max_text) is not true
             then format('has no text, a string of 1 to %s bytes', c_max_text)
           when jsonb_typeof(q.value -> 'filters') not in ('object', 'null') then 'has filters that are no object'
           when jsonb_typeof(q.value -> 'embedding') not in ('array', 'string', 'null')
             then 'has an embedding that is no array of numbers'
         end as problem
         offset 0
       ) p
  where p.problem is not null
  order by q.ordinality
  limit 1;
  if found then
    raise exception 'query %', concat(v_wrong.ordinality, ' ("' || v_wrong.query_id || '")', ' ', v_wrong.problem)
      using errcode = '22023',
            hint = 'A query is an object: {"query_id": "1", "text": "price objections"}. embedding and filters are '
                   'optional.';
  end if;

  select q.value ->> 'query_id' as query_id into v_wrong
  from jsonb_array_elements(check_queries.queries) q
  group by 1
  having count(*) > 1
  order by 1
  limit 1;
  if found then
    raise exception 'query "%" comes twice', left(v_wrong.query_id, 100)
      using errcode = '22023', hint = 'Give each query_id once in a call.';
  end if;
end
$$;

comment on function braid_store.check_queries(jsonb) is
  'Check queries for a query set. Raise 22023 if their form is wrong, and 54000 for too many.';
