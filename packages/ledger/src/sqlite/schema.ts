/** The version of the schema, stored in the file as `PRAGMA user_version`. */
export const schemaVersion = 5

/** Identifies a SQLite file as a ledger: "Rmra". */
export const applicationId = 0x526d7261

/** The first version of the schema. Times are milliseconds since 1970. */
export const schema: readonly string[] = [
  `-- Single values: epoch (which ledger this is), head (the highest sequence number ever given), indexed (up to
   -- where full text is built).
   CREATE TABLE meta (
     name TEXT PRIMARY KEY,
     value NOT NULL
   ) WITHOUT ROWID`,

  `-- One conversation of one agent, with its summary. AUTOINCREMENT, since an id is never given twice.
   CREATE TABLE sessions (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     agent TEXT NOT NULL,
     session TEXT NOT NULL,
     title TEXT,
     first_prompt TEXT,
     first_prompt_at INTEGER,
     model TEXT,
     cwd TEXT,
     version TEXT,
     told_by INTEGER NOT NULL,         -- the best channel that reported title, model, cwd or version
     message_counts TEXT NOT NULL,     -- how many messages each channel reported, best channel first, as JSON
     usage_rank INTEGER,               -- which rows of usages count: the lowest rank there is
     usage_stale INTEGER NOT NULL DEFAULT 1, -- whether its usage_slots have to be made anew
     started_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     archived_at INTEGER,              -- when it was seen that the agent has deleted it
     name TEXT,                        -- notes of the user: name, pinned, hidden
     pinned INTEGER NOT NULL DEFAULT 0,
     hidden INTEGER NOT NULL DEFAULT 0,
     UNIQUE (agent, session)
   )`,

  `-- Where the events of a session were read: a file, a run, a connection.
   CREATE TABLE sources (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     session_id INTEGER NOT NULL,
     channel TEXT NOT NULL,
     source TEXT NOT NULL,
     UNIQUE (session_id, channel, source)
   )`,

  `-- Everything that happened, in the order of arrival. An origin (source, key, digest) is stored once. A long string
   -- that is in the record's raw text already is not stored again: then body is [fields, places], and each place
   -- is [path, start, length] in the raw text of this row or of the row that record names.
   CREATE TABLE events (
     seq INTEGER PRIMARY KEY,
     session_id INTEGER NOT NULL,
     source_id INTEGER NOT NULL,
     key TEXT NOT NULL,
     digest TEXT NOT NULL,             -- empty where the origin has none
     type TEXT NOT NULL,
     entity TEXT NOT NULL,
     at NUMERIC NOT NULL,
     parent TEXT,
     record INTEGER,                   -- seq of the first event of the same record, which has its raw text
     body TEXT NOT NULL,               -- the remaining fields, as JSON
     raw TEXT                          -- the record exactly as the agent wrote it
   )`,
  `CREATE UNIQUE INDEX events_by_origin ON events (source_id, key, digest)`,
  `CREATE INDEX events_by_session ON events (session_id)`,

  `-- Messages that were counted already, since an agent may report one many times. Channel is its rank.
   CREATE TABLE messages (
     session_id INTEGER NOT NULL,
     channel INTEGER NOT NULL,
     entity TEXT NOT NULL,
     PRIMARY KEY (session_id, channel, entity)
   ) WITHOUT ROWID`,

  `-- Tokens of one message, turn or run, as reported last. rank = scope * 8 + channel: message before turn before run,
   -- then the better channel first. Only the rows of a session's lowest rank count.
   CREATE TABLE usages (
     session_id INTEGER NOT NULL,
     rank INTEGER NOT NULL,
     entity TEXT NOT NULL,
     agent TEXT NOT NULL,
     at NUMERIC NOT NULL,
     model TEXT,
     input INTEGER,
     output INTEGER,
     total INTEGER,
     cached INTEGER,
     cache_write INTEGER,
     thought INTEGER,
     tool INTEGER,
     cost REAL,
     models TEXT,                      -- the split of a run by model, as JSON
     PRIMARY KEY (session_id, rank, entity)
   ) WITHOUT ROWID`,
  `-- Finds the message that a forked session holds as well (rank 0: a message, as the transcript has it).
   CREATE INDEX usages_by_entity ON usages (entity, session_id) WHERE rank = 0`,

  `-- The usages that count, summed by quarter hour: days begin at a quarter hour everywhere. Made when they are asked
   -- for, since a message reports its tokens several times.
   CREATE TABLE usage_slots (
     session_id INTEGER NOT NULL,
     slot INTEGER NOT NULL,
     model TEXT,
     input INTEGER,
     output INTEGER,
     total INTEGER,
     cached INTEGER,
     cache_write INTEGER,
     thought INTEGER,
     tool INTEGER,
     cost REAL,
     models TEXT
   )`,
  'CREATE INDEX usage_slots_by_session ON usage_slots (session_id)',

  `-- Full text. No text is kept here: a row's id is the seq of the event that it was made of, or of the last one where
   -- a live stream came in pieces. session is one word, s and the number of the session, to search only some of them.
   CREATE VIRTUAL TABLE search USING fts5 (
     text, session, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
   )`,
  `-- What is in the full text: which row holds an entity, and where its first piece is.
   CREATE TABLE documents (
     session_id INTEGER NOT NULL,
     kind INTEGER NOT NULL,
     entity TEXT NOT NULL,
     first INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (session_id, kind, entity)
   ) WITHOUT ROWID`,

  `-- Sessions that a person had deleted. They are not stored again.
   CREATE TABLE forgotten (
     agent TEXT NOT NULL,
     session TEXT NOT NULL,
     at INTEGER NOT NULL,
     PRIMARY KEY (agent, session)
   ) WITHOUT ROWID`,

  `-- What collectors remember, as JSON: how far a file was read, for one.
   CREATE TABLE marks (
     name TEXT PRIMARY KEY,
     value TEXT NOT NULL
   ) WITHOUT ROWID`,

  `-- Names that one process at a time holds. The row stays when a lease is given back, so that its term can grow.
   CREATE TABLE leases (
     name TEXT PRIMARY KEY,
     term INTEGER NOT NULL,
     holder TEXT,                      -- who, as JSON; null when it is free
     expires_at INTEGER NOT NULL
   ) WITHOUT ROWID`,

  `-- Questions of agents to a person, and the one answer to each, as JSON.
   CREATE TABLE asks (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     agent TEXT NOT NULL,
     session TEXT NOT NULL,
     id TEXT NOT NULL,
     digest TEXT NOT NULL,
     ask TEXT NOT NULL,
     answer TEXT,
     UNIQUE (agent, session, id)
   )`,
  `CREATE INDEX asks_pending ON asks (agent, session) WHERE answer IS NULL`,

  `-- Wishes of surfaces, each done once. The client chooses the id.
   CREATE TABLE commands (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     client TEXT NOT NULL,
     id TEXT NOT NULL,
     agent TEXT NOT NULL,
     session TEXT NOT NULL,
     state TEXT NOT NULL,
     at NUMERIC NOT NULL,
     body TEXT NOT NULL,               -- as JSON
     reason TEXT,
     UNIQUE (client, id)
   )`,
  `CREATE INDEX commands_by_state ON commands (state)`,
]

