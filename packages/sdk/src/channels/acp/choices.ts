import { RemoraError } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** The modes or models that a session offers, and how to set them. */
export interface Choices {
  readonly kind: 'mode' | 'model'
  /** Empty if the agent lists none. */
  readonly offered: readonly { readonly id: string; readonly name: string }[]
  current: string | undefined
  /** Whether it is a configuration option of the agent, which has a method of its own. */
  readonly option?: string
}

/**
 * Reads the modes or models in the response to `session/new` or `session/load`.
 *
 * @example readChoices(result, 'mode').offered
 */
export function readChoices(result: AgentRecord, kind: 'mode' | 'model'): Choices {
  const list = asRecord(result[kind === 'mode' ? 'modes' : 'models'])
  const offered = list?.[kind === 'mode' ? 'availableModes' : 'availableModels']
  if (Array.isArray(offered)) {
    const current = asString(list?.[kind === 'mode' ? 'currentModeId' : 'currentModelId'])
    return { kind, offered: readEntries(offered, kind === 'mode' ? 'id' : 'modelId'), current }
  }
  const options = Array.isArray(result['configOptions']) ? (result['configOptions'] as unknown[]) : []
  const found = options.map(asRecord).find((each) => each?.['id'] === kind || each?.['category'] === kind)
  const id = asString(found?.['id'])
  if (!found || id === undefined) return { kind, offered: [], current: undefined }
  return {
    kind,
    offered: readEntries(flat(found['options']), 'value'),
    current: asString(found['currentValue']),
    option: id,
  }
}

/** Throws, with the offered values, if the agent lists values and this is not one of them. */
export function checkChoice({ kind, offered }: Choices, wanted: string, title: string): void {
  if (offered.length === 0 || offered.some(({ id }) => id === wanted)) return
  throw new RemoraError(
    kind === 'model' ? 'model_not_found' : 'unsupported',
    `${title} offers no ${kind} "${wanted}"`,
    { hint: `It offers: ${offered.map(({ id }) => id).join(', ')}` },
  )
}

/** Creates the request that sets a choice. */
export function choiceRequest(choices: Choices, session: string, value: string): [method: string, object] {
  const sessionId = session
  if (choices.option !== undefined)
    return ['session/set_config_option', { sessionId, configId: choices.option, value }]
  return choices.kind === 'mode'
    ? ['session/set_mode', { sessionId, modeId: value }]
    : ['session/set_model', { sessionId, modelId: value }]
}

function readEntries(list: readonly unknown[], key: string): { id: string; name: string }[] {
  return list.flatMap((each) => {
    const id = asString(asRecord(each)?.[key])
    return id === undefined ? [] : [{ id, name: asString(asRecord(each)?.['name']) ?? id }]
  })
}

/** Options may be in groups. */
function flat(options: unknown): unknown[] {
  if (!Array.isArray(options)) return []
  return (options as unknown[]).flatMap((each) => {
    const group = asRecord(each)?.['options']
    return Array.isArray(group) ? (group as unknown[]) : [each]
  })
}
