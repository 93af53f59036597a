-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_document_defaults(
  collection text,
  overlap_tokens int,
  default_occurred_at text
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(update_document_defaults.collection);
begin
  v_collection := braid_store.lock_definition(v_collection);
  if update_document_defaults.overlap_tokens not between 0 and v_collection.chunk_tokens / 2 then
    raise exception 'overlap_tokens is ''%''', update_document_defaults.overlap_tokens
      using errcode = '22023',
            hint = format('Use 0 to %s, half of the collection''s chunk_tokens.', v_collection.chunk_tokens / 2);
  elsif update_document_defaults.default_occurred_at not in ('now', '') then
    raise exception 'default_occurred_at is ''%''', left(update_document_defaults.default_occurred_at, 100)
      using errcode = '22023', hint = 'Use now, or an empty text for no time.';
  end if;
  update braid_store.collections c
  set overlap_tokens = coalesce(update_document_defaults.overlap_tokens, c.overlap_tokens),
      default_occurred_at = nullif(coalesce(update_document_defaults.default_occurred_at, c.default_occurred_at), '')
  where c.id = v_collection.id;
end
$$;

comment on function braid_store.update_document_defaults(text, int, text) is
  'Does the work of braid.set_document_defaults.';
