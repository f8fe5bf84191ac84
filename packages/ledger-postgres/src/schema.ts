/** The version of the schema, stored in the table meta. */
export const schemaVersion = 4

/** The comment on the table meta, which identifies a database as a ledger. */
export const ledgerMark = 'Remora ledger'

/*
 * Times are milliseconds since 1970, and texts compare by their bytes (collation "C"), both as in SQLite.
 *
 * An index cannot hold texts of more than 2,700 bytes, but the name of a call without an id contains its whole input. So
 * names are indexed by a hash (hash.ts) of type uuid, which has 16 bytes: every column `key`, and `entity` where the name
 * is not read back.
 */
const text = 'TEXT COLLATE "C"'

/** The first version of the schema. */
export const schema: readonly string[] = [
  `-- Single values: epoch (which ledger this is), schema (the version), indexed and called (up to where full text and
   -- calls are made), audit (how many entries there are, and the hash of the last one).
   CREATE TABLE meta (
     name ${text} PRIMARY KEY,
     value ${text} NOT NULL
   )`,
  `COMMENT ON TABLE meta IS '${ledgerMark}'`,

  `-- One row: the highest sequence number ever given. A writer that takes numbers locks this row until its transaction ends,
   -- so that numbers become visible in their order: a reader who has seen one will never find a lower one that is new.
   CREATE TABLE head (
     one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
     seq BIGINT NOT NULL
   )`,
  'INSERT INTO head (seq) VALUES (0)',

  `-- One conversation of one agent, with its summary. An id is never given twice.
   CREATE TABLE sessions (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     key UUID NOT NULL UNIQUE,         -- of agent and session
     agent ${text} NOT NULL,
     session ${text} NOT NULL,
     title ${text},
     first_prompt ${text},
     first_prompt_at DOUBLE PRECISION,
     model ${text},
     cwd ${text},
     version ${text},
     told_by SMALLINT NOT NULL,        -- the best channel that reported title, model, cwd or version
     message_counts ${text} NOT NULL,  -- how many messages each channel reported, best channel first, as JSON
     usage_rank SMALLINT,              -- which rows of usages count: the lowest rank there is
     usage_stale BOOLEAN NOT NULL DEFAULT TRUE, -- whether its usage_slots have to be made anew
     revision BIGINT NOT NULL DEFAULT 0, -- how often an append has written the summary: who knows this one knows it
     started_at DOUBLE PRECISION NOT NULL,
     updated_at DOUBLE PRECISION NOT NULL,
     archived_at DOUBLE PRECISION,     -- when it was seen that the agent has deleted it
     name ${text},                     -- notes of the user: name, pinned, hidden
     pinned BOOLEAN NOT NULL DEFAULT FALSE,
     hidden BOOLEAN NOT NULL DEFAULT FALSE,
     node ${text}                      -- the machine that reported it first
   ) WITH (fillfactor = 80)`,
  'CREATE INDEX sessions_by_time ON sessions (updated_at DESC, id DESC)',
  'CREATE INDEX sessions_stale ON sessions (id) WHERE usage_stale',

  `-- Where the events of a session were read: a file, a run, a connection.
   CREATE TABLE sources (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     session_id BIGINT NOT NULL,
     key UUID NOT NULL,                -- of channel and source
     channel ${text} NOT NULL,
     source ${text} NOT NULL,
     UNIQUE (session_id, key)
   )`,

  `-- Everything that happened, in the order of arrival. A long string that is in the record's raw text already is not
   -- stored again: then body is [fields, places], and each place is [path, start, length] in the raw text of this row or
   -- of the row that record names. One partition holds what was stored in one month (partitions.ts), by the clock of the
   -- database: an agent's own times may be wrong by years. Nothing is ordered by that clock, only seq defines the order.
   CREATE TABLE events (
     seq BIGINT NOT NULL,
     stored_at BIGINT NOT NULL,
     session_id BIGINT NOT NULL,
     source_id BIGINT NOT NULL,
     at DOUBLE PRECISION NOT NULL,
     record BIGINT,                    -- seq of the first event of the same record, which has its raw text
     said_by SMALLINT,                 -- the author: 1 the user's prompt, 2 the agent's text; null for the rest
     key ${text} NOT NULL,
     digest ${text} NOT NULL,          -- empty where the origin has none
     type ${text} NOT NULL,
     entity ${text} NOT NULL,
     parent ${text},
     body ${text} NOT NULL,            -- the remaining fields, as JSON
     raw ${text},                      -- the record exactly as the agent wrote it
     PRIMARY KEY (seq, stored_at)
   ) PARTITION BY RANGE (stored_at)`,
  'CREATE INDEX events_by_session ON events (session_id, seq)',

  `-- Which origins are stored. A table that is partitioned by time can promise nothing about keys without that time, and
   -- the same record may be read again years later: so what must be there once is not in events but here, in one table.
   -- It is small, and stays when the month that an event was stored in is archived: what is archived is not stored again.
   CREATE TABLE origins (
     source_id BIGINT NOT NULL,
     origin UUID NOT NULL,             -- of key and digest
     PRIMARY KEY (source_id, origin)
   )`,

  `-- Messages that were counted already, since an agent may report one many times. Channel is its rank.
   CREATE TABLE messages (
     session_id BIGINT NOT NULL,
     channel SMALLINT NOT NULL,
     entity UUID NOT NULL,
     PRIMARY KEY (session_id, channel, entity)
   )`,

  `-- Sessions that a person had deleted. They are not stored again.
   CREATE TABLE forgotten (
     key UUID PRIMARY KEY,             -- of agent and session
     agent ${text} NOT NULL,
     session ${text} NOT NULL,
     at DOUBLE PRECISION NOT NULL
   )`,

  `-- What collectors remember, as JSON: how far a file was read, for one.
   CREATE TABLE marks (
     key UUID PRIMARY KEY,             -- of the name
     name ${text} NOT NULL,
     value ${text} NOT NULL
   )`,
  'CREATE INDEX marks_by_name ON marks (left(name, 500))',

  `-- Names that one process at a time holds. The row stays when a lease is given back, so that its term can grow.
   CREATE TABLE leases (
     key UUID PRIMARY KEY,             -- of the name
     name ${text} NOT NULL,
     term BIGINT NOT NULL,
     holder ${text},                   -- who, as JSON; null when it is free
     expires_at DOUBLE PRECISION NOT NULL
   )`,

  `-- Questions of agents to a person, and the one answer to each, as JSON.
   CREATE TABLE asks (
     number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     key UUID NOT NULL UNIQUE,         -- of agent, session and id
     session_key UUID NOT NULL,
     agent ${text} NOT NULL,
     session ${text} NOT NULL,
     digest ${text} NOT NULL,
     ask ${text} NOT NULL,
     answer ${text}
   )`,
  'CREATE INDEX asks_by_session ON asks (session_key)',
  'CREATE INDEX asks_pending ON asks (number) WHERE answer IS NULL',

  `-- Wishes of surfaces, each done once. The client chooses the id.
   CREATE TABLE commands (
     number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     key UUID NOT NULL UNIQUE,         -- of client and id
     session_key UUID NOT NULL,
     client ${text} NOT NULL,
     id ${text} NOT NULL,
     agent ${text} NOT NULL,
     session ${text} NOT NULL,
     state ${text} NOT NULL,
     at DOUBLE PRECISION NOT NULL,
     body ${text} NOT NULL,            -- as JSON
     reason ${text}
   )`,
  'CREATE INDEX commands_by_session ON commands (session_key)',
  'CREATE INDEX commands_by_state ON commands (state)',
]

