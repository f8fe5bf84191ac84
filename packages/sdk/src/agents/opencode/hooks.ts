import { join } from 'node:path'
import type { HooksPart } from '../../agent.ts'
import { configFolder } from './home.ts'
import { hookReader } from './hook-payload.ts'

const events = ['event', 'chat.message', 'tool.execute.before', 'tool.execute.after'] as const

// One process for each of these would be one for each token, or each file touched.
const tooMany = [
  'message.part.delta',
  'message.part.updated',
  'file.watcher.updated',
  'lsp.client.diagnostics',
]

/** OpenCode has no hooks but plugins, so the "configuration" is a small module that runs the commands. */
export const hooks: HooksPart = {
  events,
  reader: hookReader,
  file: (place) => join(configFolder(place), 'plugin', 'remora.js'),
  config: (command) => `import { spawn } from 'node:child_process'

const commands = ${JSON.stringify(Object.fromEntries(events.map((event) => [event, command(event)])), null, 2)}
const tooMany = new Set(${JSON.stringify(tooMany)})

// One after the other, so that payloads keep their order; a failing command never fails the agent.
let last = Promise.resolve()
function tell(event, payload) {
  const text = JSON.stringify({ hook_event_name: event, timestamp: new Date().toISOString(), ...payload })
  last = last.then(() => run(commands[event], text))
  return last
}

function run(command, text) {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'ignore', 'ignore'] })
    child.on('error', resolve)
    child.on('close', resolve)
    child.stdin.on('error', () => {})
    child.stdin.end(text)
  })
}

export const Remora = async ({ directory }) => ({
  event: async ({ event }) => {
    if (tooMany.has(event.type)) return
    await tell('event', { cwd: directory, session_id: event.properties?.sessionID, event })
  },
  'chat.message': (input, output) =>
    tell('chat.message', { cwd: directory, session_id: input.sessionID, input, output }),
  'tool.execute.before': (input, output) =>
    tell('tool.execute.before', { cwd: directory, session_id: input.sessionID, input, output }),
  'tool.execute.after': (input, output) =>
    tell('tool.execute.after', { cwd: directory, session_id: input.sessionID, input, output }),
})
`,
}
