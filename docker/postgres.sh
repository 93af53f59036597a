#!/bin/sh
# Start PostgreSQL with the settings of pgbraid's embedded server, sized by the memory of the machine or container.
set -eu

at_most() {
  if [ "$1" -gt "$2" ]; then echo "$2"; else echo "$1"; fi
}

# Memory is counted in kB.
memory=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
  limit=$(cat "$file" 2>/dev/null || true)
  case $limit in
    '' | *[!0-9]*) ;;
    # Without a limit, cgroup v1 returns a number of 19 digits.
    *) [ "${#limit}" -gt 15 ] || memory=$(at_most $((limit / 1024)) "$memory") ;;
  esac
done

build=$(at_most $((memory / 8192)) 1024)
exec docker-entrypoint.sh postgres \
  -c shared_buffers="$(at_most $((memory / 4096)) 2048)MB" \
  -c effective_cache_size="$((memory * 3 / 4096))MB" \
  -c work_mem=16MB \
  -c maintenance_work_mem="$([ "$build" -ge 64 ] && echo "$build" || echo 64)MB" \
  -c autovacuum_work_mem=64MB \
  -c random_page_cost=1.1 \
  -c max_wal_size=1024MB \
  -c shared_preload_libraries=plpgsql,vector \
  -c checkpoint_timeout=15min \
  "$@"
