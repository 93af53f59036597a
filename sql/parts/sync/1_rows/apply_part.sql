-- role: service
create or replace function braid_store.apply_part(
  synced braid_store.synced_tables,
  collection text,
  documents jsonb,
  gone_ids text[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_taken text[];
begin
  if gone_ids <> '{}' then
    perform braid.delete_documents(
      braid_store.disown_rows(synced.id, synced.collection_id, gone_ids), apply_part.collection);
  end if;
  if documents <> '[]' then
    v_taken := braid_store.own_rows(
      synced.id, synced.collection_id,
      array(select d.value ->> 'external_id' from jsonb_array_elements(documents) d));
    if v_taken <> '{}' then
      raise exception 'document "%" is a row of another table', left(v_taken[1], 100)
        using errcode = '22023', hint = 'Give each table a collection of its own.';
    end if;
    perform from braid.upsert_documents(documents, apply_part.collection);
  end if;
end
$$;

comment on function braid_store.apply_part(braid_store.synced_tables, text, jsonb, text[]) is
  'Write the documents of a synced table''s rows and delete the documents of deleted rows, for the tenant that the '
  'session acts for.';
