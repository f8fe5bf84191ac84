import { eventColumns } from './event-rows.ts'
import { flushSql } from './flush.ts'
import { sessionColumns, usageColumns } from './session-updates.ts'

const getNames = (columns: readonly (readonly [name: string, type: string])[]): string[] =>
  columns.map(([name]) => name)

const sessionParameters = [
  ['id', 'bigint'],
  ['revision', 'bigint'],
  ['spent', 'boolean'],
  ...sessionColumns,
] as const

/** The parameters of the procedure, in order. Single values are JSON or null; events are passed by column. */
const parameters = [
  ['told_leases', 'json'],
  ['told_sessions', 'json'],
  ['told_messages', 'json'],
  ['told_usages', 'json'],
  ['told_marks', 'json'],
  ['channel', 'text'],
  ['writer', 'text'],
  ['new_origin', 'uuid[]'],
  ...eventColumns.map(([name, type]) => [`new_${name}`, `${type}[]`] as const),
] as const

/** Calls the procedure. The result row has `last`: the number of the last event, or null if nothing was stored. */
export const appendSql = `CALL append_foreseen(${parameters
  .map(([, type], index) => `$${index + 1}::${type}`)
  .join()}, NULL)`

/*
 * Optimistic append: succeeds only if all events and messages are new and the cached session revisions still match.
 * Otherwise nothing is stored and the result is null, and the caller falls back to an append that reads first. A
 * refusal is not a database error, so it does not fill the server's log.
 *
 * The first statement locks each session, and with it its origins and messages. The head is locked late, since all
 * writers wait for it, and not while the disk writes: the first transaction commits without waiting for a flush, and a
 * second one writes only a log message, whose flush includes everything before it. So writers share a flush. Readers
 * wait for the flush too (flush.ts). With a synchronous standby it stays one transaction. The notification belongs to
 * the first transaction, because NOTIFY locks the whole server until it commits.
 *
 * Plans are cached per connection, since planning takes longer than running. The lock timeout is short because several
 * appends share the call: on a timeout each of them runs alone, and only the blocked ones wait.
 */
export const appendSchema: readonly string[] = [
  // Earlier versions had a function of this name. Only in this schema: others on the search path may have their own
  // ledgers.
  `DO $$ BEGIN EXECUTE format('DROP ROUTINE IF EXISTS %I.append_foreseen', current_schema()); END $$`,
  `CREATE PROCEDURE append_foreseen(${parameters.map((each) => each.join(' ')).join(', ')}, INOUT last bigint)
   LANGUAGE plpgsql AS $$
   DECLARE
     apart BOOLEAN := current_setting('synchronous_standby_names') = '';
     added INTEGER := cardinality(new_origin);
     moment BIGINT := floor(extract(epoch FROM now()) * 1000);
     told RECORD;
     found_rows INTEGER;
     said TEXT := set_config('plan_cache_mode', 'force_generic_plan', true) || set_config('lock_timeout', '5s', true);
   BEGIN
     BEGIN
       IF told_leases IS NOT NULL THEN
         PERFORM FROM json_to_recordset(told_leases) AS t (key uuid, term bigint)
           JOIN leases l ON l.key = t.key AND l.term = t.term AND l.holder IS NOT NULL FOR SHARE OF l;
         GET DIAGNOSTICS found_rows = ROW_COUNT;
         IF found_rows < json_array_length(told_leases) THEN RETURN; END IF;
       END IF;

       FOR told IN SELECT * FROM json_to_recordset(told_sessions) AS t (${sessionParameters.map((each) => each.join(' ')).join(', ')}) LOOP
         UPDATE sessions s SET revision = s.revision + 1, usage_stale = s.usage_stale OR told.spent,
           ${getNames(sessionColumns)
             .map((name) => `${name} = told.${name}`)
             .join(', ')}
         WHERE s.id = told.id AND s.revision = told.revision;
         IF NOT FOUND THEN RAISE unique_violation; END IF;
       END LOOP;

       INSERT INTO origins SELECT unnest(new_source_id), unnest(new_origin);
       IF told_messages IS NOT NULL THEN
         INSERT INTO messages SELECT * FROM json_populate_recordset(NULL::messages, told_messages);
       END IF;
       IF told_usages IS NOT NULL THEN
         INSERT INTO usages SELECT * FROM json_populate_recordset(NULL::usages, told_usages)
         ON CONFLICT (session_id, rank, entity) DO UPDATE SET
           ${getNames(usageColumns)
             .slice(3)
             .map((name) => `${name} = excluded.${name}`)
             .join(', ')};
       END IF;
       IF told_marks IS NOT NULL THEN
         DELETE FROM marks m USING json_populate_recordset(NULL::marks, told_marks) t
           WHERE m.key = t.key AND t.value IS NULL;
         INSERT INTO marks SELECT * FROM json_populate_recordset(NULL::marks, told_marks) t WHERE t.value IS NOT NULL
           ORDER BY t.key
         ON CONFLICT (key) DO UPDATE SET value = excluded.value;
       END IF;

       UPDATE head SET seq = seq + added RETURNING seq INTO last;
       -- In the list of columns arrays are taken apart as they are stored; behind FROM a copy of them all would be made first.
       INSERT INTO events (seq, stored_at, ${getNames(eventColumns).join(', ')})
       SELECT last - added + n.number, moment,
         ${getNames(eventColumns)
           .map((name) => (name === 'record' ? 'last - added + n.record' : `n.${name}`))
           .join(', ')}
       FROM (SELECT generate_series(1, added) AS number, ${getNames(eventColumns)
         .map((name) => `unnest(new_${name}) AS ${name}`)
         .join(', ')}) n;

       PERFORM pg_notify(channel, writer || ' ' || last);
     EXCEPTION WHEN unique_violation THEN
       last := NULL;
       RETURN;
     END;
     IF apart THEN
       said := set_config('synchronous_commit', 'off', true);
       COMMIT;
       said := ${flushSql};
     END IF;
   END $$`,
]
