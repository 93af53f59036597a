create or replace function braid_store.check_timeline_arguments(
  match_count int,
  context_before int,
  context_after int,
  conversation_key text
)
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
  select * into v_wrong
  from (values
    ('match_count', match_count::text, match_count between 1 and 10000, 'Use 1 to 10000.'),
    ('context_before', context_before::text, context_before between 0 and 1000, 'Use 0 to 1000 turns.'),
    ('context_after', context_after::text, context_after between 0 and 1000, 'Use 0 to 1000 turns.'),
    ('conversation_key', left(conversation_key, 100),
     conversation_key is null
     or conversation_key <> '' and conversation_key not in ('external_id', 'source_uri', 'importance', 'occurred_at'),
     'Use a metadata key, speaker, category or language, or null: each document is a conversation.')
  ) argument (name, value, is_valid, hint)
  where argument.is_valid is not true;
  if found then
    raise exception '% is %', v_wrong.name, coalesce('''' || v_wrong.value || '''', 'null')
      using errcode = '22023', hint = v_wrong.hint;
  end if;
end
$$;

comment on function braid_store.check_timeline_arguments(int, int, int, text) is
  'Raise 22023, naming the argument, for a value that a timeline cannot use.';
