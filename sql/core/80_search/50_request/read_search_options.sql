create or replace function braid_store.read_search_options(options jsonb)
returns braid_store.search_options
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Rows cannot be grouped by these columns of the results, which are not taken for metadata keys either.
  c_not_grouped constant text[] := array['', 'chunk_id', 'chunk_index', 'content', 'created_at', 'occurred_at', 'score',
    'title',
                                         'token_count'];
  v_read jsonb;
  v_wrong text;
  v_options braid_store.search_options := braid_store.default_options(null, true);
begin
  if options is null or options = '{}' then
    return v_options;
  elsif jsonb_typeof(options) <> 'object' then
    raise exception 'options is a JSON %', jsonb_typeof(options)
      using errcode = '22023',
        hint = 'Send a JSON object, not a string that holds JSON; GET turns JSON into a string: use POST.';
  elsif pg_column_size(options) > 1000000 then
    raise exception 'options has % bytes, more than %', pg_column_size(options), 1000000
      using errcode = '54000', hint = 'Give shorter options. Conditions that select rows belong in filters.';
  end if;

  -- An option with the value null counts as not given.
  select min(o.name) filter (where o.is_valid is not true),
         coalesce(jsonb_object_agg(o.attribute, o.value) filter (where o.attribute is not null and o.is_valid
           and o.is_given), '{}'),
         jsonb_object_agg(o.name, o.value) filter (where o.attribute is null and o.is_option and o.types <> '{keys}'
           and o.is_given),
         coalesce(bool_or((o.part in ('boosts', 'tokens', 'arrangement') or o.name = 'prefilter')
           and o.value not in ('[]', 'false', 'null'))
                    filter (where o.is_option), false)
  into v_wrong, v_read, v_options.parts, v_options.is_rearranged
  from braid_store.given_options(options) o;
  if v_wrong is not null then
    perform braid_store.raise_wrong_option(options, v_wrong);
  end if;
  v_options := jsonb_populate_record(v_options, v_read);

  v_options.is_arranged := v_options.group_by is not null or v_options.collapse or v_options.diversify
    or v_options.context
                           or v_options.cursor is not null;
  if v_options.is_arranged or jsonb_typeof(options -> 'group_by') = 'object' then
    if jsonb_typeof(options -> 'collapse') = 'object' then
      v_options.collapse_similarity := coalesce(v_options.collapse_similarity, 0.97);
    end if;
    if v_options.group_by in ('external_id', 'document_id') then
      v_options.group_by := 'document';
    elsif v_options.group_by = any (c_not_grouped) or v_options.group_by ^@ '$'
          or v_options.group_by is null and jsonb_typeof(options -> 'group_by') = 'object' then
      perform braid_store.raise_wrong_option(options, 'group_by');
    elsif v_options.cursor is not null and v_options.diversify then
      raise exception 'options cursor and diversify are given together'
        using errcode = '22023',
              hint = 'Leave out cursor, and raise match_count: a diversified result has no pages, because each row '
                     'depends on all rows before it.';
    end if;
  end if;
  if v_options.snippet then
    perform braid_store.check_snippet_arguments(v_options.start_tag, v_options.stop_tag, v_options.fragment_count,
                                                v_options.fragment_words, v_options.fragment_separator);
  end if;
  if v_options.ranking ?| '{normalisation,saturate_at}' then
    v_options := braid_store.read_ranking_option(v_options);
  end if;
  if v_options.sparse = 'true' then
    raise exception 'option sparse is true'
      using errcode = '22023',
            hint = 'Give an object of terms and their weights, or leave out sparse: a collection with a sparse '
                   'encoder derives terms from the query''s words.';
  end if;
  if v_options.rank_by is not null then
    v_options.rank_by := braid_store.read_rank_by_option(v_options.rank_by);
  end if;
  if v_options.parts is not null then
    v_options.parts := braid_store.extend_options(v_options.parts);
  end if;
  return v_options;
end
$$;

comment on function braid_store.read_search_options(jsonb) is
  'Read the options of a search from JSON, with defaults for options that are not given. Raise 22023 for an option '
  'that is unknown, has the wrong type or a value that cannot be used. Raise 54000 if the options have more than '
  '1000000 bytes. Boosts and settings of a collection are checked when they are compiled.';