/** Tool calls, merged from all channels. Derived from events on demand, up to the number in meta 'called'. */
export const callsSchema: readonly string[] = [
  `CREATE TABLE calls (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     session_id INTEGER NOT NULL,
     entity TEXT NOT NULL,             -- as the best channel has it
     named INTEGER NOT NULL,           -- whether a channel with an id for it reported it
     call TEXT NOT NULL,               -- hash of the agent's own name and input, to find it without an id
     claude_call TEXT NOT NULL,        -- the same of Claude's name and input
     channel INTEGER NOT NULL,         -- the rank of the channel that reported tool, native, input and parent
     tool TEXT NOT NULL,
     native TEXT NOT NULL,
     input TEXT NOT NULL,              -- as JSON; long strings are cut
     parent TEXT,
     told_by INTEGER NOT NULL,         -- seq of the event that reported it
     at NUMERIC NOT NULL,              -- the earliest that any channel reported
     ended_channel INTEGER,            -- the rank of the channel that reported how it ended
     status TEXT NOT NULL,
     failed INTEGER NOT NULL,
     error TEXT,                       -- what a failed one gave back, cut where it is long
     ended_at NUMERIC,
     ended_by INTEGER                  -- seq of the event that reported its end
   )`,
  'CREATE INDEX calls_by_session ON calls (session_id, call)',
  'CREATE INDEX calls_by_claude_call ON calls (session_id, claude_call)',
  'CREATE INDEX calls_unnamed ON calls (session_id) WHERE named = 0',
  'CREATE INDEX calls_by_time ON calls (at)',
  'CREATE INDEX calls_failed ON calls (at) WHERE failed = 1',
  `-- Which call an event means. A channel without ids names equal calls equally and reports them in order: number.
   CREATE TABLE call_names (
     session_id INTEGER NOT NULL,
     entity TEXT NOT NULL,
     channel INTEGER NOT NULL,
     number INTEGER NOT NULL,
     call_id INTEGER,                  -- null where a fork holds a call of another session
     ended INTEGER NOT NULL,
     PRIMARY KEY (session_id, entity, channel, number)
   ) WITHOUT ROWID`,
  'CREATE INDEX call_names_waiting ON call_names (session_id, entity, channel, number) WHERE ended = 0',
  'CREATE INDEX call_names_by_entity ON call_names (entity) WHERE channel = 0',
  'CREATE INDEX call_names_by_call ON call_names (call_id, channel)',
  `-- When the user sent prompts, to separate the turns of a session.
   CREATE TABLE prompts (
     session_id INTEGER NOT NULL,
     channel INTEGER NOT NULL,
     at NUMERIC NOT NULL,
     entity TEXT NOT NULL,
     PRIMARY KEY (session_id, channel, at, entity)
   ) WITHOUT ROWID`,
  "INSERT INTO meta VALUES ('called', 0)",
]

