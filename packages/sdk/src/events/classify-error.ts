import type { ErrorCode } from '@remora/protocol/plain'

/** The error that a CLI reported, in whichever of these forms. */
export interface Failure {
  readonly message: string
  /** The HTTP status of the model's answer. */
  readonly status?: number | undefined
  /** The CLI's own name of the error. */
  readonly type?: string | undefined
}

/** The error code of a failure, and what the user can do about it. */
export interface Classified {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly hint: string
}

interface Rule {
  readonly code: ErrorCode
  readonly retryable?: true
  readonly status?: readonly number[]
  readonly pattern?: RegExp
  readonly hint: string
}

// The first matching rule wins, so special rules come before general ones: a daily quota is reported as a 429 too.
const rules: readonly Rule[] = [
  {
    // Errors about arguments come first, because an argument's name may match a rule below.
    code: 'input',
    pattern:
      /^\s*(error: )?(unknown (argument|option)|unexpected argument|invalid values?[: ]|not enough (non-option )?arguments|missing required argument|cannot use both)/i,
    hint: 'Check the arguments that are given to the CLI itself.',
  },
  {
    code: 'untrusted',
    pattern:
      /not (running in )?a trusted (folder|directory)|untrusted (folder|workspace|directory)|trusted directory/i,
    hint: 'Trust the folder in the CLI, or run with skipTrust if you know what is in it.',
  },
  {
    code: 'budget',
    pattern: /\bmax(imum)?[ _-](session[ _-])?turns?\b|\bturn limit\b|\berror_max_(turns|budget)/i,
    hint: 'Raise the limit in the CLI’s settings or arguments, or ask for less at a time.',
  },
  {
    // Before the network rule, because Codex reports it as a broken connection.
    code: 'input',
    pattern: /content[_ ]filter|violate .{0,20}usage policy|safeguards flagged|prohibited_content/i,
    hint: 'The model’s provider refused to answer; ask in another way.',
  },
  {
    code: 'context_overflow',
    pattern:
      /context (window|length)|prompt is too long|too many (input )?tokens|token count .{0,40}exceeds|maximum context|input is too long/i,
    hint: 'Start a new session, or send less.',
  },
  {
    // Google's plain 429 says "e.g. check quota" and is only a rate limit.
    code: 'quota',
    pattern:
      /(?<!check )quota(?! increase)|per ?day|insufficient_quota|credit balance|billing|usage limit|out of credits|RESOURCE_EXHAUSTED.{0,80}limit: 0/i,
    hint: 'Wait until the quota is renewed, or use another key or model.',
  },
  {
    code: 'model_not_found',
    pattern:
      /model.{0,80}(not found|does not exist|not supported|not available)|(unknown|invalid|no such) model|ModelNotFound/i,
    hint: 'Check the name of the model.',
  },
  {
    code: 'auth',
    status: [401],
    pattern:
      /api[ _-]?key|unauthori[sz]ed|authenticat|not logged in|log ?in (to|with|again)|invalid auth|credentials|UNAUTHENTICATED|oauth/i,
    hint: 'Log in with the CLI itself, or give it a valid API key. remora doctor says what it looks for.',
  },
  {
    code: 'permission',
    status: [403],
    pattern: /permission[ _]denied|PERMISSION_DENIED|forbidden|requires approval|policy_violation/i,
    hint: 'The account or the mode does not allow it.',
  },
  {
    code: 'rate_limit',
    retryable: true,
    status: [429],
    pattern: /rate.?limit|too many requests|RESOURCE_EXHAUSTED|resource has been exhausted/i,
    hint: 'Wait a little, or run fewer agents at once.',
  },
  {
    code: 'overloaded',
    retryable: true,
    status: [500, 502, 503, 504, 529],
    pattern:
      /overloaded|high demand|unavailable|internal (server )?error|bad gateway|server had an error|empty response/i,
    hint: 'The model’s service is in trouble; try again later.',
  },
  {
    code: 'network',
    retryable: true,
    pattern:
      /ECONNRE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|socket hang up|fetch failed|network|connection (was )?(closed|reset|refused|error|lost)|stream (was )?(disconnected|closed|ended)|terminated|incomplete|premature/i,
    hint: 'Check the connection, then try again.',
  },
  {
    code: 'model_not_found',
    status: [404],
    hint: 'Check the name of the model and the address of its service.',
  },
  {
    code: 'input',
    status: [400, 413, 422],
    pattern:
      /invalid (session|request|argument|input)|no input|session .{0,60}(not found|already)|no conversation found|no rollout found|no session|bad request/i,
    hint: 'Check the prompt and the options.',
  },
]

/**
 * Maps an agent's error to one of our error codes.
 *
 * @example classifyError({ message: 'Quota exceeded', status: 429 }).code // 'quota'
 */
export function classifyError({ message, status, type }: Failure): Classified {
  const text = `${type ?? ''} ${message}`
  const known = status ?? statusIn(message)
  const rule =
    rules.find((each) => each.pattern?.test(text) && fits(each, known)) ??
    rules.find((each) => known !== undefined && each.status?.includes(known))
  if (!rule) return { code: 'unknown', retryable: false, hint: 'See the message and the CLI’s own output.' }
  return { code: rule.code, retryable: rule.retryable === true, hint: rule.hint }
}

// Any text may contain such a word, so a status that indicates another kind of failure takes precedence.
function fits(rule: Rule, status: number | undefined): boolean {
  if (status === undefined || rule.status?.includes(status)) return true
  if (rule.code === 'quota') return status === 429 || status === 403 || status === 402
  if (rule.code === 'auth') return status === 400
  if (rule.code === 'model_not_found') return status === 404 || status === 400
  if (rule.code === 'context_overflow' || rule.code === 'untrusted') return status < 500
  return false
}

/** Finds the HTTP status in a message, such as `[API Error: … "code": 503]` or `status 401`. */
function statusIn(message: string): number | undefined {
  const match =
    /(?:status(?: code)?|code|error|http)["']?\s*[:=]?\s*\(?([45]\d\d)\b/i.exec(message) ??
    /\b([45]\d\d) [A-Z]/.exec(message)
  return match ? Number(match[1]) : undefined
}
