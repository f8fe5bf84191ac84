import { resolve } from 'node:path'
import type { EventSink } from '@remora/protocol/plain'
import { type Agent, type RunOptions, run as start } from '@remora/sdk'
import { findSession } from '../args/find-session.ts'
import { readPrompt } from '../args/read-prompt.ts'
import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { agentEnvironment, pickAgent } from '../detection/survey.ts'
import { loadConfig } from '../home/config.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { colors } from '../output/colors.ts'
import { readOptions } from './read-options.ts'
import { type Screen, type View, showOne } from './show-run.ts'
import { showSideBySide } from './show-side-by-side.ts'

/** Runs the named agents and prints their output. */
export async function runAgents(input: Input, io: Io): Promise<number> {
  const [names, word] = input.positionals
  const agents = pickAgents(names!)
  const view = await createView(input, io)
  const options = await readOptions(input, io)
  if (agents.length > 1 && options.resume !== undefined && options.resume !== 'latest')
    throw new UsageError(
      '--resume with a session id needs exactly one agent',
      'Name that agent, or use --resume latest',
    )
  const resume = await findResumed(options.resume, agents, io)
  const prompt = await readPrompt(word, options.media !== undefined, io)
  const all = { ...options, ...(resume === undefined ? {} : { resume }), prompt }
  // Without transcripts, nothing else brings the session into the ledger.
  if (agents.every(({ transcripts }) => transcripts)) return runAll(agents, all, view, io)
  const { ledgerSink } = await import('@remora/intake')
  return withLedger(
    io,
    async (ledger) => {
      const sink = ledgerSink(ledger)
      try {
        return await runAll(agents, all, view, io, sink)
      } finally {
        await sink.close()
      }
    },
    { current: false },
  )
}

async function runAll(
  agents: readonly Agent[],
  options: RunOptions,
  view: View,
  io: Io,
  sink?: EventSink,
): Promise<number> {
  const settings = await loadConfig(io)
  // From here on Ctrl+C stops the agents.
  const signal = io.stopped?.()
  if (view.as === 'person') signal?.addEventListener('abort', () => printStopping(signal, io))
  const runs = agents.map((agent) => ({
    agent,
    run: start(agent, {
      ...options,
      ...(sink && !agent.transcripts ? { sink } : {}),
      env: exactly(agentEnvironment(agent, settings, io)),
      ...(signal ? { signal } : {}),
    }),
  }))
  const readerGone = (): boolean => signal?.reason === 'EPIPE'
  const screen: Screen = {
    terminal: io.terminal,
    out: (text) => io.out(text),
    // A reader that closes the pipe, such as `head`, needs no message.
    err: (text) => (readerGone() ? undefined : io.err(text)),
    drain: () => io.drain?.(),
  }
  const code = await (runs.length === 1
    ? showOne(runs[0]!, view, screen)
    : showSideBySide(runs, view, screen))
  return readerGone() ? 0 : code
}

const fullId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Resolves an id prefix or a name. The agent itself resolves full ids and ids that the ledger does not have, and `latest`
 * if it has transcripts.
 */
export async function findResumed(
  word: RunOptions['resume'],
  [agent]: readonly Agent[],
  io: Io,
): Promise<RunOptions['resume']> {
  const isLatest = word === 'latest' && agent!.transcripts !== undefined
  if (typeof word !== 'string' || isLatest || fullId.test(word)) return word
  try {
    return (await readLedger(io, (ledger) => findSession(ledger, word, io, agent!.id))).session
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'not_found') throw error
    return word
  }
}

function pickAgents(names: string): Agent[] {
  const agents = names.split(',').map((name) => pickAgent(name.trim()))
  const twice = agents.find((agent, index) => agents.indexOf(agent) !== index)
  if (twice) throw new UsageError(`${twice.id} is named twice`, 'Name each agent once')
  return agents
}

async function createView(input: Input, io: Io): Promise<View> {
  const { json, quiet, schema, thinking, cwd } = input.values
  if (json && quiet) throw new UsageError('--json and --quiet cannot be combined', 'Leave one of them out')
  return {
    as: json ? 'json' : quiet ? 'answer' : 'person',
    data: schema !== undefined,
    thinking: thinking === true,
    paint: await colors(input, io),
    cwd: resolve(io.cwd, typeof cwd === 'string' ? cwd : '.'),
    ...(typeof cwd === 'string' ? { elsewhere: resolve(io.cwd, cwd) } : {}),
  }
}

/** Unsets variables of this process that are not in the given environment. */
function exactly(env: Io['env']): Record<string, string | undefined> {
  const others = Object.keys(process.env).filter((name) => env[name] === undefined)
  return { ...Object.fromEntries(others.map((name) => [name, undefined])), ...env }
}

function printStopping(signal: AbortSignal, io: Io): void {
  if (signal.reason === 'SIGINT') io.err('\nStopping the agent. Press Ctrl+C again to quit immediately.\n')
}
