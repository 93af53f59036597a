create or replace function braid_store.extend_health_static_embeddings(older_than interval, shows_messages boolean)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select 'warning', 'static_embedder_missing', format('collection %s', c.name),
         format('Its static embedder %s %s.', c.parts ->> 'static_embedder',
                case when e.id is null then 'does not exist'
                     else format('does not make vectors of %s with %s dimensions', s.embedding_model,
                                 s.dimensions) end),
         'Searches that give only a text find it by full text alone.',
         case when e.id is null then 'pgbraid static-embedder'
              else format('select %s(%s, ''{"static_embedder": null}'');', 'braid.set_ranking',
                          braid_calls.line_literal(c.name)) end
  from braid_store.collections c
  join braid_store.vector_spaces s on s.id = c.vector_space_id
  left join braid_store.static_embedders e on e.name = c.parts ->> 'static_embedder'
  where c.parts ->> 'static_embedder' is not null
    and (braid_store.fitting_embedder(c.parts ->> 'static_embedder', c.vector_space_id)).id is null
  union all
  select 'advice', 'static_embedder_unused', format('collection %s', c.name),
         format('Its documents get vectors of the static embedder %s, but its queries do not.', e.name),
         'Searches that give only a text find it by full text alone.',
         format('select %s(%s, %s);', 'braid.set_ranking', braid_calls.line_literal(c.name),
                braid_calls.line_literal(jsonb_build_object('static_embedder', e.name)::text))
  from braid_store.collections c
  join braid_store.vector_spaces s on s.id = c.vector_space_id
  join braid_store.static_embedders e on e.name = s.embedding_model and e.dimensions = s.dimensions
  where c.parts ->> 'static_embedder' is null;
end
$$;

comment on function braid_store.extend_health_static_embeddings(interval, boolean) is
  'Find collections whose static embedder is missing, does not fit, or is not used for queries.';
