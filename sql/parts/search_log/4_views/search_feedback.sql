-- role: writer
-- page: guide/search-log.md
create or replace view braid.search_feedback
with (security_invoker = true)
as
select f.search_id, c.name as collection, f.external_id, f.kind, f.value, f.rank, f.login, f.recorded_at
from braid_store.search_feedback f
join braid_store.collections c on c.id = f.collection_id
where f.tenant_id = (select braid.current_tenant_id());

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_feedback
for each row execute function braid_store.refuse_view_change('braid.record_feedback');

comment on view braid.search_feedback is
  'Feedback on results of logged searches of the session''s tenant. Only writers may read it.';
comment on column braid.search_feedback.search_id is 'The id of the search, as in braid.search_log.';
comment on column braid.search_feedback.collection is 'The collection that was searched.';
comment on column braid.search_feedback.external_id is 'The document that the feedback is about.';
comment on column braid.search_feedback.kind is 'click, dwell, rating or used_in_answer.';
comment on column braid.search_feedback.value is 'The seconds for dwell, the rating for rating, and 1 for other kinds.';
comment on column braid.search_feedback.rank is
  'The document''s rank among the search''s results, from 1; null if it was not among the first 100.';
comment on column braid.search_feedback.login is 'The login that recorded the feedback.';
comment on column braid.search_feedback.recorded_at is 'The time at which the feedback was recorded or last changed.';
