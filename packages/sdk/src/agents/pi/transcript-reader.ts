import type { Event } from '@remora/protocol/plain'
import type { TranscriptFile, TranscriptReader } from '../../contract/agent.ts'
import { type EventFields, type EventMaker, parseTime } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, defined } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { Branches } from './branches.ts'
import { readAnswer, readAnswerStart, readNote, readResult, toPrompt } from './content.ts'

/** Reads session files: a header, then the entries of a tree. */
export function transcriptReader(maker: EventMaker, file: TranscriptFile): TranscriptReader {
  return new PiTranscript(maker, file)
}

class PiTranscript implements TranscriptReader {
  readonly #maker: EventMaker
  readonly #branches: Branches
  #count: number

  constructor(maker: EventMaker, file: TranscriptFile) {
    const state = asRecord(file.state) ?? {}
    this.#maker = maker
    this.#branches = new Branches(state['branches'])
    this.#count = asCount(state['count']) ?? 0
    maker.session = asString(state['session']) ?? ''
  }

  state(): unknown {
    return { session: this.#maker.session, branches: this.#branches.state(), count: this.#count }
  }

  read(record: AgentRecord): Event[] | undefined {
    const time = parseTime(record['timestamp'])
    if (time !== undefined) this.#maker.at = time
    // The oldest format has no ids.
    const entity = asString(record['id']) ?? `${this.#maker.session}/${this.#count++}`
    const fields = this.#readEntry(record, entity)
    if (!fields) return undefined
    const events = [...this.#branch(record, entity, fields), ...fields]
    if (events.length === 0) events.push({ type: 'session', entity: this.#maker.session })
    events[0]!.raw = record
    return events.map((each) => this.#maker.make(each))
  }

  #branch(record: AgentRecord, id: string, fields: readonly EventFields[]): EventFields[] {
    const parent = record['parentId']
    if (parent !== null && typeof parent !== 'string') return []
    const value = this.#branches.add(id, parent ?? '', isShown(fields, id))
    return value === undefined ? [] : this.#status('rewound', defined({ value }))
  }

  #readEntry(record: AgentRecord, entity: string): EventFields[] | undefined {
    switch (record['type']) {
      case 'session': {
        this.#maker.session = asString(record['id']) ?? ''
        return [{ type: 'session', entity, ...defined({ cwd: asString(record['cwd']) }) }]
      }
      case 'message':
        return this.#readMessage(asRecord(record['message']) ?? {}, entity)
      case 'custom_message':
        return readNote(record, entity)
      case 'branch_summary':
        return readNote({ content: record['summary'] }, entity)
      case 'compaction':
        return [
          ...this.#status('compacting', { detail: 'compacted' }),
          ...readNote({ content: record['summary'] }, entity),
        ]
      case 'model_change':
        return this.#status('model', { value: `${String(record['provider'])}/${String(record['modelId'])}` })
      case 'session_info': {
        const title = asString(record['name'])
        return title === undefined ? [] : [{ type: 'session', entity: this.#maker.session, title }]
      }
      // A bookmark, a setting, or the state of an extension.
      case 'label':
      case 'thinking_level_change':
      case 'custom':
        return []
      default:
        return undefined
    }
  }

  #readMessage(message: AgentRecord, entity: string): EventFields[] | undefined {
    switch (message['role']) {
      case 'user':
        return [{ type: 'message', entity, role: 'user', content: toPrompt(message['content']) }]
      case 'assistant':
        return [
          ...readAnswerStart(message, entity),
          ...readAnswer(message, entity),
          ...this.#readEnd(message['stopReason']),
        ]
      case 'toolResult':
        return readResult(asString(message['toolCallId']), message, message['isError'] === true)
      case 'bashExecution':
        return readCommand(message, entity)
      // The name of `custom` in an older format.
      case 'hookMessage':
      case 'custom':
        return readNote(message, entity)
      default:
        return undefined
    }
  }

  #readEnd(reason: unknown): EventFields[] {
    if (reason === 'aborted') return this.#status('idle', { detail: 'interrupted' })
    return reason === 'stop' || reason === 'length' ? this.#status('idle', {}) : []
  }

  #status(
    status: 'idle' | 'compacting' | 'model' | 'rewound',
    about: { detail?: string; value?: unknown },
  ): EventFields[] {
    return [{ type: 'status', entity: this.#maker.session, status, ...about }]
  }
}

/** A command that the user ran at the prompt, and its output. It is no call of the model. */
function readCommand(message: AgentRecord, entity: string): EventFields[] {
  const code = asCount(message['exitCode'])
  const status = message['cancelled'] === true ? 'cancelled' : code ? `exit code ${code}` : ''
  const lines = [`$ ${asString(message['command']) ?? ''}`, asString(message['output'])?.trimEnd(), status]
  const text = lines.filter(Boolean).join('\n')
  return [{ type: 'message', entity, role: 'system', content: [{ type: 'text', text }] }]
}

/** Whether a message list would contain the entry by its id. */
function isShown(fields: readonly EventFields[], id: string): boolean {
  return fields.some((each) => {
    if ('message' in each && each.type !== 'error') return each.message === id
    return (
      each.entity === id && (each.type === 'error' || (each.type === 'message' && each.role !== 'assistant'))
    )
  })
}
