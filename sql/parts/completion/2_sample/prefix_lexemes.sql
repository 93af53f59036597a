create or replace function braid_store.prefix_lexemes(
  tenant_id int,
  collection_id int,
  word text,
  text_config text,
  fold_diacritics boolean
)
returns table (lexeme text, document_frequency bigint)
language plpgsql
stable
parallel safe
security invoker
rows 12
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Rows are read in the order of the primary key, so that reading stops at the limit.
set enable_hashagg = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_most_rows constant int := 2000;
  c_most_lexemes constant int := 12;
  v_form text := (
    select f.form from braid_store.token_forms(array[prefix_lexemes.word]) f
    where f.kind in ('word', 'compound') order by f.place desc limit 1);
  v_forms text[];
  v_lexemes text[] := '{}';
  v_frequencies bigint[] := '{}';
  v_row_count bigint;
begin
  if v_form is null then
    return;
  end if;
  v_forms := array(
    select distinct f.form collate "C"
    from (values (v_form), (case when fold_diacritics and v_form ~ braid_store.foldable_letters()
                                 then braid_store.token_fold(v_form) end)) f (form)
    where f.form is not null);
  select coalesce(array_agg(l.lexeme), '{}'), coalesce(array_agg(l.document_frequency), '{}'),
         coalesce(sum(l.row_count), 0)
  into v_lexemes, v_frequencies, v_row_count
  from (
    select r.lexeme, sum(r.document_frequency) as document_frequency, count(*) as row_count
    from unnest(v_forms) f (form),
         lateral (
           select p.lexeme, p.document_frequency
           from braid_store.postings p
           where p.tenant_id = prefix_lexemes.tenant_id and p.collection_id = prefix_lexemes.collection_id
             -- In "C" order, every lexeme with this prefix is below the prefix followed by the last of all characters.
             and p.lexeme >= f.form collate "C" and p.lexeme < f.form || E'\U0010FFFF' collate "C"
           order by p.lexeme
           limit c_most_rows
         ) r
    group by r.lexeme
  ) l;
  if v_row_count >= c_most_rows then
    return;
  end if;
  return query
  select u.lexeme, u.document_frequency
  from (
    select l.lexeme, l.document_frequency from unnest(v_lexemes, v_frequencies) l (lexeme, document_frequency)
    union
    -- The stem may be shorter than what was typed (runni, run), or differ from its end (study, studi).
    select s.lexeme, (
             select sum(p.document_frequency) from braid_store.postings p
             where p.tenant_id = prefix_lexemes.tenant_id and p.collection_id = prefix_lexemes.collection_id
               and p.lexeme = s.lexeme)
    from (
      select left(f.form, n) as lexeme
      from unnest(v_forms) f (form), generate_series(greatest(3, length(f.form) - 5), length(f.form) - 1) n
      union
      select unnest(array[t.stem, case when fold_diacritics then braid_store.token_fold(t.stem) end])
      from braid_store.token_stem(array[v_form], text_config) t
    ) s
    where s.lexeme is not null
  ) u
  where u.document_frequency > 0
  order by u.document_frequency desc, u.lexeme collate "C"
  limit c_most_lexemes;
end
$$;

comment on function braid_store.prefix_lexemes(int, int, text, text, boolean) is
  'Return the commonest lexemes, at most 12, of words that may begin with what was typed. Return no row if the index '
  'has 2000 rows or more for it, as for one letter: reading them would take too long.';
