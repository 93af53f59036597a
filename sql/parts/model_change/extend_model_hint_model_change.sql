create or replace function braid_store.extend_model_hint_model_change(collection_id int)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format('A model change from %s (%s dimensions) to %s (%s) is running: searches use %s.',
                f.embedding_model, f.dimensions, t.embedding_model, t.dimensions,
                case m.state when 'cut_over' then 'the new model since the cut-over'
                             else 'the old model until the cut-over' end)
  from braid_store.model_changes m
  join braid_store.vector_spaces f on f.id = m.from_space_id
  join braid_store.vector_spaces t on t.id = m.to_space_id
  where m.collection_id = extend_model_hint_model_change.collection_id;
$$;

comment on function braid_store.extend_model_hint_model_change(int) is
  'Return a sentence for a hint about a collection''s running model change: the old model, the new model, and the '
  'one searches use. Return null if none is running.';
