-- role: reader, definer
-- page: guide/change-embedding-model.md
create or replace view braid.model_changes
with (security_invoker = true)
as
select c.name as collection, m.state, f.embedding_model as from_model, f.dimensions as from_dimensions,
       f.distance as from_distance, t.embedding_model as to_model, t.dimensions as to_dimensions,
       t.distance as to_distance, m.is_enqueued, m.started_at, m.cut_over_at
from braid_store.model_changes m
join braid_store.collections c on c.id = m.collection_id
join braid_store.vector_spaces f on f.id = m.from_space_id
join braid_store.vector_spaces t on t.id = m.to_space_id;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.model_changes
for each row execute function braid_store.refuse_view_change('braid.start_model_change');

comment on view braid.model_changes is
  'The model changes that are running.';
comment on column braid.model_changes.collection is 'The collection that changes its embedding model.';
comment on column braid.model_changes.state is
  'filling: the new vectors are being made. paused: no new vectors are being made. cut_over: searches use the new '
  'vectors.';
comment on column braid.model_changes.from_model is 'The old embedding model.';
comment on column braid.model_changes.from_dimensions is 'The dimensions of the old model''s vectors.';
comment on column braid.model_changes.from_distance is 'The distance function of the old model''s vectors.';
comment on column braid.model_changes.to_model is 'The new embedding model.';
comment on column braid.model_changes.to_dimensions is 'The dimensions of the new model''s vectors.';
comment on column braid.model_changes.to_distance is 'The distance function of the new model''s vectors.';
comment on column braid.model_changes.is_enqueued is
  'Whether every chunk has a new vector or waits for one in the outbox.';
comment on column braid.model_changes.started_at is 'The time at which the model change began.';
comment on column braid.model_changes.cut_over_at is
  'The time at which searches began to use the new vectors; null before.';
