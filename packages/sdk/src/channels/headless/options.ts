import { type EventSink, PromptKind, RemoraError } from '@remora/protocol'
import { z } from 'zod'
import { type McpServer, type Mode, modes } from '../../contract/agent.ts'
import { type OutputWish, outputFormat } from '../../runs/output-format.ts'

const milliseconds = z.number().int().positive()

export const mcpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({ url: z.url(), headers: z.record(z.string(), z.string()).optional() }),
])

const media = z.union([
  z.strictObject({ path: z.string().min(1), mediaType: z.string().optional() }),
  z.strictObject({ bytes: z.instanceof(Uint8Array), mediaType: z.string(), name: z.string().optional() }),
])

const schema = z.strictObject({
  prompt: z.string(),
  promptKind: PromptKind.exclude(['shell']).optional(),
  cwd: z.string().optional(),
  sessionId: z.string().min(1).optional(),
  resume: z.union([z.string().min(1), z.literal(true)]).optional(),
  fork: z.boolean().optional(),
  model: z.string().min(1).optional(),
  effort: z.string().min(1).optional(),
  mode: z.enum(modes).optional(),
  systemPrompt: z.string().optional(),
  context: z.string().optional(),
  media: z.array(media).optional(),
  mcpServers: z.record(z.string().regex(/^[\w-]+$/), mcpServer).optional(),
  allow: z.array(z.string().min(1)).optional(),
  skipTrust: z.boolean().optional(),
  env: z.record(z.string(), z.string().optional()).optional(),
  extraArgs: z.array(z.string()).optional(),
  signal: z.instanceof(AbortSignal).optional(),
  timeouts: z
    .strictObject({
      startup: milliseconds.optional(),
      idle: milliseconds.optional(),
      total: milliseconds.optional(),
    })
    .optional(),
  retry: z
    .strictObject({ attempts: z.number().int().min(1).max(20), baseMs: z.number().nonnegative().optional() })
    .optional(),
  keys: z.array(z.string().min(1)).min(1).optional(),
  output: z.unknown().optional(),
  sink: z
    .custom<EventSink>((value) => typeof (value as EventSink | undefined)?.write === 'function')
    .optional(),
  conversation: z.string().min(1).optional(),
})

/** What a run may be told. Everything but the prompt is optional. */
export interface RunOptions {
  readonly prompt: string
  /** What the prompt is; text by default, which the agent never runs as a command. */
  readonly promptKind?: 'text' | 'slash'
  /** Where the agent works; this process's folder where it is left out. */
  readonly cwd?: string
  /** The id that the new session shall have, for agents that let one choose. */
  readonly sessionId?: string
  /** Goes on with a session: its id, or `latest` (or true) for the folder's last one. */
  readonly resume?: string | true
  /** With `resume`: leaves the old session as it is and goes on in a copy. */
  readonly fork?: boolean
  readonly model?: string
  readonly effort?: string
  /** `default` asks the CLI's own rules, `plan` is read-only, `bypassPermissions` allows everything. */
  readonly mode?: Mode
  readonly systemPrompt?: string
  /** Put before the prompt, apart from it, such as what else was said in a chat. */
  readonly context?: string
  readonly media?: readonly z.infer<typeof media>[]
  readonly mcpServers?: Readonly<Record<string, McpServer>>
  /** Tools that run unasked, in the CLI's own words for them. */
  readonly allow?: readonly string[]
  /** Runs in a folder that the user has not trusted. */
  readonly skipTrust?: boolean
  /** Added to this process's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly extraArgs?: readonly string[]
  readonly signal?: AbortSignal
  /** Milliseconds until the first line, between two lines, and in all. Idle is off unless set: tools run for hours. */
  readonly timeouts?: { readonly startup?: number; readonly idle?: number; readonly total?: number }
  /** How often to start again after a failure that may pass, before the agent has said anything. */
  readonly retry?: { readonly attempts: number; readonly baseMs?: number }
  /** API keys, the next of which is taken when one is refused or used up. */
  readonly keys?: readonly string[]
  /** A zod schema, a JSON schema, or `json` for any value: the answer is parsed into `result.data`. */
  readonly output?: OutputWish
  readonly sink?: EventSink
  /** A name of the caller's for a conversation that goes on from run to run. */
  readonly conversation?: string
}

/** Throws at once where the caller made a mistake: that is not the agent's failure. */
export function checkOptions(options: RunOptions): RunOptions {
  const checked = schema.safeParse(options)
  if (!checked.success) {
    const [issue] = checked.error.issues
    const path = issue?.path.join('.')
    throw new RemoraError('usage', `run: ${path ? `option ${path}: ` : ''}${issue?.message}`, {
      hint: 'See docs/headless.md for the options.',
    })
  }
  const { prompt, media: files, resume, sessionId, fork, conversation, output } = options
  const wrong = (message: string) =>
    new RemoraError('usage', `run: ${message}`, { hint: 'See docs/headless.md for the options.' })
  if (prompt.trim() === '' && !files?.length) throw wrong('the prompt is empty')
  if (resume !== undefined && sessionId !== undefined) throw wrong('resume and sessionId exclude each other')
  if (conversation !== undefined && (resume !== undefined || sessionId !== undefined))
    throw wrong('conversation chooses the session itself, so it excludes resume and sessionId')
  if (fork && resume === undefined) throw wrong('fork needs resume')
  if (output !== undefined && output !== 'json' && (typeof output !== 'object' || output === null))
    throw wrong('output is a schema or "json"')
  if (output !== undefined) outputFormat(output)
  return options
}
