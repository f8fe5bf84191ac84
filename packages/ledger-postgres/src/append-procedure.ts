import { eventColumns } from './event-rows.ts'
import { flushSql } from './flush.ts'
import { sessionColumns, usageColumns } from './session-updates.ts'

const getNames = (columns: readonly (readonly [name: string, type: string])[]): string[] =>
  columns.map(([name]) => name)

const told = [['id', 'bigint'], ['revision', 'bigint'], ['spent', 'boolean'], ...sessionColumns] as const

/** What the procedure takes, in this order. Single things come as JSON, or null where there are none; events by column. */
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

/** Calls it. The row that comes back has `last`: the number of the last event, or null where nothing was stored. */
export const appendSql = `CALL append_foreseen(${parameters
  .map(([, type], index) => `$${index + 1}::${type}`)
  .join()}, NULL)`

/*
 * An append in one go, for one who has foreseen everything: that all events are new, that his messages are, and what the
 * sessions' summaries were before. If one of these is not so, nothing is stored, and the result is null: then he has to ask
 * first. A refusal is no error of the database, so that its log does not fill with them.
 *
 * Each session is held by its first statement on, and with it its origins and messages, which no other writer touches
 * meanwhile; the head comes late, since all writers wait for it. It is not held while the disk writes: the first transaction
 * ends without waiting for that, and the second one writes nothing but a word into the log, which is on the disk when all
 * before it is. So the writers share what the disk does, as those of any other table. Readers wait for the disk, too
 * (flush.ts). Where a standby has to have everything before anybody sees it, it stays one transaction. The notice belongs to
 * the first one: who gives a notice holds a lock of the whole server until he has committed.
 *
 * Plans are made once for a connection: to make one takes longer than to run it. It does not wait long for another writer,
 * since several appends wait with it: then each goes by itself, and those go on that nobody holds up.
 */
export const appendSchema: readonly string[] = [
  // It was a function at first. Only here: other schemas that are looked through may have ledgers of their own.
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

       FOR told IN SELECT * FROM json_to_recordset(told_sessions) AS t (${told.map((each) => each.join(' ')).join(', ')}) LOOP
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
