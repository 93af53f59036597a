-- role: administrator
-- example: braid.set_document_defaults(collection => 'small', overlap_tokens => 4)
-- page: documents.md#collections
create or replace function braid.set_document_defaults(
  collection text,
  overlap_tokens int default null,
  default_occurred_at text default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_document_defaults(set_document_defaults.collection, set_document_defaults.overlap_tokens,
                                              set_document_defaults.default_occurred_at);
$$;

comment on function braid.set_document_defaults(text, int, text) is
  E'Says what documents of a collection get that do not say it themselves, from the next write on.\n'
  'An argument that is null, as by default, keeps its setting. overlap_tokens: how many tokens of a chunk the next one repeats at '
  'most, 0 to half of chunk_tokens; a tenth of a chunk unless set. default_occurred_at: now gives documents without '
  'occurred_at the time at which they are first written, for memories that are written as things happen; an empty text takes '
  'that away. For administrators.';
