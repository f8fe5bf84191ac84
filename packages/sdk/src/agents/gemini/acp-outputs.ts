import { readFile } from 'node:fs/promises'
import { type ToolOutput, type ToolStatus, parseJson } from '@remora/protocol/plain'
import type { AcpOutput, Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { readLinesFromEnd } from '../../files/lines-from-end.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { chatFolders, filesOf } from './session-files.ts'
import { shellStatus } from './shell-status.ts'
import { outputOf } from './transcript-calls.ts'
import { partsOf } from './transcript-content.ts'

/**
 * What calls of a session said, from its file: over ACP the CLI tells neither the output of a command nor what it has
 * read. Calls have the same ids here and there. Files up to 0.27 hold no calls of ACP sessions.
 *
 * @example await acpOutputs(place, session, ['read_file__read_file_1794804213686_0'])
 */
export async function acpOutputs(
  place: Place,
  session: string,
  calls: readonly string[],
): Promise<ReadonlyMap<string, AcpOutput>> {
  const found = new Map<string, AcpOutput>()
  const missing = new Set(calls)
  for (const folder of await chatFolders(place)) {
    for (const path of (await filesOf(folder, session)).toReversed()) {
      // The last record of a call is the one with its end, and far behind the others where a session is long.
      for await (const record of latestFirst(path, missing)) {
        for (const [id, output] of outputsIn(record)) {
          if (missing.delete(id)) found.set(id, { content: output, ...statusOf(id, output) })
        }
        if (missing.size === 0) return found
      }
    }
  }
  return found
}

/**
 * How shell commands of a session ended, from its file: the stream reports every command that printed something as a
 * success.
 *
 * @example await shellStatuses(place, session, ['run_shell_command_1794804213686_0'])
 */
export async function shellStatuses(
  place: Place,
  session: string,
  calls: readonly string[],
): Promise<ReadonlyMap<string, ToolStatus>> {
  const outputs = await acpOutputs(place, session, calls)
  return new Map(
    [...outputs].map(([id, { content }]) => [id, shellStatus(typeof content === 'string' ? content : '')]),
  )
}

/** Over ACP every command that could be started is completed; how it ended stands in the text for the model. */
function statusOf(id: string, output: ToolOutput): { status?: ToolStatus } {
  return id.startsWith('run_shell_command') && typeof output === 'string'
    ? { status: shellStatus(output) }
    : {}
}

/** The records of a file that speak of some of the calls, the last one first. */
async function* latestFirst(path: string, calls: ReadonlySet<string>): AsyncGenerator<AgentRecord> {
  const parts = path.endsWith('.jsonl') ? readLinesFromEnd(path) : document(path)
  for await (const part of parts) {
    if (![...calls].some((id) => part.includes(JSON.stringify(id)))) continue
    const record = parsed(part.toString())
    if (record) yield record
  }
}

async function* document(path: string): AsyncGenerator<Buffer> {
  const content = await readFile(path).catch(() => undefined)
  if (content) yield content
}

function* outputsIn(record: AgentRecord): Generator<[id: string, output: ToolOutput]> {
  const list = asRecord(record['$set'])?.['messages'] ?? record['messages']
  for (const message of list === undefined ? [record] : partsOf(list)) {
    const { toolCalls, content } = asRecord(message) ?? {}
    for (const call of partsOf(toolCalls)) {
      const { id, result } = asRecord(call) ?? {}
      yield* told(asString(id), result)
    }
    for (const part of partsOf(content))
      yield* told(asString(asRecord(asRecord(part)?.['functionResponse'])?.['id']), content)
  }
}

function* told(id: string | undefined, result: unknown): Generator<[id: string, output: ToolOutput]> {
  const output = id === undefined ? undefined : outputOf(id, result)
  if (id !== undefined && output !== undefined) yield [id, output]
}

function parsed(text: string): AgentRecord | undefined {
  try {
    return asRecord(parseJson(text))
  } catch {
    return undefined // The CLI may be writing it at this moment.
  }
}
