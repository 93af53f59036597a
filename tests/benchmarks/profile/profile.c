/*
 * Add up calls and CPU time of PL/pgSQL functions and of their statements, in the session that calls start_profile().
 *
 * PL/pgSQL calls a plugin when a function or statement begins and ends. After an error the end is missing, so an end
 * first leaves all entries that began inside its own.
 */
#include "postgres.h"

#include <time.h>

#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "plpgsql.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/tuplestore.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(start_profile);
PG_FUNCTION_INFO_V1(profiled);

/* The statement is 0 for the function as a whole; PL/pgSQL numbers statements from 1. */
typedef struct Place
{
	Oid			function;
	uint32		statement;
} Place;

typedef struct Sums
{
	Place		place;
	int			line;
	bool		is_block;
	int64		calls;
	double		own_ms;
	double		total_ms;
} Sums;

/* What has begun and not ended. */
typedef struct Entry
{
	void	   *what;
	double		begun_ms;
	double		inner_ms;
} Entry;

#define DEEPEST 4096

static HTAB *sums = NULL;
static Entry entries[DEEPEST];
static int	depth = 0;

static double
cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void
begin(void *what)
{
	if (depth == DEEPEST)
		elog(ERROR, "more than %d functions and statements are nested", DEEPEST);
	entries[depth].what = what;
	entries[depth].inner_ms = 0;
	entries[depth].begun_ms = cpu_ms();
	depth++;
}

static void
end(void *what, Oid function, uint32 statement, int line, bool is_block)
{
	double		spent_ms;
	Place		place;
	Sums	   *found;
	bool		is_old;

	while (depth > 0 && entries[depth - 1].what != what)
		depth--;
	if (depth == 0)
		return;
	depth--;
	spent_ms = cpu_ms() - entries[depth].begun_ms;
	if (depth > 0)
		entries[depth - 1].inner_ms += spent_ms;

	memset(&place, 0, sizeof(place));
	place.function = function;
	place.statement = statement;
	found = hash_search(sums, &place, HASH_ENTER, &is_old);
	if (!is_old)
	{
		found->line = line;
		found->is_block = is_block;
		found->calls = 0;
		found->own_ms = found->total_ms = 0;
	}
	found->calls++;
	found->own_ms += spent_ms - entries[depth].inner_ms;
	found->total_ms += spent_ms;
}

static void
function_begins(PLpgSQL_execstate *state, PLpgSQL_function *function)
{
	begin(state);
}

static void
function_ends(PLpgSQL_execstate *state, PLpgSQL_function *function)
{
	end(state, function->fn_oid, 0, 0, false);
}

static void
statement_begins(PLpgSQL_execstate *state, PLpgSQL_stmt *statement)
{
	begin(statement);
}

static void
statement_ends(PLpgSQL_execstate *state, PLpgSQL_stmt *statement)
{
	end(statement, state->func->fn_oid, statement->stmtid, statement->lineno, statement->cmd_type == PLPGSQL_STMT_BLOCK);
}

static void
transaction_ends(XactEvent event, void *argument)
{
	if (event == XACT_EVENT_ABORT)
		depth = 0;
}

static PLpgSQL_plugin plugin = {
	.func_beg = function_begins,
	.func_end = function_ends,
	.stmt_beg = statement_begins,
	.stmt_end = statement_ends,
};

Datum
start_profile(PG_FUNCTION_ARGS)
{
	HASHCTL		kind;

	if (sums == NULL)
	{
		RegisterXactCallback(transaction_ends, NULL);
		*find_rendezvous_variable("PLpgSQL_plugin") = &plugin;
	}
	else
		hash_destroy(sums);
	memset(&kind, 0, sizeof(kind));
	kind.keysize = sizeof(Place);
	kind.entrysize = sizeof(Sums);
	sums = hash_create("profile", 1024, &kind, HASH_ELEM | HASH_BLOBS);
	depth = 0;
	PG_RETURN_VOID();
}

Datum
profiled(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	HASH_SEQ_STATUS each;
	Sums	   *found;

	InitMaterializedSRF(fcinfo, 0);
	if (sums == NULL)
		elog(ERROR, "start_profile() was not called in this session");
	hash_seq_init(&each, sums);
	while ((found = hash_seq_search(&each)) != NULL)
	{
		Datum		values[7];
		bool		nulls[7] = {false};

		values[0] = ObjectIdGetDatum(found->place.function);
		values[1] = Int32GetDatum((int32) found->place.statement);
		values[2] = Int32GetDatum(found->line);
		values[3] = BoolGetDatum(found->is_block);
		values[4] = Int64GetDatum(found->calls);
		values[5] = Float8GetDatum(found->own_ms);
		values[6] = Float8GetDatum(found->total_ms);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_VOID();
}
