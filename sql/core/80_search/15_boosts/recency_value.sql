create or replace function braid_store.recency_value(place bigint, recency jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_half_life float8;
  v_offset float8;
  v_function text := coalesce(nullif(recency -> 'function', 'null') #>> '{}', 'exponential');
  v_origin text := nullif(recency -> 'origin', 'null') #>> '{}';
  v_half_lives text;
begin
  perform braid_store.boost_keys(place, recency, '{half_life,function,origin,offset}');
  v_half_life := braid_store.boost_seconds(place, recency, 'half_life', null, 0.001);
  v_offset := braid_store.boost_seconds(place, recency, 'offset', 0, 0);
  if v_function not in ('exponential', 'gaussian') then
    perform braid_store.boost_error(place, 'function', recency -> 'function', 'Use exponential or gaussian.');
  elsif v_origin is not null
        and (jsonb_typeof(recency -> 'origin') <> 'string' or v_origin !~ E'^\\d{4,6}-\\d{2}-\\d{2}([T ]\\d|$)'
             or not pg_input_is_valid(v_origin, 'timestamptz')) then
    perform braid_store.boost_error(place, 'origin', recency -> 'origin',
                                    'Use an ISO 8601 string, such as "2026-05-01T00:00:00Z".');
  end if;
  v_half_lives := format(
    'greatest(abs(%L::float8 - extract(epoch from c.occurred_at)::float8) - %L::float8, 0) / %L::float8',
    extract(epoch from coalesce(v_origin::timestamptz, now()))::float8, v_offset, v_half_life);
  -- The value stays at or above 2^-60, because the product of several boosts must stay in the range of float8. The test
  -- for null is needed because greatest() and least() ignore nulls.
  return format('case when c.occurred_at is not null then power(0.5::float8, least(%s, 60)) end',
                case v_function when 'gaussian' then format('power(%s, 2)', v_half_lives) else v_half_lives end);
end
$$;

comment on function braid_store.recency_value(bigint, jsonb) is
  'Return the SQL expression of a recency boost''s value, on braid_store.chunks c. The value is 1 up to offset '
  'before or after origin (by default now). Beyond that it halves with every half-life: 0.5 ^ half-lives '
  '(exponential) or 0.5 ^ half-lives² (gaussian), down to 2^-60. It is null if the chunk has no occurred_at.';
