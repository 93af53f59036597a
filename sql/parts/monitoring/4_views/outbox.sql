-- role: service, monitor
-- page: guide/monitoring.md#what-waits
create or replace view braid.outbox
with (security_invoker = true)
as
select o.* from braid_store.list_outbox() o;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.outbox
for each row execute function braid_store.refuse_view_change('braid.claim_embedding_jobs');

comment on view braid.outbox is
  'The chunks that wait for their embedding, and for how long: one row for each tenant, collection and model with '
  'such chunks. Only administrators, services and monitors may read it.';
comment on column braid.outbox.tenant is 'The key of the tenant.';
comment on column braid.outbox.collection is 'The name of the collection.';
comment on column braid.outbox.embedding_model is 'The embedding model that the chunks wait for.';
comment on column braid.outbox.waiting_count is
  'The number of chunks that wait, including chunks that a worker has claimed.';
comment on column braid.outbox.claimable_count is 'The number of waiting chunks that a worker can claim now.';
comment on column braid.outbox.failed_count is 'The number of waiting chunks that have failed and are tried again.';
comment on column braid.outbox.abandoned_count is 'The number of chunks given up; waiting_count does not include them.';
comment on column braid.outbox.oldest_at is
  'The time at which the oldest waiting chunk was written, or at which the model change that it waits for began.';
comment on column braid.outbox.age is 'The time since oldest_at.';
