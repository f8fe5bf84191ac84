import { resolve } from 'node:path'
import { ledgerAsks, ledgerSink } from '@remora/intake'
import type { Ledger } from '@remora/ledger'
import type { AskBroker, Event, EventSink } from '@remora/protocol/plain'
import {
  type AcpCommand,
  type Agent,
  type ConnectOptions,
  type Connection,
  type PermissionWay,
  agents,
  connect,
} from '@remora/sdk'
import { findSession } from '../../args/find-session.ts'
import { fail, UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import { nearest } from '../../command/nearest.ts'
import type { Input } from '../../command/verb.ts'
import { listBrokenAgents } from '../../detection/added-agents.ts'
import { agentEnvironment, pickAgent } from '../../detection/survey.ts'
import { loadConfig } from '../../home/config.ts'
import { withLedger } from '../../ledger/with-ledger.ts'
import { colors } from '../../output/colors.ts'
import { shellWord } from '../../output/shell-word.ts'
import type { Writer } from '../printing/printer.ts'
import { atTerminal } from './at-terminal.ts'
import { inPipe } from './in-pipe.ts'
import { AgentCommands } from './slash-commands.ts'
import { type AskSignIn, openSignedIn } from './sign-in.ts'
import { Talk, type TalkStyle } from './talk.ts'

/** Everything a chat needs. */
export interface Setting {
  readonly io: Io
  readonly input: Input
  readonly style: TalkStyle
  readonly ledger: Ledger
  readonly commands: AgentCommands
  readonly signal: AbortSignal
  /** Starts the agent with a handler for its asks. */
  start(asks: AskBroker, writer: Writer, signal: AbortSignal, askSignIn?: AskSignIn): Promise<Talk>
  /** The command that resumes it; undefined if it cannot be resumed. */
  resumeLine(talk: Talk): string | undefined
}

/** Runs a chat until the user leaves or the input ends. */
export async function chatWithAgent(
  input: Input,
  io: Io,
  { resumable = true }: { readonly resumable?: boolean } = {},
): Promise<number> {
  const [name] = input.positionals
  const { resume, json, thinking } = input.values
  const agent = chooseAgent(name!, input)
  const alone = typeof resume === 'string' && resume !== 'latest'
  return withLedger(
    io,
    async (ledger) => {
      const signal = io.stopped?.() ?? new AbortController().signal
      const terminal = !json && io.terminal && io.stdin?.terminal === true && io.env['TERM'] !== 'dumb'
      const commands = new AgentCommands()
      const place = await choosePlace(ledger, agent, input, io)
      const sink = ledgerSink(ledger)
      let connection: Connection | undefined
      const setting: Setting = {
        io,
        input,
        ledger,
        commands,
        signal,
        style: {
          paint: await colors(input, io),
          thinking: thinking === true,
          json: json === true,
          terminal,
          drain: () => io.drain?.(),
        },
        start: async (asks, writer, stop, askSignIn) => {
          connection = await connect(agent, {
            asks,
            sink: watchCommands(sink, commands),
            cwd: place.cwd,
            env: 'detection' in agent ? agentEnvironment(agent, await loadConfig(io), io) : io.env,
            signal: stop,
            ...startOptions(input, terminal),
          })
          // A chat needs no structured output, so the model gets no tool for it.
          const options = { ...place, ...choices(input), structuredOutput: false, signal: stop }
          const session = await openSignedIn(connection, options, askSignIn)
          return new Talk(connection, session, writer, setting.style)
        },
        resumeLine: ({ session, answered }) => {
          if (!resumable || (!answered && place.resume === undefined)) return undefined
          const elsewhere = place.cwd === io.cwd ? '' : ` --cwd ${shellWord(place.cwd)}`
          const rest = input.rest.length === 0 ? '' : ` -- ${input.rest.map(shellWord).join(' ')}`
          return `remora chat ${name} --resume ${session.id}${elsewhere}${rest}`
        },
      }
      try {
        return await (terminal ? atTerminal(setting) : inPipe(setting, ledgerAsks(ledger)))
      } finally {
        await connection?.close()
        await sink.close()
      }
    },
    // New data is imported only to find the session to resume.
    { current: alone },
  )
}

function chooseAgent(name: string, { rest }: Input): Agent | AcpCommand {
  const [command, ...args] = rest
  if (command !== undefined) return { command, args, id: name }
  const known = [...agents(), ...listBrokenAgents()].map(({ id }) => id)
  if (!known.includes(name) && nearest(name, known) === undefined)
    throw new UsageError(
      `Unknown agent "${name}", and no command after --`,
      `Add a command: remora chat ${shellWord(name)} -- my-agent --acp. Known agents: ${known.join(', ')}`,
    )
  return pickAgent(name)
}

/** Start options. Without a terminal, asks are denied unless --permissions says otherwise. */
function startOptions({ values }: Input, terminal: boolean): ConnectOptions {
  const { permissions, mode, model } = values
  return {
    // On a terminal the user is asked. Rules instead of `deny`, which would also refuse modes that approve by
    // themselves.
    ...(permissions === undefined
      ? terminal
        ? {}
        : { permissions: { rules: [], otherwise: 'deny' } }
      : { permissions: permissions as PermissionWay }),
    ...(typeof mode === 'string' ? { mode } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  }
}

function choices({ values: { mode, model } }: Input): { mode?: string; model?: string } {
  return {
    ...(typeof mode === 'string' ? { mode } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  }
}

/** The folder and the session to resume. A session of another folder is resumed there. */
async function choosePlace(
  ledger: Ledger,
  agent: Agent | AcpCommand,
  input: Input,
  io: Io,
): Promise<{ cwd: string; resume?: string }> {
  const { cwd, resume } = input.values
  const here = resolve(io.cwd, typeof cwd === 'string' ? cwd : '.')
  if (typeof resume !== 'string') return { cwd: here }
  if (resume === '') throw await fail('usage', '--resume needs a session', 'List them: remora sessions')
  const hasFiles = 'transcripts' in agent && agent.transcripts !== undefined
  if (resume === 'latest' && hasFiles) return { cwd: here, resume }
  const [name] = input.positionals
  try {
    const entry = await findSession(ledger, resume, io, name)
    return { cwd: typeof cwd === 'string' ? here : (entry.cwd ?? here), resume: entry.session }
  } catch (error) {
    // The agent may have a session that is not in the ledger.
    if ((error as { code?: unknown }).code !== 'not_found') throw error
    return { cwd: here, resume }
  }
}

/** Passes events to the sink and collects the agent's slash commands. */
function watchCommands(sink: EventSink, commands: AgentCommands): EventSink {
  return {
    write(event: Event) {
      if (event.type === 'status' && event.status === 'commands') commands.set(event.value)
      return sink.write(event)
    },
  }
}
