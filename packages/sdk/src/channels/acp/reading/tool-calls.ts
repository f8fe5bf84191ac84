import { type ToolOutput, type ToolStatus, parseJson } from '@remora/protocol/plain'
import type { ClaudeCall } from '../../../contract/agent.ts'
import type { EventFields } from '../../../events/event-maker.ts'
import { guessName, readNameInId } from '../../../events/acp-calls.ts'
import { asRecord, asString, findOwn } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { readText } from './content.ts'

/** A reported call. */
export interface KnownCall {
  readonly name: string
  readonly native: string
  readonly input: unknown
  readonly reported: AgentRecord
}

export interface CallUpdate {
  readonly isNew: boolean
  readonly fields: EventFields[] | undefined
  /** The entity of the call. */
  readonly id?: string
}

/** The calls of a conversation. Updates contain only changes, while events contain everything known. */
export class AcpCalls {
  readonly #toClaude: (name: string, input: unknown) => ClaudeCall
  readonly #calls = new Map<string, AgentRecord>()
  readonly #refused = new Map<string, 'denied' | 'cancelled'>()
  readonly #prefix: string
  readonly #nativeName: (call: AgentRecord) => string | undefined
  readonly #open = new Set<string>()
  /** The last emitted event of each call, so that an update without changes emits no second one. */
  readonly #emitted = new Map<string, string>()
  /** Ids of earlier turns, and the entities of calls that reuse one. */
  readonly #earlier = new Set<string>()
  readonly #again = new Map<string, string>()
  #turns = 0
  #nameless: string | undefined

  /** The prefix is for the ids of calls that have none. */
  constructor(
    toClaude: (name: string, input: unknown) => ClaudeCall,
    prefix = '',
    nativeName: (call: AgentRecord) => string | undefined = guessName,
  ) {
    this.#toClaude = toClaude
    this.#prefix = prefix
    this.#nativeName = nativeName
  }

  /** Gets what is known of a call: mapped, native, and all reported fields. */
  find(id: string): KnownCall | undefined {
    const reported = this.#calls.get(id)
    if (!reported) return undefined
    const use = this.#use(id, reported)
    if (use.type !== 'tool_use') return undefined
    return { name: use.name, native: use.native?.name ?? use.name, input: use.input, reported }
  }

