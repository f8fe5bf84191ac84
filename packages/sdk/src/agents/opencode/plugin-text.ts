// These events occur for every token or message part. Their final content is recorded elsewhere.
const skippedEvents = ['message.part.delta', 'message.part.updated']

/** The code for each event, as a member of OpenCode's plugin hooks object. */
const handlers: Readonly<Record<string, string>> = {
  event: `  event: async ({ event }) => {
    // What belongs to no session is about OpenCode itself.
    const session = event.properties?.sessionID
    if (session && !tooMany.has(event.type)) tell('event', { cwd: directory, session_id: session, event })
  },`,
  ...Object.fromEntries(
    ['chat.message', 'tool.execute.before', 'tool.execute.after'].map((event) => [
      event,
      `  '${event}': async (input, output) =>
    tell('${event}', { cwd: directory, session_id: input.sessionID, input, output }),`,
    ]),
  ),
}

/** The events that the plugin can report. */
export const pluginEvents = ['event', 'chat.message', 'tool.execute.before', 'tool.execute.after'] as const

/**
 * Generates a plugin that writes OpenCode's events to the `spool` folder next to the folder of `hook`. Unlike the hooks of
 * the other agents, it starts no process and does not delay OpenCode. Pending events are written when OpenCode exits.
 *
 * @example pluginText(['event'], ['/home/me/.remora/hooks/remora-hook', 'opencode'])
 */
export function pluginText(
  events: readonly string[],
  [hook = '', agent = 'opencode']: readonly string[],
): string {
  return `// Remora keeps here what OpenCode does, for its ledger. It goes with: remora hooks uninstall opencode
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const hook = ${JSON.stringify(hook)}
const agent = ${JSON.stringify(agent)}
const events = ${JSON.stringify(events)}
const tooMany = new Set(${JSON.stringify(skippedEvents)})
const spool = join(dirname(dirname(hook)), 'spool')
const most = { filesInFolder: 128, waiting: 1000, bytes: 8 * 1024 * 1024 }

// What is not in the spool yet; the first one is being written, into the file of \`begun\`.
const waiting = []
let begun
// Names sort as they were given, and a process that gets the same id later gives others.
let count = Date.now() * 1000

// Whatever goes wrong here, OpenCode goes on.
function tell(event, payload) {
  try {
    const text = JSON.stringify({ hook_event_name: event, timestamp: new Date().toISOString(), ...payload })
    const refused = waiting.length >= most.waiting || text.length > most.bytes
    waiting.push(refused ? undefined : text)
    if (waiting.length === 1) void writeAll()
  } catch {}
}

async function writeAll() {
  while (waiting.length > 0) {
    try {
      if (!(await put(waiting[0]))) await appendFile(join(spool, 'refused'), '\\n', { mode: 0o600 })
    } catch {}
    waiting.shift()
    begun = undefined
  }
}

async function put(text) {
  if (text === undefined) return false
  const file = newFile()
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  if ((await readdir(dirname(file))).length >= most.filesInFolder) return false
  // Made at once: what is only asked for may be made after the end of the process has cleared up.
  writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
  begun = { file, complete: false }
  await writeFile(file, text, { flag: 'r+' })
  // Complete before it becomes an entry.
  begun.complete = true
  await writeFile(\`\${file}.ready\`, '', { flag: 'wx', mode: 0o600 })
  return true
}

// One process tells everything, so it goes through all the folders.
function newFile() {
  count++
  return join(spool, String(count % 64), \`\${agent}.\${process.pid}.\${count}\`)
}

// Entries go by the time of their last change. So a file that may still be written to is none of them any more: its text
// gets another one.
process.on('exit', () => {
  for (const [index, text] of waiting.entries()) {
    if (text === undefined) continue
    try {
      if (index === 0 && begun?.complete) {
        // Without it, somebody has read the entry already.
        if (existsSync(begun.file)) writeFileSync(\`\${begun.file}.ready\`, '', { flag: 'a', mode: 0o600 })
        continue
      }
      const file = newFile()
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
      writeFileSync(\`\${file}.ready\`, '', { mode: 0o600 })
    } catch {}
  }
  try {
    if (begun?.complete === false) rmSync(begun.file, { force: true })
  } catch {}
})

export const Remora = async ({ directory }) => ({
${events.map((event) => handlers[event]).join('\n')}
})
`
}
