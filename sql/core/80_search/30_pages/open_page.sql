create or replace function braid_store.open_page(
  cursor text,
  fingerprint text,
  out place int,
  out candidate_count int
)
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_last record;
begin
  place := 0;
  if open_page.cursor <> '' then
    v_last := braid_store.read_cursor(open_page.cursor);
    if v_last.fingerprint <> open_page.fingerprint then
      raise exception 'option cursor belongs to another query'
        using errcode = '22023',
              hint = 'Give the arguments of the first page again (match_count may differ), or begin again with '
                     '"cursor": "". If the ranking of the collection has changed since, begin again.';
    end if;
    place := v_last.place;
    candidate_count := v_last.candidate_count;
  end if;
end
$$;

comment on function braid_store.open_page(text, text) is
  'Read the cursor of a page. place: how many rows or groups came before this page. candidate_count: how many '
  'candidates each leg had on the previous page; null on the first page (cursor ''''). Raise 22023 if the cursor was '
  'made for another query.';
