// The part of the protocol without zod, for programs that must start quickly.
export { RemoraError, type SignInMethod, errorCodes } from './model/error.ts'
export { addUsage } from './model/add-usage.ts'
export { canonical } from './fold/call.ts'
export {
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
export { type Range, mask, maskAll, masked, secretsIn } from './model/mask.ts'
export { JsonError, isDeeper, limitDepth, maxJsonDepth, parseJson, tooDeep } from './model/json.ts'
export { isMcpTool, parseMcpName } from './model/mcp-name.ts'
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

export type * from './index.ts'
