export { RemoraError, errorCodes } from './model/error.ts'
export type { ErrorCode, SignInMethod } from './model/error.ts'
export { addUsage } from './model/add-usage.ts'
export { Usage } from './model/usage.ts'
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
} from './model/message.ts'
export {
  type FailureClass,
  answerSources,
  askKinds,
  canMove,
  channels,
  commandStates,
  failureClasses,
  mediaKinds,
  originId,
  personRoles,
  promptKinds,
  statuses,
} from './model/constants.ts'
export { ChannelSupport, Support, VersionRange } from './model/support.ts'
export { describeSupport } from './model/describe-support.ts'
export { getMessageText } from './model/message-text.ts'
export {
  type ModeLike,
  findMode,
  getModeName,
  isSelfApproving,
  mainModes,
  modeLikes,
  toModeLike,
} from './model/mode.ts'
export { type MarkedPiece, formatMarked, markText } from './request/mark-text.ts'
export { type RequestText, formatExact, formatRequest, listRequestTexts } from './request/format-request.ts'
export { type RequestParts, getRequestParts } from './request/request-parts.ts'
export type { MediaBlock, MediaKind, PromptBlock } from './model/message.ts'
export { Channel, Event, Origin } from './model/event.ts'
export type { EventOf, EventRecord, EventSink, EventType } from './model/event.ts'
export { Answer, Ask, AskOption } from './model/ask.ts'
export type { AskBroker, AskedCall } from './model/ask.ts'
export { PersonRole } from './model/person.ts'
export { Command, CommandBody, CommandState, PromptKind } from './model/command.ts'
export { Cursor, formatCursor, parseCursor } from './model/cursor.ts'
export {
  type MessageChange,
  SessionFold,
  callEntity,
  fold,
  isInterruption,
  totalUsage,
} from './fold/index.ts'
export { mask, maskAll } from './model/mask.ts'
export { JsonError, isDeeper, limitDepth, maxJsonDepth, parseJson, tooDeep } from './model/json.ts'
export type { JsonFault } from './model/json.ts'
export { isMcpTool, parseMcpName } from './model/mcp-name.ts'
export { isTool, toolInputs } from './model/tools.ts'
export type { ToolInput, ToolName } from './model/tools.ts'
export { extractJSON } from './model/extract-json.ts'
export { LiveFrame, LiveInfo, LiveNode, LiveState, ModeInfo, StartRequest } from './model/live.ts'
export { ClientMessage, ServerMessage, heartbeatMs, staleMs } from './model/wire.ts'
