-- depends: 0042.filters_in_lists

-- Letters that are one to a reader are one to the full-text index now: those of Arabic keyboards, apostrophes, digits. What was
-- indexed before has them as they were written.

alter table braid_store.due_parts drop constraint due_parts_task_check;
alter table braid_store.due_parts add constraint due_parts_task_check
    check (task in ('visit', 'move_vectors', 'index_attributes', 'rebuild_index'));
comment on table braid_store.due_parts is
    'The tenants'' parts of collections that maintenance is to look at: visit, as something was written; move_vectors and '
    'index_attributes, as a visit found that to do; rebuild_index, as an upgrade has changed the tokens of some of its texts. A '
    'writer who finds a visit noted, with nobody at it, adds none. Maintenance may therefore take a note away only when the '
    'writers who may have found it have ended: until then it awaits them.';

-- Parts whose texts may have such letters. Lexemes of full text are few beside the texts; segments of sparse terms have ids below 0.
insert into braid_store.due_parts (tenant_id, collection_id, task)
select distinct p.tenant_id, p.collection_id, 'rebuild_index'
from braid_store.postings p
where p.segment_id > 0
  and octet_length(p.lexeme) > length(p.lexeme)
  and p.lexeme ~ E'[\\u00fe\\u02b9\\u02bb\\u02bd-\\u02bf\\u0559-\\u058a\\u0590-\\u06ff\\u093c\\u0958-\\u095f\\u09e6-\\u09ef\\u0a66-\\u0a6f\\u0ae6-\\u0aef\\u0b66-\\u0b6f\\u0be6-\\u0bef\\u0c66-\\u0c6f\\u0ce6-\\u0cef\\u0d66-\\u0d6f\\ua78c]';
