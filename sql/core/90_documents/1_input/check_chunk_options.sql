create or replace function braid_store.check_chunk_options(documents jsonb, collection braid_store.collections)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  select left(d.value ->> 'external_id', 100) as external_id, left(d.value ->> 'format', 100) as format into v_wrong
  from jsonb_array_elements(check_chunk_options.documents) d
  where d.value ->> 'format' not in ('text', 'markdown')
  limit 1;
  if found then
    raise exception 'format of document "%" is ''%''', v_wrong.external_id, v_wrong.format
      using errcode = '22023', hint = 'Use text or markdown, or leave it out for text.';
  end if;
  select o.* into v_wrong
  from (
    select left(d.value ->> 'external_id', 100) as external_id, (d.value ->> 'chunk_tokens')::numeric as chunk_tokens,
           (d.value ->> 'overlap_tokens')::numeric as overlap_tokens
    from jsonb_array_elements(check_chunk_options.documents) d
    where d.value ?| '{chunk_tokens,overlap_tokens}'
  ) d,
  lateral (values
    ('chunk_tokens', d.external_id, d.chunk_tokens, 16::numeric, check_chunk_options.collection.chunk_tokens::numeric),
    ('overlap_tokens', d.external_id, d.overlap_tokens, 0,
     trunc(coalesce(d.chunk_tokens, check_chunk_options.collection.chunk_tokens) / 2))
  ) o (key, external_id, value, least, most)
  where o.value not between o.least and o.most or o.value <> trunc(o.value)
  limit 1;
  if found then
    raise exception '% of document "%" is %', v_wrong.key, v_wrong.external_id, left(v_wrong.value::text, 100)
      using errcode = '22023',
            hint = format('Give a whole number from %s to %s, which is %s.', v_wrong.least, v_wrong.most,
                          case v_wrong.key when 'chunk_tokens' then 'the collection''s own value'
                                           else 'half of chunk_tokens' end);
  end if;
end
$$;

comment on function braid_store.check_chunk_options(jsonb, braid_store.collections) is
  'Raise 22023 for a format, chunk_tokens or overlap_tokens of a document that its collection cannot have.';