/** The machines that share the ledger. */
export const nodesSchema: readonly string[] = [
  `CREATE TABLE nodes (
     key UUID PRIMARY KEY,             -- of the id
     id ${text} NOT NULL,
     name ${text} NOT NULL,
     version ${text} NOT NULL,
     live ${text} NOT NULL,            -- its live sessions, as JSON
     seen_at DOUBLE PRECISION NOT NULL
   ) WITH (fillfactor = 50)`,
]

/** Token usage. */
export const usageSchema: readonly string[] = [
  `-- Tokens of one message, turn or run, as reported last. rank = scope * 8 + channel: message before turn before run,
   -- then the better channel first. Only the rows of a session's lowest rank count.
   CREATE TABLE usages (
     session_id BIGINT NOT NULL,
     rank SMALLINT NOT NULL,
     entity UUID NOT NULL,
     agent ${text} NOT NULL,
     at DOUBLE PRECISION NOT NULL,
     model ${text},
     input DOUBLE PRECISION,
     output DOUBLE PRECISION,
     total DOUBLE PRECISION,
     cached DOUBLE PRECISION,
     cache_write DOUBLE PRECISION,
     thought DOUBLE PRECISION,
     tool DOUBLE PRECISION,
     cost DOUBLE PRECISION,
     models ${text},                   -- the split of a run by model, as JSON
     PRIMARY KEY (session_id, rank, entity)
   )`,
  `-- Finds the message that a forked session holds as well (rank 0: a message, as the transcript has it).
   CREATE INDEX usages_by_entity ON usages (entity, session_id) WHERE rank = 0`,

  `-- The usages that count, summed by quarter hour: days begin at a quarter hour everywhere. Made when they are asked
   -- for, since a message reports its tokens several times.
   CREATE TABLE usage_slots (
     session_id BIGINT NOT NULL,
     slot BIGINT NOT NULL,
     model ${text},
     input DOUBLE PRECISION,
     output DOUBLE PRECISION,
     total DOUBLE PRECISION,
     cached DOUBLE PRECISION,
     cache_write DOUBLE PRECISION,
     thought DOUBLE PRECISION,
     tool DOUBLE PRECISION,
     cost DOUBLE PRECISION,
     models ${text}
   )`,
  'CREATE INDEX usage_slots_by_session ON usage_slots (session_id)',
]

