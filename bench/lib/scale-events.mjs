// What a machine tells while an agent works on it: turns of ten events, each with the record it was read from, and with the
// time at which it was made, by the clock of this machine since its start, which all processes read alike.
import { stamped, readTime } from './live-payload.mjs'

const lengths = { prompt: 200, text: 400, output: 1500 }
const kinds = ['message', 'text', 'text', 'tool_use', 'tool_result', 'text', 'text', 'text', 'text', 'usage']

/** One machine with one session. @example const node = simulatedNode('n-7'); node.next() */
export function simulatedNode(name) {
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

/** The time at which an event was made, in nanoseconds; undefined for any other. */
export function madeAt(event) {
  const { made } = event.raw ?? {}
  return typeof made === 'string' ? readTime(made) : undefined
}

/** As they come over the wire; `made` is the stamp, and the text that fills the record. */
const fields = {
  message(turn) {
    const made = stamped(lengths.prompt)
    const content = [{ type: 'text', text: made }]
    return { entity: `${turn}/prompt`, role: 'user', content, raw: { made, method: 'session/prompt' } }
  },
  text(turn, offset) {
    const made = stamped(lengths.text)
    return { entity: `${turn}/answer`, offset, text: made, raw: wire('agent_message_chunk', made) }
  },
  tool_use(turn) {
    const made = stamped(40)
    const input = { file_path: `/home/me/project/src/${turn}.ts` }
    return { entity: `${turn}/call`, name: 'Read', input, raw: { ...wire('tool_call', made), input } }
  },
  tool_result(turn) {
    const made = stamped(lengths.output)
    return { entity: `${turn}/call`, status: 'ok', content: made, raw: wire('tool_call_update', made) }
  },
  usage(turn) {
    const made = stamped(40)
    const usage = { inputTokens: 12_000, outputTokens: 700, totalTokens: 12_700 }
    return { entity: `${turn}/usage`, scope: 'turn', usage, raw: { ...wire('usage', made), usage } }
  },
}

function wire(sessionUpdate, made) {
  return { made, jsonrpc: '2.0', method: 'session/update', update: { sessionUpdate } }
}
