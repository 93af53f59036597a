create or replace view braid.model_migrations
with (security_invoker = true)
as
select c.name as collection, m.state, f.embedding_model as from_model, f.dimensions as from_dimensions,
       f.distance as from_distance, t.embedding_model as to_model, t.dimensions as to_dimensions,
       t.distance as to_distance, m.is_enqueued, m.started_at, m.cut_over_at
from braid_store.model_migrations m
join braid_store.collections c on c.id = m.collection_id
join braid_store.vector_spaces f on f.id = m.from_space_id
join braid_store.vector_spaces t on t.id = m.to_space_id;

-- As of braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.model_migrations
for each row execute function braid_store.refuse_view_change('braid.start_model_migration');

comment on view braid.model_migrations is
  'The model migrations that are running: filling, paused or cut_over. is_enqueued: every chunk has a vector of the new '
  'model or waits for one.';
