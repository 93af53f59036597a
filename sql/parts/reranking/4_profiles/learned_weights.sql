create or replace function braid_store.learned_weights(
  tenant_id int,
  liked_ids bigint[],
  disliked_ids bigint[],
  keys text[]
)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  c_most_values constant int := 16;
  c_most_chunks constant int := 100;
  c_longest constant int := 255;
  -- The ratio is the same as in Rocchio's formula: 0.15 / 0.75.
  c_disliked constant float8 := 0.2;
  v_key text;
  v_weights jsonb;
  v_learned jsonb := '{}';
begin
  if cardinality(liked_ids) = 0 then
    return v_learned;
  end if;
  for v_key in select distinct k collate "C" from unnest(learned_weights.keys) k order by 1 loop
    execute format($query$
      select coalesce(jsonb_object_agg(w.value, w.weight), '{}')
      from (
        select s.value,
               trim_scale(round((s.liked / cardinality($2)::float8
                      - coalesce($4 * s.disliked / nullif(cardinality($3), 0), 0))::numeric, 4)) as weight
        from (
          select v.value, count(distinct d.id) filter (where d.is_liked) as liked,
                 count(distinct d.id) filter (where not d.is_liked) as disliked
          from (
            select id, true as is_liked from unnest($2) id
            union all
            select id, false from unnest($3) id
          ) d,
          lateral (
            select %s as field from braid_store.chunks c
            where c.tenant_id = $1 and c.document_id = d.id and c.chunk_index < $5
            offset 0
          ) c,
          lateral (
            select (e.value #>> '{}') collate "C" as value
            from jsonb_array_elements(case jsonb_typeof(c.field) when 'array' then c.field
                                                                 else jsonb_build_array(c.field) end) e
            where jsonb_typeof(e.value) not in ('object', 'array', 'null')
          ) v
          where octet_length(v.value) between 1 and $6
          group by v.value
        ) s
        order by abs(s.liked / cardinality($2)::float8
                     - coalesce($4 * s.disliked / nullif(cardinality($3), 0), 0)) desc, s.value
        limit $7
      ) w
      where w.weight <> 0
      $query$,
      case when v_key in ('category', 'speaker', 'language') then format('to_jsonb(c.%I)', v_key)
           else braid_store.filter_metadata_field(v_key) end)
    into v_weights
    using tenant_id, liked_ids, disliked_ids, c_disliked, c_most_chunks, c_longest, c_most_values;
    if v_weights <> '{}' then
      v_learned := v_learned || jsonb_build_object(v_key, v_weights);
    end if;
  end loop;
  return v_learned;
end
$$;

comment on function braid_store.learned_weights(int, bigint[], bigint[], text[]) is
  E'Return weights of attributes for a profile, with up to 16 values for each key.\n'
  'The weight of a value is the share of the liked documents that have it - 0.2 × the share of the disliked '
  'documents that have it. Numbers and booleans count by their text. Values longer than 255 bytes do not count, nor '
  'do chunks after the first 100 of a document.';