/** The full-text index. */
export const searchSchema: readonly string[] = [
  `-- What can be found: one row for each entity that has text, with the event that it was made of, or the last one where
   -- a live stream came in pieces.
   CREATE TABLE documents (
     session_id BIGINT NOT NULL,
     kind SMALLINT NOT NULL,
     entity UUID NOT NULL,
     first BIGINT NOT NULL,            -- where its first piece is
     seq BIGINT NOT NULL,
     digest UUID NOT NULL,             -- of the text, to know it again
     PRIMARY KEY (session_id, kind, entity)
   )`,
  `-- The words of documents, cut in our own code (text/tokens.ts) and placed as they are there. A vector holds so many
   -- of them, so a long document has several parts, each of which begins with the last words of the one before.
   CREATE TABLE words (
     seq BIGINT NOT NULL,
     part INTEGER NOT NULL,
     parted BOOLEAN NOT NULL,          -- whether the document has other parts
     session_id BIGINT NOT NULL,
     at DOUBLE PRECISION NOT NULL,
     words TSVECTOR NOT NULL,
     PRIMARY KEY (seq, part)
   )`,
  'CREATE INDEX words_by_word ON words USING gin (words)',
  'CREATE INDEX words_by_word_parted ON words USING gin (words) WHERE parted',
  "INSERT INTO meta VALUES ('indexed', '0')",
]

