#!/bin/sh
# Start a server image, wait until it is healthy, write a document and search for it: sh check.sh IMAGE
set -eu

container=$(docker run --detach --env POSTGRES_DB=braid --env POSTGRES_PASSWORD=check "$1")
trap 'docker logs "$container" | tail -n 40; docker rm --force --volumes "$container" >/dev/null' EXIT

tries=0
until [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ]; do
  tries=$((tries + 1))
  [ "$tries" -le 120 ] || { echo "the server is not healthy after two minutes" >&2; exit 1; }
  sleep 1
done

ask() {
  docker exec "$container" psql --username postgres --dbname braid --no-psqlrc --quiet --tuples-only --no-align \
    --set ON_ERROR_STOP=1 --command "$1"
}

ask "select from braid.upsert_document('fox', content => 'The quick brown fox')"
found=$(ask "select external_id from braid.full_text_search('fox')")
[ "$found" = fox ] || { echo "the search gave: $found" >&2; exit 1; }
jobs=$(ask "select count(*) from cron.job where jobname like 'pgbraid%'")
[ "$jobs" = 3 ] || { echo "there are $jobs jobs" >&2; exit 1; }

# The shortest job runs every ten seconds.
tries=0
until [ "$(ask "select exists (select from cron.job_run_details where status = 'succeeded')")" = t ]; do
  tries=$((tries + 1))
  [ "$tries" -le 60 ] || { ask "table cron.job_run_details" >&2; exit 1; }
  sleep 1
done
echo "the server searches, and its jobs run"
