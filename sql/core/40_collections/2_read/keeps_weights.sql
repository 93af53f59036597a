create or replace function braid_store.keeps_weights(fusion text, asked_fusion text)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((keeps_weights.fusion in ('rrf', 'max')) = (keeps_weights.asked_fusion in ('rrf', 'max')), true);
$$;

comment on function braid_store.keeps_weights(text, text) is
  'Tell whether weights chosen for one fusion also suit another: convex and dbsf divide weights by their sum, rrf '
  'and max do not. Return true if asked_fusion is null.';
