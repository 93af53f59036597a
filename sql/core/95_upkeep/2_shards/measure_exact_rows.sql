-- role: administrator
-- tenants: all
-- Settings are for all tenants.
create or replace function braid_store.measure_exact_rows()
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
set max_parallel_workers_per_gather = 0
set enable_seqscan = on
set enable_sort = on
as $$
declare
  c_row_count constant int := 8000;
  c_run_count constant int := 15;
  v_query @vector@.vector;
  v_started timestamptz;
  v_scans float8[] := '{}';
  v_searches float8[] := '{}';
  v_scan float8;
  v_search float8;
  v_exact_rows int;
  v_ef_search text;
begin
  create table braid_store.calibration (chunk_id int not null, embedding @vector@.vector(384) not null);
  alter table braid_store.calibration alter column embedding set storage external;
  alter table braid_store.calibration set (toast_tuple_target = 8160);
  insert into braid_store.calibration
  select n, array(select random_normal() from generate_series(1, 384) where n > 0)::@vector@.vector
  from generate_series(1, c_row_count) n;

  -- The first run of each kind is not counted.
  for v_run in 0..c_run_count loop
    v_query := (select c.embedding from braid_store.calibration c where c.chunk_id = 1 + v_run);
    v_started := clock_timestamp();
    perform c.chunk_id from braid_store.calibration c order by c.embedding operator(@vector@.<=>) v_query limit 10;
    v_scans := v_scans || extract(epoch from clock_timestamp() - v_started)::float8;
  end loop;
  create index on braid_store.calibration using hnsw (embedding @vector@.vector_cosine_ops) with (m = 16);
  v_ef_search := current_setting('hnsw.ef_search');
  perform set_config('hnsw.ef_search', '100', true),
          set_config('enable_seqscan', 'off', true),
          set_config('enable_sort', 'off', true);
  for v_run in 0..c_run_count loop
    v_query := (select c.embedding from braid_store.calibration c where c.chunk_id = 1 + v_run);
    v_started := clock_timestamp();
    execute 'select count(*) from (select c.chunk_id from braid_store.calibration c '
            'order by c.embedding operator(@vector@.<=>) $1 limit 10) c' using v_query;
    v_searches := v_searches || extract(epoch from clock_timestamp() - v_started)::float8;
  end loop;
  perform set_config('hnsw.ef_search', v_ef_search, true);
  drop table braid_store.calibration;

  v_scan := (select percentile_cont(0.5) within group (order by s) from unnest(v_scans[2:]) s);
  v_search := (select percentile_cont(0.5) within group (order by s) from unnest(v_searches[2:]) s);
  -- Take 1.5 times the number at which both are equally fast, because a shard also costs time in writes and upkeep.
  v_exact_rows := greatest(1000, round(1.5 * c_row_count * v_search / v_scan / 1000) * 1000);
  update braid_store.vector_settings s set exact_rows = v_exact_rows where s.only_row;
  perform braid_store.note_collection(c.id) from braid_store.collections c;
  return jsonb_build_object('exact_rows', v_exact_rows,
                            'scan_ms_per_1000', round((v_scan * 1e6 / c_row_count)::numeric, 3),
                            'search_ms', round((v_search * 1000)::numeric, 3));
end
$$;

comment on function braid_store.measure_exact_rows() is
  'Do the work of braid.calibrate: compare a scan of 8000 vectors with an HNSW search (ef_search 100) of the same '
  'vectors.';
