-- role: service, monitor
-- page: guide/monitoring.md#what-waits
create or replace view braid.outbox
with (security_invoker = true)
as
select o.* from braid_store.list_outbox() o;

-- For the reason given in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.outbox
for each row execute function braid_store.refuse_view_change('braid.claim_embedding_jobs');

comment on view braid.outbox is
  'The chunks that wait for their embedding, and for how long: a row for each tenant, collection and model that has '
  'some. Only administrators, services and monitors may call it.';
comment on column braid.outbox.tenant is 'The key of the tenant.';
comment on column braid.outbox.collection is 'The collection.';
comment on column braid.outbox.embedding_model is 'The model whose vector they wait for.';
comment on column braid.outbox.waiting_count is 'How many chunks wait, those that a worker has claimed among them.';
comment on column braid.outbox.claimable_count is 'How many of these a worker can claim now.';
comment on column braid.outbox.failed_count is 'How many of these have failed and are tried again.';
comment on column braid.outbox.abandoned_count is 'How many chunks were given up: they are not among those that wait.';
comment on column braid.outbox.oldest_at is
  'When the oldest of those that wait was written, or when the model change began that it waits for.';
comment on column braid.outbox.age is 'How long that is ago.';