  /** Starts a turn: earlier calls are dropped, and their ids may be reused. */
  nextTurn(): void {
    for (const id of this.#calls.keys()) this.#earlier.add(id)
    this.#turns++
    this.#calls.clear()
    this.#emitted.clear()
    this.#refused.clear()
    this.#again.clear()
    this.#nameless = undefined
  }

  update(update: AgentRecord): CallUpdate {
    const id = this.#getId(update)
    if (id === undefined) return { isNew: false, fields: undefined }
    const before = this.#calls.get(id)
    const changed = Object.entries(update).filter(
      ([name, value]) => name !== 'sessionUpdate' && value !== null && value !== undefined,
    )
    const call: AgentRecord = {
      ...before,
      ...Object.fromEntries(changed),
      ...firstTitle(before, update),
      ...mergeMeta(before, update),
    }
    this.#calls.set(id, call)
    const fields: EventFields[] = []
    const use = this.#use(id, call)
    const reported = JSON.stringify(use)
    if (this.#emitted.get(id) !== reported) fields.push(use)
    this.#emitted.set(id, reported)
    const status = asString(call['status'])
    if (status === 'completed' || status === 'failed') {
      this.#open.delete(id)
      fields.push(this.#result(id, call))
    } else if (!this.#refused.has(id)) this.#open.add(id)
    return { isNew: before === undefined, fields, id }
  }

  /** Ends a call that must not run, because not every agent reports it. */
  refuse(id: string, refused: 'denied' | 'cancelled'): EventFields {
    this.#refused.set(id, refused)
    this.#open.delete(id)
    return { type: 'tool_result', entity: id, status: refused }
  }

  /** Ends the running calls of an interrupted turn. */
  abandon(): EventFields[] {
    const left = [...this.#open]
    this.#open.clear()
    return left.map((entity) => ({ type: 'tool_result', entity, status: 'cancelled' }))
  }

  /** Gets the id of the call, or a generated one. Without an id an update belongs to the last call. */
  #getId(update: AgentRecord): string | undefined {
    const id = asString(update['toolCallId'])
    const begins = update['sessionUpdate'] !== 'tool_call_update'
    if (id === '') {
      const isFirst = update['sessionUpdate'] === 'tool_call' || !this.#nameless
      if (isFirst) this.#nameless = `${this.#prefix}/call/${this.#turns}.${this.#calls.size + 1}`
      return this.#nameless
    }
    if (id === undefined || this.#calls.has(id)) return id
    // Some agents number their calls anew in every turn, so this is another call.
    if (begins && this.#earlier.has(id)) this.#again.set(id, `${this.#prefix}/${this.#turns}/${id}`)
    return this.#again.get(id) ?? id
  }

  #use(entity: string, call: AgentRecord): EventFields {
    const name = this.#nativeName(call)
    const input = readInput(call, name !== undefined && name === readNameInId(call))
    const reported = name === undefined ? byKind(call, input) : this.#toClaude(name, input)
    const native = { name: name ?? asString(call['title']) ?? 'tool', input: call['rawInput'] ?? input }
    return { type: 'tool_use', entity, ...reported, native }
  }

  #result(entity: string, call: AgentRecord): EventFields {
    const content = readOutput(call)
    const diffs = listEntries(call).filter((entry) => entry['type'] === 'diff')
    return {
      type: 'tool_result',
      entity,
      status: this.#refused.get(entity) ?? readStatus(call),
      ...(content === undefined ? {} : { content }),
      ...(diffs.length > 0 ? { display: diffs } : {}),
    }
  }
}

/** The first title may be the name of the tool; later ones describe the action. */
function firstTitle(before: AgentRecord | undefined, update: AgentRecord): AgentRecord {
  return before === undefined ? { firstTitle: update['title'] } : {}
}

/** `_meta` belongs to a single update. codex-acp 2 sends command output there, chunk by chunk. */
function mergeMeta(before: AgentRecord | undefined, update: AgentRecord): AgentRecord {
  const meta = asRecord(update['_meta'])
  if (!meta) return {}
  const piece = asString(asRecord(meta['terminal_output_delta'])?.['data'])
  return {
    _meta: { ...asRecord(before?.['_meta']), ...meta },
    ...(piece === undefined ? {} : { streamed: `${asString(before?.['streamed']) ?? ''}${piece}` }),
  }
}

/** Reads the input of a call, or the part of it that is certain. `named`: whether the id has the name of the tool. */
function readInput(call: AgentRecord, named: boolean): unknown {
  if (call['rawInput'] !== undefined) return call['rawInput']
  const diff = listEntries(call).find((entry) => entry['type'] === 'diff')
  if (diff) {
    const { path, oldText, newText } = diff
    return oldText
      ? { file_path: path, old_string: oldText, new_string: newText }
      : { file_path: path, content: newText }
  }
  const shown = call['kind'] === 'other' ? jsonIn(call) : undefined
  if (shown) return shown
  const [place] = Array.isArray(call['locations']) ? (call['locations'] as unknown[]) : []
  const path = asString(asRecord(place)?.['path'])
  // The title is the command then. Other titles may be anything, such as the name of the tool.
  if (named && call['kind'] === 'execute') return { command: asString(call['title']) }
  return path === undefined ? {} : { file_path: path }
}

/** Gemini shows the input of an MCP tool as text, and up to 0.34 as the title. */
function jsonIn(call: AgentRecord): AgentRecord | undefined {
  const texts = [...listEntries(call).map((entry) => readText(entry['content'])), asString(call['title'])]
  for (const text of texts) {
    if (!text?.startsWith('{')) continue
    try {
      return asRecord(parseJson(text))
    } catch {
      // A text that only begins like JSON.
    }
  }
  return undefined
}

const kinds: Readonly<Record<string, string>> = {
  read: 'Read',
  edit: 'Edit',
  search: 'Grep',
  execute: 'Bash',
  fetch: 'WebFetch',
}

/** Without a name, the kind of the call selects the closest of Claude's tools. */
function byKind(call: AgentRecord, input: unknown): ClaudeCall {
  const name = findOwn(kinds, asString(call['kind'])) ?? asString(call['title']) ?? 'tool'
  const fields = asRecord(input)
  const command = fields?.['command']
  // Codex includes its shell wrapper.
  if (name === 'Bash' && Array.isArray(command))
    return { name, input: { command: command.at(-1) as unknown } }
  const [change] = listEntries(call).filter((entry) => entry['type'] === 'diff')
  if (name !== 'Edit' || !change) return { name, input }
  const path = { file_path: change['path'] }
  return change['oldText']
    ? { name, input: { ...path, old_string: change['oldText'], new_string: change['newText'] } }
    : { name: 'Write', input: { ...path, content: change['newText'] } }
}

function listEntries(call: AgentRecord): AgentRecord[] {
  return Array.isArray(call['content'])
    ? (call['content'] as unknown[]).map((entry) => asRecord(entry) ?? {})
    : []
}

/** Reads the result: the displayed text, or the agent's raw output. */
function readOutput(call: AgentRecord): ToolOutput | undefined {
  const shown = listEntries(call).flatMap((entry) => readText(entry['content']) ?? [])
  if (shown.length > 0) return shown.join('\n')
  const output = call['rawOutput']
  if (typeof output === 'string') return output
  const streamed = asString(call['streamed'])
  if (streamed !== undefined) return streamed
  const fields = asRecord(output)
  for (const name of ['output', 'formatted_output', 'aggregated_output', 'stdout', 'error'])
    if (asString(fields?.[name])) return asString(fields?.[name])
  return undefined
}

function readStatus(call: AgentRecord): ToolStatus {
  const result = readOutput(call)
  const outputText = typeof result === 'string' ? result : ''
  if (/(^|\n)(Command timed out after [\d.]+|.*terminated command after exceeding timeout )/.test(outputText))
    return 'timeout'
  if (call['status'] === 'failed') return refused.test(outputText) ? 'denied' : 'error'
  const output = asRecord(call['rawOutput'])
  const ended = asRecord(asRecord(call['_meta'])?.['terminal_exit'])
  const exit = output?.['exit_code'] ?? asRecord(output?.['metadata'])?.['exit'] ?? ended?.['exit_code']
  if (typeof exit === 'number') return exit === 0 ? 'success' : 'error'
  return call['kind'] === 'execute' ? commandStatus(outputText) : 'success'
}

/** Denials without an answer on this connection: rules, hooks, and other clients of the session. */
const refused =
  /denied by policy|^(?:Error: )?(?:User refused permission to run tool|The user cancelled this prompt\.)|^The user doesn't want to proceed|^Tool execution blocked: |^Permission to use .* has been denied|rule which prevents/

/** Gemini completes every started command, and reports its exit status only if the command printed nothing. */
function commandStatus(outputText: string): ToolStatus {
  if (outputText.startsWith('Command was automatically cancelled because it exceeded the timeout'))
    return 'timeout'
  if (outputText.startsWith('Command cancelled by user.')) return 'cancelled'
  const failed = /^Command (exited with code: -?[1-9]\d*|terminated by signal: \S+|failed: [^\n]*)$/
  return failed.test(outputText.trim()) ? 'error' : 'success'
}
