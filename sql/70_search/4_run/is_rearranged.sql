create or replace function braid_store.is_rearranged(options jsonb)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if options is null then
    return false;
  end if;
  return exists (
    select
    from jsonb_each(case jsonb_typeof(is_rearranged.options) when 'object' then is_rearranged.options else '{}' end) o
    where o.value not in ('null', '[]', 'false')
      and o.key not in ('correct', 'ef_search', 'embedding_model', 'exact', 'explain', 'full_text_min_score', 'language',
                        'normalisation', 'operators', 'semantic_min_score', 'snippet', 'statistics_scope'));
end
$$;

comment on function braid_store.is_rearranged(jsonb) is
  'Whether a search''s options may put rows in another order, or leave some out: then match_count candidates are too few.';
