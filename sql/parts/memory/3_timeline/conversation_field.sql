create or replace function braid_store.conversation_field(conversation_key text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case
    when conversation_field.conversation_key is null then 'null::jsonb'
    when conversation_field.conversation_key in ('speaker', 'category', 'language') then
      format('to_jsonb(c.%I)', conversation_field.conversation_key)
    -- A list or an object cannot name a conversation.
    else format('case when jsonb_typeof(%1$s) in (''string'', ''number'', ''boolean'') then %1$s end',
                braid_store.filter_metadata_field(conversation_field.conversation_key))
  end;
$$;

comment on function braid_store.conversation_field(text) is
  'Return the SQL expression, on braid_store.chunks c, for the conversation of a chunk. Its value is null if the '
  'chunk''s document is the conversation.';
