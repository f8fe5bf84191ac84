/**
 * What the engines share: row formats, query building, full text and notifications. Only packages that implement the
 * ledger contract import it. It is not part of the public API and changes without notice.
 */
export { ChangeNotifier } from './change-notifier.ts'
export { claimFile } from './claim-file.ts'
export { createLeaseLostError } from './lease-lost-error.ts'
export { toRecords } from './move.ts'
export { tailPages } from './tail-pages.ts'
export { formatDecider, getWinningAnswer, toAsk, toPendingAsk } from './rows/ask-row.ts'
export type { AskRow } from './rows/ask-row.ts'
export {
  AuditChecker,
  createChainConflict,
  toAuditEntry,
  forgottenEntry,
  advanceHead,
  createAuditRow,
} from './rows/audit-chain.ts'
export type { AuditHead, AuditRow } from './rows/audit-chain.ts'
export type { CallIndex, CallEnd, CallName, CallDetails } from './rows/call-index.ts'
export { toCallEntry } from './rows/call-entry.ts'
export type { CallRow } from './rows/call-entry.ts'
export { toCallCount, buildCallCountsSql, buildCallsSql } from './rows/call-query.ts'
export { hashCall, getCallName, recordCall, callEventTypes } from './rows/record-call.ts'
export type { CallEventType, CallEventRow } from './rows/record-call.ts'
export { checkTransition, toCommand } from './rows/command-row.ts'
export type { CommandRow } from './rows/command-row.ts'
export { decodeBody, decodeEvent, encodeBody, encodeRaw } from './rows/event-row.ts'
export type { EventRow } from './rows/event-row.ts'
export { Hits } from './rows/hits.ts'
export type { Match } from './rows/hits.ts'
export { scannedEvents, toPreview, getMessageText } from './rows/last-message.ts'
export { createLazyMoveStore } from './rows/lazy-moves.ts'
export { toMarkName } from './rows/mark-name.ts'
export { toPage, buildPageQuery } from './rows/move-rows.ts'
export { toSessionEntry } from './rows/session-entry.ts'
export type { SessionRow } from './rows/session-entry.ts'
export { getCountedMessage, getRank, summarize, getUsageRank } from './rows/summary.ts'
export type { Summary } from './rows/summary.ts'
export { collectTextChanges } from './rows/text-changes.ts'
export type { TextChange } from './rows/text-changes.ts'
export { joinText, readRowText } from './rows/text-row.ts'
export type { PieceRow, RawReader, TextRow } from './rows/text-row.ts'
export { columnNames, sumColumns, toUsageValues } from './rows/usage-columns.ts'
export { formatDay, toUsageEntries } from './rows/usage-entries.ts'
export type { UsageRow } from './rows/usage-entries.ts'
export { buildUsageSql } from './rows/usage-query.ts'
export type { UsageTable } from './rows/usage-query.ts'
export { documentKinds, textTypes } from './text/document.ts'
export type { Document } from './text/document.ts'
export { shortenToken, tokenize } from './text/tokens.ts'
export { parsePhrases } from './text/phrases.ts'
export type { Phrase } from './text/phrases.ts'
