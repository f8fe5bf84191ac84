export { openLedger } from './open-ledger.ts'
export type { OpenLedgerOptions } from './open-ledger.ts'
export { databaseVariable, readHomeDatabase } from './home-database.ts'
export type { HomeOptions } from './home-database.ts'
export { checkDatabase, describeDatabase } from './database-url.ts'
export { getOwnNode, renameNode } from './node-file.ts'
export type { OwnNode } from './node-file.ts'
export { endMove, readMoveCursor, moveLedger } from './move.ts'
export type { MoveOptions, MoveProgress, MoveResult } from './move.ts'
export { archiveMonths, getMonths } from './archive-months.ts'
export type { ArchiveOptions, ArchiveProgress } from './archive-months.ts'
export { verifyMove } from './verify-move.ts'
export type { MoveDifference, MoveVerdict } from './verify-move.ts'
export { mask, maskAll } from '@remora/protocol/plain'
export { callGroups, usageGroups } from './ledger.ts'
export type {
  AppendOptions,
  Appended,
  Archive,
  ArchiveFields,
  ArchiveLabel,
  ArchivedSession,
  AskStore,
  AuditEntry,
  AuditFields,
  AuditLog,
  CallCount,
  CallCountsQuery,
  CallEntry,
  CallGroup,
  CallsQuery,
  CommandStore,
  IndexOptions,
  IndexProgress,
  HeldLease,
  Lease,
  LeaseHolder,
  LeaseStore,
  Ledger,
  LedgerSize,
  MonthEntry,
  MonthPage,
  MonthStore,
  MovePart,
  MoveRows,
  MoveStore,
  NodeEntry,
  NodeFields,
  NodeStore,
  Page,
  Pruned,
  ReadQuery,
  SealedEntry,
  SearchHit,
  SearchQuery,
  SessionEntry,
  SessionKey,
  SessionNotes,
  SessionsQuery,
  StoredEvent,
  TailQuery,
  UsageEntry,
  UsageGroup,
  UsageQuery,
} from './ledger.ts'
