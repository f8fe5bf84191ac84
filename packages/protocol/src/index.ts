export { RemoraError, errorCodes } from './error.ts'
export type { ErrorCode } from './error.ts'
export { Usage, addUsage } from './usage.ts'
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
  mediaKinds,
  textOf,
} from './message.ts'
export type { MediaBlock, MediaKind, PromptBlock } from './message.ts'
export { Channel, Event, Origin, channels, originId, statuses } from './event.ts'
export type { EventOf, EventType } from './event.ts'
export { Answer, Ask, AskOption, answerSources, askKinds } from './ask.ts'
export type { AskBroker } from './ask.ts'
export { Command, CommandBody, CommandState, canMove, commandStates } from './command.ts'
export { Cursor, formatCursor, parseCursor } from './cursor.ts'
export type { EventRecord, EventSink } from './sink.ts'
export { fold, totalUsage } from './fold/index.ts'
export { callEntity } from './fold/call.ts'
export { isMcpTool, isTool, parseMcpName, toolInputs } from './tools.ts'
export type { ToolInput, ToolName } from './tools.ts'
export { extractJSON } from './extract-json.ts'
