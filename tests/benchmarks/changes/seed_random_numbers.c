/* Give PostgreSQL's generator of random numbers the same seed before each index: HNSW graphs can be repeated. */
#include "postgres.h"

#include "common/pg_prng.h"
#include "fmgr.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(seed_random_numbers);

Datum
seed_random_numbers(PG_FUNCTION_ARGS)
{
	pg_prng_seed(&pg_global_prng_state, 1);
	PG_RETURN_NULL();
}
