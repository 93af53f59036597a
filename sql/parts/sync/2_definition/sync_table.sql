-- role: administrator
-- example: braid.sync_table(table_name => 'public.another', content => '{body}', tenant => 'default')
-- page: guide/sync.md
create or replace function braid.sync_table(
  table_name text,
  content text[] default null,
  title text default null,
  id text default null,
  speaker text default null,
  occurred_at text default null,
  source_uri text default null,
  category text default null,
  importance text default null,
  language text default null,
  metadata text[] default null,
  collection text default 'default',
  tenant text default null,
  tenant_column text default null,
  filter text default null,
  mode text default 'deferred',
  on_error text default 'keep',
  turns text default null,
  access text default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.start_sync(
    sync_table.table_name,
    jsonb_build_object(
      'id', case when ltrim(sync_table.id) like '{%' and pg_input_is_valid(sync_table.id, 'text[]')
        then to_jsonb(sync_table.id::text[]) else to_jsonb(sync_table.id) end,
      'content', sync_table.content, 'title', sync_table.title, 'speaker', sync_table.speaker,
      'occurred_at', sync_table.occurred_at, 'source_uri', sync_table.source_uri, 'category', sync_table.category,
      'importance', sync_table.importance, 'language', sync_table.language, 'metadata', sync_table.metadata,
      'tenant_column', sync_table.tenant_column, 'filter', sync_table.filter, 'turns', sync_table.turns,
      'access', sync_table.access),
    sync_table.collection, sync_table.tenant, sync_table.mode, sync_table.on_error);
$$;

comment on function braid.sync_table(text, text[], text, text, text, text, text, text, text, text, text[], text, text,
                                     text, text, text, text, text, text) is
  E'Keep the rows of a table of your own as documents, and follow its inserts, updates, deletes and truncates.\n'
  'A trigger notes the rows that a statement changed, in its transaction; braid.apply_changes turns them into '
  'documents, all existing rows first. table_name: names the table, with its schema. content: the columns whose text '
  'is searched, up to 50; several are joined, with an empty line between them. title, speaker, source_uri, category, '
  'language: name one column each. id: the column or columns of the key; null takes the primary key. Their type is '
  'int, bigint, text or uuid. occurred_at: a column of type date, timestamp or timestamptz; timestamp counts as UTC. '
  'importance: a column of numbers. metadata: columns whose names become keys, up to 50; a null value is left out. '
  'tenant: names the tenant of all rows. tenant_column: the column with the key of each row''s tenant, instead of '
  'tenant; a row with null is no document. Tenants must exist, unless set_access has create_tenants. filter: a '
  'boolean column; only rows where it is true become documents. mode: takes deferred or immediate. With immediate, '
  'the trigger itself writes documents where it can, in the transaction that changes the rows. on_error: takes keep '
  'or fail. With keep, no statement on the table fails because of pgbraid; rows that could not be noted are read '
  'again later. turns: the column of a transcript, instead of content. It is json or jsonb with an array of turns as '
  'in upsert_documents, or with an object that has the array. Text has turns such as "Ana: Hello" or "[00:01:02] '
  'Ana: Hello". access: the column with the users and groups that may read a row''s document, as text, text[], or '
  'json with an array. Null lets everyone in the tenant read it, an empty array nobody.\n'
  'Logins that write to the table need no right in pgbraid. A repeated call changes the columns and reads all rows '
  'again; another id is refused until unsync_table has deleted the documents. For administrators who own the table.';
