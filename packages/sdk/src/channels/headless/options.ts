import { type EventSink, PromptKind, RemoraError } from '@remora/protocol'
import { z } from 'zod'
import type { McpServer, Mode } from '../../contract/agent.ts'
import { type OutputWish, outputFormat } from '../../runs/read-output.ts'

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
  mode: z.string().min(1).optional(),
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

/** The options of a run. */
export interface RunOptions {
  readonly prompt: string
  /** The kind of the prompt. Text is the default, and is never run as a command. */
  readonly promptKind?: 'text' | 'slash'
  /** The working directory; that of this process by default. */
  readonly cwd?: string
  /** The id of the new session, for agents that support it. */
  readonly sessionId?: string
  /** Resumes a session: its id, or `latest` (or true) for the folder's last one. */
  readonly resume?: string | true
  /** With `resume`: continues in a copy and leaves the old session unchanged. */
  readonly fork?: boolean
  readonly model?: string
  readonly effort?: string
  /** A mode by any of its names: `ask`, `acceptEdits`, `plan` (read-only), `auto`, `bypass`, or the CLI's own. */
  readonly mode?: Mode
  readonly systemPrompt?: string
  /** Text before the prompt, such as earlier messages of a chat. */
  readonly context?: string
  readonly media?: readonly z.infer<typeof media>[]
  readonly mcpServers?: Readonly<Record<string, McpServer>>
  /** Tools that run without approval, in the CLI's own syntax. */
  readonly allow?: readonly string[]
  /** Runs in a folder that the user has not trusted. */
  readonly skipTrust?: boolean
  /** Added to this process's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly extraArgs?: readonly string[]
  readonly signal?: AbortSignal
  /** Milliseconds until the first line, between two lines, and in total. No idle timeout by default, since tools may run for hours. */
  readonly timeouts?: { readonly startup?: number; readonly idle?: number; readonly total?: number }
  /** Retries after a temporary failure, as long as the agent has produced nothing. */
  readonly retry?: { readonly attempts: number; readonly baseMs?: number }
  /** API keys; the next one is used when a key is rejected or its quota is exhausted. */
  readonly keys?: readonly string[]
  /** A zod schema, a JSON schema, or `json` for any value: the answer is parsed into `result.data`. */
  readonly output?: OutputWish
  readonly sink?: EventSink
  /** The caller's name of a conversation that continues from run to run. */
  readonly conversation?: string
}

/** Throws for invalid options. */
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
