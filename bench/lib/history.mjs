/** Turns of a prompt, a call and an answer, two minutes apart, from both channels. */
export function createHistory(turns) {
  return Array.from({ length: turns }, (_, turn) => {
    const input = { command: `npm test ${turn}` }
    const call = { type: 'tool_use', entity: `call-${turn}`, name: 'Bash', input }
    const result = {
      type: 'tool_result',
      entity: `call-${turn}`,
      status: 'success',
      content: 'ok\n'.repeat(50),
    }
    const prompt = {
      type: 'message',
      role: 'user',
      content: [{ type: 'text', text: `Do step ${turn % 50}` }],
    }
    const text = `Step ${turn}: ${'some words '.repeat(20)}`
    return [
      createEvent('hooks', turn, 0, { ...prompt, entity: `hook-${turn}` }),
      createEvent('hooks', turn, 1, call),
      createEvent('hooks', turn, 2, result),
      createEvent('transcripts', turn, 3, { ...prompt, entity: `prompt-${turn}` }),
      createEvent('transcripts', turn, 4, { ...call, message: `m-${turn}` }),
      createEvent('transcripts', turn, 5, result),
      createEvent('transcripts', turn, 6, {
        type: 'text',
        entity: `text-${turn}`,
        message: `n-${turn}`,
        offset: 0,
        text,
      }),
    ]
  }).flat()
}

/** @example createEvent('hooks', 0, 1, { type: 'tool_use', … }) */
export function createEvent(channel, turn, step, fields) {
  const origin = { channel, source: channel, key: `${turn}.${step}` }
  const at = 1_700_000_000_000 + turn * 120_000 + step * 100
  return { agent: 'gemini', session: 's', origin, at, ...fields }
}
