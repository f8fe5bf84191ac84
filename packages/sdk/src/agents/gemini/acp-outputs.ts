import { readFile } from 'node:fs/promises'
import { type ToolOutput, type ToolStatus, parseJson } from '@remora/protocol/plain'
import type { AcpOutput, Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { readLinesFromEnd } from '../../files/lines-from-end.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { chatFolders, listSessionFiles } from './session-files.ts'
import { shellStatus } from '../../dialects/shell-status.ts'
import { shellTool } from './tools.ts'
import { readOutput, toParts } from '../../dialects/gemini-parts.ts'

/**
 * Reads the outputs of calls from the session file, because over ACP the CLI reports neither command output nor file
 * contents. Call ids are the same in both. Files up to 0.27 contain no calls of ACP sessions.
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
    for (const path of (await listSessionFiles(folder, session)).toReversed()) {
      // The last record of a call has its result, so long files are read from the end.
      for await (const record of latestFirst(path, missing)) {
        for (const [id, output] of outputsIn(record)) {
          if (missing.delete(id)) found.set(id, { content: output, ...getStatus(id, output) })
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

/** Over ACP every started command counts as completed; only the text for the model has its exit status. */
function getStatus(id: string, output: ToolOutput): { status?: ToolStatus } {
  return id.startsWith(shellTool) && typeof output === 'string' ? { status: shellStatus(output) } : {}
}

/** Yields the records that mention any of the calls, latest first. */
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
  for (const message of list === undefined ? [record] : toParts(list)) {
    const { toolCalls, content } = asRecord(message) ?? {}
    for (const call of toParts(toolCalls)) {
      const { id, result } = asRecord(call) ?? {}
      yield* toEntry(asString(id), result)
    }
    for (const part of toParts(content))
      yield* toEntry(asString(asRecord(asRecord(part)?.['functionResponse'])?.['id']), content)
  }
}

function* toEntry(id: string | undefined, result: unknown): Generator<[id: string, output: ToolOutput]> {
  const output = id === undefined ? undefined : readOutput(id, result)
  if (id !== undefined && output !== undefined) yield [id, output]
}

function parsed(text: string): AgentRecord | undefined {
  try {
    return asRecord(parseJson(text))
  } catch {
    return undefined // The CLI may be writing it at this moment.
  }
}
