export { openLedger } from './open-ledger.ts'
export type { OpenLedgerOptions } from './open-ledger.ts'
export { mask } from './mask.ts'
export { usageGroups } from './ledger.ts'
export type {
  AppendOptions,
  Appended,
  AskStore,
  CommandStore,
  IndexOptions,
  IndexProgress,
  HeldLease,
  Lease,
  LeaseHolder,
  LeaseStore,
  Ledger,
  LedgerSize,
  Page,
  Pruned,
  ReadQuery,
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