/** The audit log. Entries never change, except that details of forgotten sessions are removed. */
export const auditSchema: readonly string[] = [
  `CREATE TABLE audit (
     number INTEGER PRIMARY KEY,
     at NUMERIC NOT NULL,
     what TEXT NOT NULL,
     who TEXT NOT NULL,
     agent TEXT,
     session TEXT,
     detail TEXT,                      -- as JSON with sorted keys; null if there was none, or it was forgotten
     salt TEXT,                        -- what the detail was mixed with before it was hashed; goes with it
     detail_hash TEXT,                 -- stays
     hash TEXT NOT NULL                -- of the hash before it and of all above but detail and salt
   )`,
  'CREATE INDEX audit_by_session ON audit (agent, session)',
  `-- How many entries there are, and the hash of the last one.
   INSERT INTO meta VALUES ('audit', '{"count":0,"hash":""}')`,
]

/** The machines that share a ledger; empty if it belongs to one machine. */
export const nodesSchema: readonly string[] = [
  `CREATE TABLE nodes (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     version TEXT NOT NULL,
     live TEXT NOT NULL,               -- its live sessions, as JSON
     seen_at INTEGER NOT NULL
   ) WITHOUT ROWID`,
  `-- The machine that reported it first.
   ALTER TABLE sessions ADD COLUMN node TEXT`,
]

const countCommandChange = `
  UPDATE meta SET value = value + 1 WHERE name = 'command_changes';
  UPDATE commands SET changed = (SELECT value FROM meta WHERE name = 'command_changes') WHERE number = new.number;`

/** Numbers every change to a command. Triggers do it, so that it also works for processes of an older version. */
export const commandChangesSchema: readonly string[] = [
  'ALTER TABLE commands ADD COLUMN changed INTEGER NOT NULL DEFAULT 0',
  'CREATE INDEX commands_by_change ON commands (changed)',
  "INSERT INTO meta VALUES ('command_changes', 0)",
  `CREATE TRIGGER command_inserted AFTER INSERT ON commands BEGIN ${countCommandChange} END`,
  `CREATE TRIGGER command_updated AFTER UPDATE OF agent, session, state, body, reason ON commands
   BEGIN ${countCommandChange} END`,
]
