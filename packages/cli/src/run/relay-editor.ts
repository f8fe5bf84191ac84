import { ledgerAsks, ledgerCancels, ledgerSink } from '@remora/intake'
import { type AcpCommand, type Agent, type Relayed, relay } from '@remora/sdk'
import { splitCommand } from '../args/split-command.ts'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { agentEnvironment, pickAgent } from '../detection/survey.ts'
import { loadConfig } from '../home/config.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { stopCode } from '../output/write-all.ts'
import { exampleAgent } from '../detection/agent-names.ts'

/** Relays between the editor on standard input and output and the agent, until one of them ends. */
export async function relayEditor(input: Input, io: Io): Promise<number> {
  const agent = chooseAgent(input)
  const env = 'command' in agent ? io.env : agentEnvironment(agent, await loadConfig(io), io)
  if (io.stdin?.terminal)
    io.err(
      'remora: waiting for an editor to send JSON-RPC. Press Ctrl+C to stop.\n  See: remora acp --help\n',
    )
  // From here on Ctrl+C stops the agent, and a closed output means that the editor has exited.
  const signal = io.stopped?.() ?? new AbortController().signal
  return withLedger(
    io,
    async (ledger) => {
      const sink = ledgerSink(ledger)
      try {
        const ended = await relay({
          agent,
          input: process.stdin,
          output: process.stdout,
          sink,
          asks: ledgerAsks(ledger),
          cancels: ledgerCancels(ledger),
          env,
          home: io.home,
          cwd: io.cwd,
          args: input.rest,
          signal,
          log: (text) => io.err(text),
        })
        return await toExitCode(ended, signal, io)
      } finally {
        await sink.close().catch((error: Error) => io.err(`remora: ${error.message}\n`))
      }
    },
    // The editor waits for the first answer, so nothing is imported first.
    { current: false },
  )
}

async function toExitCode({ by, exit, problems }: Relayed, signal: AbortSignal, io: Io): Promise<number> {
  for (const { message, hint } of problems) io.err(`remora: ${message}\n  ${hint}\n`)
  if (by === 'signal') return stopCode(signal)
  if (by === 'editor') return 0
  const how = exit.signal ?? `code ${exit.code}`
  throw await fail('crashed', `The agent exited with ${how}`, 'See its output above.')
}

function chooseAgent({ positionals, values }: Input): Agent | AcpCommand {
  const [name] = positionals
  const text = values['command']
  const hint = `remora acp ${exampleAgent}, or remora acp --command "my-agent --acp"`
  if (typeof text !== 'string') {
    if (name === undefined) throw new UsageError('remora acp needs <agent>', hint)
    return pickAgent(name)
  }
  if (name !== undefined) throw new UsageError(`Cannot use both ${name} and --command`, hint)
  const [command, ...args] = splitCommand(text) ?? []
  if (command === undefined) throw new UsageError(`Invalid --command: ${text}`, hint)
  return { command, args, ...(typeof values['name'] === 'string' ? { id: values['name'] } : {}) }
}
