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
[ "$build" -ge 64 ] || build=64

# A container has 64 MB of /dev/shm unless it is given more. That is too small for vector indexes built in parallel.
shared=$(df -kP /dev/shm 2>/dev/null | awk 'NR == 2 { print int($2 / 1024) }')
[ "${shared:-0}" -ge $((2 * build)) ] || set -- -c dynamic_shared_memory_type=sysv "$@"

exec docker-entrypoint.sh postgres \
  -c shared_buffers="$(at_most $((memory / 4096)) 2048)MB" \
  -c effective_cache_size="$((memory * 3 / 4096))MB" \
  -c work_mem=16MB \
  -c maintenance_work_mem="${build}MB" \
  -c autovacuum_work_mem=64MB \
  -c random_page_cost=1.1 \
  -c max_wal_size=1024MB \
  -c shared_preload_libraries=plpgsql,vector \
  -c checkpoint_timeout=15min \
  "$@"
