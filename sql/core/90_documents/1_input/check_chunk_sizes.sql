create or replace function braid_store.check_chunk_sizes(item_lists jsonb[], item_names text[])
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_content constant int := 1000000;
  -- index_chunks applies the same limit. It counts exactly, but only later.
  c_max_words constant int := 32700;
  c_max_key constant int := 1024;
  v_wrong record;
begin
  select l.item_name, c.ordinality, s.* into v_wrong
  from unnest(check_chunk_sizes.item_lists, check_chunk_sizes.item_names) l (items, item_name),
       jsonb_array_elements(l.items) with ordinality c,
       lateral (values
         ('content', octet_length(c.value ->> 'content'), 'bytes', c_max_content),
         ('content', braid_store.least_word_count(c.value ->> 'content', c_max_words), 'words', c_max_words),
         ('speaker', octet_length(c.value ->> 'speaker'), 'bytes', c_max_key),
         ('category', octet_length(c.value ->> 'category'), 'bytes', c_max_key),
         ('language', octet_length(c.value ->> 'language'), 'bytes', c_max_key)
       ) s (name, size, unit, most)
  where s.size > s.most
  limit 1;
  if found then
    raise exception '% of % % has % %, more than %', v_wrong.name, v_wrong.item_name, v_wrong.ordinality, v_wrong.size,
                    v_wrong.unit, v_wrong.most
      using errcode = '54000',
            hint = case v_wrong.name when 'content' then 'Give content without chunks: it is split.'
                                     else 'Shorten it, or put it into the content.' end;
  end if;
end
$$;

comment on function braid_store.check_chunk_sizes(jsonb[], text[]) is
  'Raise 54000 for a chunk with a field that is too long to be stored or indexed. item_lists: arrays of chunks; '
  'item_names: what an error calls a chunk of each list.';
