create or replace function braid_store.refuse_sparse(
  options braid_store.search_options,
  sparse_weight float8,
  may_be_sparse boolean,
  has_other_legs boolean
)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if not may_be_sparse then
    raise exception 'option sparse has no meaning for a search by one other leg'
      using errcode = '22023', hint = 'Use hybrid_search, search_json, explain_search, recall or assemble_context.';
  elsif options.prefilter then
    raise exception 'options sparse and prefilter do not go together'
      using errcode = '22023', hint = 'Leave out sparse or prefilter: prefilter only orders full-text results by '
                                      'similarity.';
  elsif sparse_weight = 0 and not has_other_legs then
    raise exception 'sparse_weight is 0, and there is no other leg'
      using errcode = '22023', hint = 'Give a text, an embedding, or a sparse_weight above 0.';
  end if;
end
$$;

comment on function braid_store.refuse_sparse(braid_store.search_options, float8, boolean, boolean) is
  'Raise 22023 if the terms that the option sparse gives cannot be searched for. may_be_sparse: whether the function '
  'that is called has a sparse leg. has_other_legs: whether there is a text or an embedding.';
