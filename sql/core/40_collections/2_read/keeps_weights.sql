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
  'Tell whether the weights that were chosen for a fusion also count for another one: convex and dbsf divide them by '
  'their sum, rrf and max do not. True if asked_fusion is null.';
