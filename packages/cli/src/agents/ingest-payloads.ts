import {
  type Agent,
  findAgentBySource,
  isToolPayload,
  writeToSpool,
  readInvocation,
  sourceNames,
} from '@remora/sdk/hooks'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { remoraHome } from '../home/remora-home.ts'
import { withLedger } from '../ledger/with-ledger.ts'

/**
 * Imports one payload, or the spool. For a payload it prints nothing, because the agent would read the output as an
 * answer.
 */
export async function ingestPayloads(verb: string, input: Input, io: Io): Promise<number> {
  const { source, spool, json } = input.values
  if (spool) {
    if (source !== undefined)
      throw new UsageError('--source and --spool cannot be combined', 'Leave one of them out.')
    const { ingestSpool } = await import('./drain.ts')
    return ingestSpool(json === true, io)
  }
  const agent = readSource(verb, source)
  const text = await readText(verb, agent, io)
  const payload = await parsePayload(text)
  // Checked before it is stored: a tool payload without a tool name is useless.
  const result = isToolPayload(payload)
    ? { source: agent.id, ...readInvocation(agent, payload) }
    : { source: agent.id, event: payload['hook_event_name'] ?? payload['type'] }
  writeToSpool(remoraHome(io), agent.id, text)
  const { drainSpool } = await import('@remora/intake')
  await withLedger(io, (ledger) => drainSpool(ledger, { remoraHome: remoraHome(io), wait: true }), {
    current: false,
  })
  if (json) io.out(`${JSON.stringify(result, null, 2)}\n`)
  return 0
}

function readSource(verb: string, source: string | boolean | undefined): Agent {
  const agent = typeof source === 'string' ? findAgentBySource(source) : undefined
  if (agent) return agent
  const message =
    source === undefined ? `remora ${verb} needs --source, or --spool` : `Unknown source "${String(source)}"`
  throw new UsageError(message, `One of: ${sourceNames().join(', ')}`)
}

async function readText(verb: string, agent: Agent, io: Io): Promise<string> {
  const example = `Pipe it in: … | remora ${verb} --source ${agent.id}`
  if (!io.stdin || io.stdin.terminal)
    throw new UsageError(`remora ${verb} reads a hook payload (JSON) from standard input`, example)
  const text = await io.stdin.read()
  if (text.trim() === '') throw await fail('input', 'Standard input is empty', example)
  return text
}

async function parsePayload(text: string): Promise<Readonly<Record<string, unknown>>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Reported below.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw await fail(
    'input',
    'Standard input is not a JSON object',
    'Expected fields: "tool_name", "tool_input", "session_id" and others.',
  )
}
