create or replace function braid_store.wrong_ranking_setting(
  ranking jsonb,
  out key text,
  out value jsonb,
  out is_known boolean,
  out hint text
)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select r.key, r.value, s.name is not null,
         coalesce(s.hint, braid_store.absent_part_hint('settings', r.key), 'The keys are: '
                          || (select string_agg(k.name, ', ' order by k.name)
                            from braid_store.known_ranking_settings() k) || '.')
  from jsonb_each(wrong_ranking_setting.ranking) r
  left join braid_store.known_ranking_settings() s on s.name = r.key
  where case
          -- A setting of a part that is not installed may be null, because the collection ranks without it.
          when s.name is null then r.value <> 'null' or braid_store.absent_part_hint('settings', r.key) is null
          when r.value = 'null' then not s.is_nullable
          when s.least_value is not null
            then case when not braid_store.is_number(r.value, s.least_value, s.greatest_value) then true
                      -- Other weights could exceed the range of float8 in a product.
                      when r.key in ('full_text_weight', 'semantic_weight', 'sparse_weight', 'k1', 'b', 'title_weight')
                        then not braid_store.is_weight((r.value #>> '{}')::float8)
                      else false end
          when jsonb_typeof(r.value) <> 'string' then true
          when s.words is not null then r.value #>> '{}' <> all (s.words)
          else octet_length(r.value #>> '{}') not between 1 and 255
        end
  order by r.key
  limit 1;
$$;

comment on function braid_store.wrong_ranking_setting(jsonb) is
  'Return the first key of an object, in the order of keys, that no ranking has or whose value is wrong, with a hint '
  'for the error. is_known: false if no ranking has the key. All columns are null if every key is right.';
