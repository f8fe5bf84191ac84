import { setTimeout as sleep } from 'node:timers/promises'
import { mask } from '@remora/ledger'
import type { LiveInfo } from '@remora/protocol/plain'
import { ensureServer } from '../../client/background.ts'
import { findLive, liveSessions } from '../../client/find-live.ts'
import type { Io } from '../../command/io.ts'
import { loadConfig } from '../../home/config.ts'
import { deadline } from '../../live/deadline.ts'
import { submitPrompt } from '../../live/send-prompt.ts'
import { awaitTurn } from '../../live/turn.ts'
import { type RemoraTool, type ToolContext, amount, word } from './tool.ts'

const session = {
  type: 'string',
  description: 'A live session: its id from live_sessions, or the agent’s own session id',
  required: true,
} as const
const seconds = {
  type: 'number',
  description: 'Maximum time to wait; 300 by default, 3600 at most',
} as const
const lookMs = 500

export const live: RemoraTool = {
  name: 'live_sessions',
  description:
    'Lists the agents that Remora manages now: which can be prompted, their state, and whether they wait for a person.',
  readOnly: true,
  fields: {},
  async run(_, { io, signal }) {
    await ensureServer(io)
    return { live: (await liveSessions(io, signal)).map(toLiveSummary) }
  },
}

export const prompt: RemoraTool = {
  name: 'prompt',
  description:
    'Sends text to another live session. It never runs as a shell command or slash command. A person or a policy decides what that agent asks for, never you. Sessions that run tools without asking refuse it unless the user allows that. Waits for the answer unless wait is false.',
  readOnly: false,
  fields: {
    session,
    text: { type: 'string', description: 'The prompt', required: true },
    wait: { type: 'boolean', description: 'Whether to wait for the answer; true by default' },
    seconds,
  },
  async run(input, { io, ledger, signal }) {
    await ensureServer(io)
    const target = await findLive(io, word(input, 'session')!)
    const after = await ledger.head()
    const unattended = (await loadConfig(io)).get('mcp.promptUnattended') === 'true'
    const text = word(input, 'text')!
    const command = await submitPrompt(io, target, text, { via: 'mcp', unattended, signal })
    if (input['wait'] === false) return { session: target.id, state: command.state }
    using limit = deadline(signal, amount(input, 'seconds', 300, 3600) * 1000)
    try {
      const end = await awaitTurn(ledger, target, command, {
        io,
        signal: limit.signal,
        after,
      })
      return { session: target.id, ...end, text: mask(end.text), ...hint(end.state) }
    } catch (error) {
      if (!limit.passed) throw error
      return { session: target.id, state: 'working', hint: 'No answer yet. Use the tool wait.' }
    }
  },
}

export const wait: RemoraTool = {
  name: 'wait',
  description: 'Waits until a live session is idle, waits for a person, or has ended, and returns its state.',
  readOnly: true,
  fields: { session, seconds },
  async run(input, { io, signal }: ToolContext) {
    await ensureServer(io)
    const target = await findLive(io, word(input, 'session')!)
    const until = Date.now() + amount(input, 'seconds', 300, 3600) * 1000
    for (;;) {
      const now = await current(io, target, signal)
      const busy =
        now.state === 'working' || now.state === 'starting' || (now.state === 'idle' && now.queued > 0)
      if (!busy || Date.now() > until) return { ...toLiveSummary(now), ...hint(now.state) }
      await sleep(lookMs, undefined, { signal })
    }
  },
}

async function current(io: Io, target: LiveInfo, signal: AbortSignal): Promise<LiveInfo> {
  const found = (await liveSessions(io, signal)).find(({ id }) => id === target.id)
  return found ?? { ...target, state: 'ended' }
}

function toLiveSummary({ id, agent, session, state, detail, cwd, title, asks, queued, worktree }: LiveInfo) {
  return {
    id,
    agent,
    session,
    state,
    detail: detail === undefined ? undefined : mask(detail),
    cwd,
    title: title === undefined ? undefined : mask(title),
    asks,
    queued,
    worktree: worktree?.branch,
  }
}

function hint(state: string): { hint?: string } {
  return state === 'asking'
    ? { hint: 'It waits for a person’s approval or answer. You cannot answer it.' }
    : {}
}
