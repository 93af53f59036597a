create or replace function braid_store.refuse_list(query_text text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- PostgREST turns an array of texts into JSON text of this form.
  if query_text ~ E'^\\s*\\[\\s*(?:"|\\])' and octet_length(query_text) <= 1000000 and pg_input_is_valid(query_text,
    'jsonb') then
    if not jsonb_path_exists(query_text::jsonb, '$[*] ? (@.type() != "string")') then
      raise exception 'query_text is an array of % texts', jsonb_array_length(query_text::jsonb)
        using errcode = '22023',
              hint = 'Give one text, or call braid.multi_search for several texts. If the array itself is the text '
                     'to search for, give the option {"operators": false}.';
    end if;
  end if;
end
$$;

comment on function braid_store.refuse_list(text) is
  'Raise 22023 for a query text that is a JSON array of texts: several queries were sent as one.';