/** Tool calls, merged from all channels. Derived from events on demand, up to the number in meta 'called'. */
export const callsSchema: readonly string[] = [
  `CREATE TABLE calls (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     session_id BIGINT NOT NULL,
     entity ${text} NOT NULL,          -- as the best channel has it
     named BOOLEAN NOT NULL,           -- whether a channel with an id for it reported it
     call ${text} NOT NULL,            -- hash of the agent's own name and input, to find it without an id
     claude_call ${text} NOT NULL,     -- the same of Claude's name and input
     channel SMALLINT NOT NULL,        -- the rank of the channel that reported tool, native, input and parent
     tool ${text} NOT NULL,
     native ${text} NOT NULL,
     input ${text} NOT NULL,           -- as JSON; long strings are cut
     parent ${text},
     told_by BIGINT NOT NULL,          -- seq of the event that reported it
     at DOUBLE PRECISION NOT NULL,     -- the earliest that any channel reported
     ended_channel SMALLINT,           -- the rank of the channel that reported how it ended
     status ${text} NOT NULL,
     failed BOOLEAN NOT NULL,
     error ${text},                    -- what a failed one gave back, cut where it is long
     ended_at DOUBLE PRECISION,
     ended_by BIGINT                   -- seq of the event that reported its end
   )`,
  'CREATE INDEX calls_by_session ON calls (session_id, call)',
  'CREATE INDEX calls_by_claude_call ON calls (session_id, claude_call)',
  'CREATE INDEX calls_unnamed ON calls (session_id) WHERE NOT named',
  'CREATE INDEX calls_by_time ON calls (at, id)',
  'CREATE INDEX calls_failed ON calls (at) WHERE failed',
  `-- Which call an event means. A channel without ids names equal calls equally and reports them in order: number.
   CREATE TABLE call_names (
     session_id BIGINT NOT NULL,
     entity UUID NOT NULL,
     channel SMALLINT NOT NULL,
     number INTEGER NOT NULL,
     call_id BIGINT,                   -- null where a fork holds a call of another session
     ended BOOLEAN NOT NULL,
     PRIMARY KEY (session_id, entity, channel, number)
   )`,
  'CREATE INDEX call_names_waiting ON call_names (session_id, entity, channel, number) WHERE NOT ended',
  'CREATE INDEX call_names_by_entity ON call_names (entity) WHERE channel = 0',
  'CREATE INDEX call_names_by_call ON call_names (call_id, channel)',
  `-- When the user sent prompts, to separate the turns of a session.
   CREATE TABLE prompts (
     session_id BIGINT NOT NULL,
     channel SMALLINT NOT NULL,
     at DOUBLE PRECISION NOT NULL,
     entity UUID NOT NULL,
     PRIMARY KEY (session_id, channel, at, entity)
   )`,
  "INSERT INTO meta VALUES ('called', '0')",
]

/** The audit log. Entries never change, except that details of forgotten sessions are removed. */
export const auditSchema: readonly string[] = [
  `CREATE TABLE audit (
     number BIGINT PRIMARY KEY,
     at DOUBLE PRECISION NOT NULL,
     what ${text} NOT NULL,
     who ${text} NOT NULL,
     session_key UUID,                 -- of agent and session
     agent ${text},
     session ${text},
     detail ${text},                   -- as JSON with sorted keys; null if there was none, or it was forgotten
     salt ${text},                     -- what the detail was mixed with before it was hashed; goes with it
     detail_hash ${text},              -- stays
     hash ${text} NOT NULL             -- of the hash before it and of all above but detail and salt
   )`,
  'CREATE INDEX audit_by_session ON audit (session_key)',
  `INSERT INTO meta VALUES ('audit', '{"count":0,"hash":""}')`,
]

/** Archived months, so that readers know where their events are. */
export const archivesSchema: readonly string[] = [
  `CREATE TABLE archives (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     month ${text} NOT NULL,           -- as 2026-08
     file ${text} NOT NULL,            -- the ledger that has its events, on the machine that made it
     machine ${text} NOT NULL,
     digest ${text} NOT NULL,          -- of all its events
     at DOUBLE PRECISION NOT NULL,
     dropped BOOLEAN NOT NULL DEFAULT FALSE -- whether it is gone from here
   )`,
  `-- Of several who archive a month, one drops it: the one whose row is there.
   CREATE UNIQUE INDEX archives_going_on ON archives (month) WHERE NOT dropped`,
  `-- How many events of a session are in an archive.
   CREATE TABLE archived_sessions (
     session_id BIGINT NOT NULL,
     archive_id BIGINT NOT NULL,
     events BIGINT NOT NULL,
     PRIMARY KEY (session_id, archive_id)
   )`,
  'CREATE INDEX archived_sessions_by_archive ON archived_sessions (archive_id)',
]

/**
 * Numbers every change to a command. The counter's row stays locked until the change is committed, so numbers become
 * visible in their order and a reader that continues after the highest one misses nothing.
 */
export const commandChangesSchema: readonly string[] = [
  'ALTER TABLE commands ADD COLUMN changed BIGINT NOT NULL DEFAULT 0',
  'CREATE INDEX commands_by_change ON commands (changed)',
  "INSERT INTO meta VALUES ('command_changes', '0')",
  `CREATE FUNCTION count_command_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     UPDATE meta SET value = (value::bigint + 1)::text WHERE name = 'command_changes'
       RETURNING value::bigint INTO NEW.changed;
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER command_changed BEFORE INSERT OR UPDATE ON commands
   FOR EACH ROW EXECUTE FUNCTION count_command_change()`,
]
