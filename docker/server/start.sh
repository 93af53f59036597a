#!/bin/sh
# Start PostgreSQL with pg_cron for the database of POSTGRES_DB. Arguments are settings for PostgreSQL, or a program to
# run in its place.
set -eu

case ${1:--} in
  postgres) shift ;;
  -*) ;;
  *) exec "$@" ;;
esac

# The official image also takes each value from a file that NAME_FILE names.
from_file() {
  if [ -n "$1" ]; then cat "$1"; fi
}

user=${POSTGRES_USER:-$(from_file "${POSTGRES_USER_FILE:-}")}
database=${POSTGRES_DB:-$(from_file "${POSTGRES_DB_FILE:-}")}

# pg_cron connects by the socket, where the official image trusts every login.
exec sh "$(dirname "$0")/postgres.sh" \
  -c shared_preload_libraries=plpgsql,vector,pg_cron \
  -c cron.database_name="${database:-${user:-postgres}}" \
  -c cron.host=/var/run/postgresql \
  "$@"
