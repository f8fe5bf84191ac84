export { RemoraError, errorCodes } from './error.ts'
export type { ErrorCode } from './error.ts'
export { addUsage } from './add-usage.ts'
export { Usage } from './usage.ts'
export {
  Block,
  MediaSource,
  Message,
  Role,
  SlashCommandBlock,
  TextBlock,
  ThinkingBlock,
  ToolOutput,
  ToolResultBlock,
  ToolStatus,
  ToolUseBlock,
} from './message.ts'
export {
  answerSources,
  askKinds,
  canMove,
  channels,
  commandStates,
  mediaKinds,
  originId,
  personRoles,
  promptKinds,
  statuses,
} from './constants.ts'
export { textOf } from './text-of.ts'
export { type MarkedPiece, formatMarked, markText } from './request/mark-text.ts'
export { type RequestText, formatExact, formatRequest, listRequestTexts } from './request/format-request.ts'
export { type RequestParts, getRequestParts } from './request/request-parts.ts'
export type { MediaBlock, MediaKind, PromptBlock } from './message.ts'
export { Channel, Event, Origin } from './event.ts'
export type { EventOf, EventRecord, EventSink, EventType } from './event.ts'
export { Answer, Ask, AskOption } from './ask.ts'
export type { AskBroker, AskedCall } from './ask.ts'
export { PersonRole } from './person.ts'
export { Command, CommandBody, CommandState, PromptKind } from './command.ts'
export { Cursor, formatCursor, parseCursor } from './cursor.ts'
export {
  type MessageChange,
  SessionFold,
  callEntity,
  fold,
  isInterruption,
  totalUsage,
} from './fold/index.ts'
export { mask, maskAll } from './mask.ts'
export { JsonError, isDeeper, limitDepth, maxJsonDepth, parseJson, tooDeep } from './json.ts'
export type { JsonFault } from './json.ts'
export { isMcpTool, parseMcpName } from './mcp-name.ts'
export { isTool, toolInputs } from './tools.ts'
export type { ToolInput, ToolName } from './tools.ts'
export { extractJSON } from './extract-json.ts'
export { LiveFrame, LiveInfo, LiveNode, LiveState, StartRequest } from './live.ts'
export { ClientMessage, ServerMessage, heartbeatMs, staleMs } from './wire.ts'
