import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import { SessionFold } from '@remora/protocol/fold'
import { type Command, type Cursor, type LiveInfo, RemoraError, getMessageText } from '@remora/protocol/plain'
import { liveSessions } from '../client/find-live.ts'
import type { Io } from '../command/io.ts'

const lookMs = 250
/** The transcript may lag behind the agent, and the import behind the transcript. */
const trailMs = { done: 15_000, ended: 5000, asking: 0 }

/** How a prompt ended. */
interface TurnEnd {
  readonly state: 'done' | 'asking' | 'ended' | 'refused' | 'withdrawn'
  /** The agent's answer. */
  readonly text: string
  readonly reason?: string
}

/**
 * Waits until a prompt is answered, or until the agent asks something, and returns its answer.
 *
 * @example const { text } = await awaitTurn(ledger, live, command, { io, signal, after })
 */
export async function awaitTurn(
  ledger: Ledger,
  live: LiveInfo,
  command: Command,
  { io, signal, after }: { readonly io: Io; readonly signal: AbortSignal; readonly after: Cursor },
): Promise<TurnEnd> {
  for (let asked = 0; ;) {
    signal.throwIfAborted()
    const now = await readState(ledger, live, command, io, signal)
    if (now.command.state === 'refused' || now.command.state === 'withdrawn')
      return {
        state: now.command.state,
        text: '',
        ...(now.command.reason === undefined ? {} : { reason: now.command.reason }),
      }
    // Checked twice, because the ask may have just been answered.
    asked = now.state === 'asking' ? asked + 1 : 0
    if (now.state !== undefined && asked !== 1) {
      const text = await answerText(ledger, () => readKey(live, io), command, after, trailMs[now.state])
      return { state: now.state, text: now.command.state === 'queued' ? '' : text }
    }
    await sleep(lookMs, undefined, { signal }).catch(() => {})
  }
}

async function readState(
  ledger: Ledger,
  live: LiveInfo,
  command: Command,
  io: Io,
  signal: AbortSignal,
): Promise<{ command: Command; state?: 'done' | 'asking' | 'ended' }> {
  const current = (await liveSessions(io, signal)).find(({ id }) => id === live.id)
  const about = { command: (await ledger.commands.find(command)) ?? command }
  if (about.command.state === 'done') return { ...about, state: 'done' }
  if (!current || current.state === 'ended') return { ...about, state: 'ended' }
  // Also for queued prompts, which are not sent before the ask is answered.
  if (current.state === 'asking') return { ...about, state: 'asking' }
  return about
}

/** The agent's session id is known only after its first output. */
async function readKey({ id, agent, session }: LiveInfo, io: Io): Promise<SessionKey> {
  const current = (await liveSessions(io)).find((each) => each.id === id)
  return { agent, session: current?.session ?? session }
}

/** The assistant's text after the prompt. Waits a little if nothing is stored yet. */
async function answerText(
  ledger: Ledger,
  key: () => Promise<SessionKey>,
  command: Command,
  after: Cursor,
  timeoutMs: number,
): Promise<string> {
  const prompt = command.body.kind === 'prompt' ? getMessageText(command.body).trim() : ''
  let session: SessionReader | undefined
  for (const until = Date.now() + timeoutMs; ; await sleep(lookMs)) {
    const current = await key()
    if (session?.key.session !== current.session) session = new SessionReader(ledger, current, after.seq)
    const text = await session.findAnswer(prompt)
    if (text !== '' || Date.now() >= until) return text
  }
}

/** Reads a session, and on each further call only its new events. */
class SessionReader {
  readonly key: SessionKey
  readonly #ledger: Ledger
  readonly #after: number
  readonly #fold = new SessionFold()
  /** The entities of events after the prompt was sent. */
  readonly #fresh = new Set<string>()
  #cursor: Cursor | undefined

  constructor(ledger: Ledger, key: SessionKey, after: number) {
    this.#ledger = ledger
    this.key = key
    this.#after = after
  }

  async findAnswer(prompt: string): Promise<string> {
    for (;;) {
      const page = await this.#ledger.read({ session: this.key, after: this.#cursor })
      this.#cursor = page.cursor
      if (page.events.length === 0) break
      this.#fold.apply(page.events.map(({ event }) => event))
      for (const { seq, event } of page.events) if (seq > this.#after) this.#fresh.add(event.entity)
    }
    const messages = this.#fold.messages.filter(({ context }) => !context)
    const start = messages.findLastIndex(
      ({ role, content, id }) =>
        role === 'user' && (this.#fresh.has(id) || getMessageText({ content }).trim() === prompt),
    )
    if (start < 0) return ''
    return messages
      .slice(start + 1)
      .filter(({ role, parent }) => role === 'assistant' && parent === undefined)
      .map((message) => getMessageText(message).trim())
      .filter(Boolean)
      .join('\n\n')
  }
}

/** Why a prompt has no answer. */
export function turnFailure({ state, reason }: TurnEnd, live: LiveInfo): RemoraError | undefined {
  if (state === 'done') return undefined
  if (state === 'asking')
    return new RemoraError('permission', `${live.agent} ${live.id} is waiting for approval`, {
      hint: 'Answer it: remora asks',
    })
  if (state === 'ended')
    return new RemoraError('crashed', `${live.agent} ${live.id} has ended`, {
      hint: `Read it: remora show ${live.session}`,
    })
  return new RemoraError('conflict', reason ?? 'The prompt was withdrawn before it was sent', {
    hint: 'Check the session: remora ls',
  })
}
