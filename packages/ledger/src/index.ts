export { openLedger } from './open-ledger.ts'
export type { OpenLedgerOptions } from './open-ledger.ts'
export { databaseVariable, homeDatabase } from './home-database.ts'
export type { HomeOptions } from './home-database.ts'
export { checkDatabase, describeDatabase } from './database-url.ts'
export { ownNode, renameNode } from './node-file.ts'
export type { OwnNode } from './node-file.ts'
export { endMove, movedTo, moveLedger } from './move.ts'
export type { MoveOptions, MoveProgress, Moved } from './move.ts'
export { archiveMonths, monthsOf } from './archive-months.ts'
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
