// The events of a simulated machine: turns of ten events, each with its native record and its creation time by the
// monotonic clock that all processes share.
import { createStamped, readTime } from './live-payload.mjs'

const lengths = { prompt: 200, text: 400, output: 1500 }
const kinds = ['message', 'text', 'text', 'tool_use', 'tool_result', 'text', 'text', 'text', 'text', 'usage']

/** Creates a machine with one session. @example const node = createSimulatedNode('n-7'); node.next() */
export function createSimulatedNode(name) {
  let count = 0
  let offset = 0
  return {
    name,
    next() {
      const kind = kinds[count % kinds.length]
      const turn = Math.floor(count / kinds.length)
      if (kind === 'message') offset = 0
      const event = {
        type: kind,
        agent: 'gemini',
        session: name,
        origin: { channel: 'acp', source: `run of ${name}`, key: `${++count}.0` },
        at: Date.now(),
        ...fields[kind](`${name}/${turn}`, offset),
      }
      if (kind === 'text') offset += event.text.length
      return event
    },
  }
}

/** The creation time of an event in nanoseconds; undefined for other events. */
export function readMadeAt(event) {
  const { made } = event.raw ?? {}
  return typeof made === 'string' ? readTime(made) : undefined
}

/** The fields by event type. `made` starts with the time stamp and fills the record. */
const fields = {
  message(turn) {
    const made = createStamped(lengths.prompt)
    const content = [{ type: 'text', text: made }]
    return { entity: `${turn}/prompt`, role: 'user', content, raw: { made, method: 'session/prompt' } }
  },
  text(turn, offset) {
    const made = createStamped(lengths.text)
    return { entity: `${turn}/answer`, offset, text: made, raw: createRecord('agent_message_chunk', made) }
  },
  tool_use(turn) {
    const made = createStamped(40)
    const input = { file_path: `/home/me/project/src/${turn}.ts` }
    return { entity: `${turn}/call`, name: 'Read', input, raw: { ...createRecord('tool_call', made), input } }
  },
  tool_result(turn) {
    const made = createStamped(lengths.output)
    return {
      entity: `${turn}/call`,
      status: 'ok',
      content: made,
      raw: createRecord('tool_call_update', made),
    }
  },
  usage(turn) {
    const made = createStamped(40)
    const usage = { inputTokens: 12_000, outputTokens: 700, totalTokens: 12_700 }
    return { entity: `${turn}/usage`, scope: 'turn', usage, raw: { ...createRecord('usage', made), usage } }
  },
}

function createRecord(sessionUpdate, made) {
  return { made, jsonrpc: '2.0', method: 'session/update', update: { sessionUpdate } }
}
