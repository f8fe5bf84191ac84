// Writes homes full of sessions. The same options give the same bytes.
import { mkdirSync, closeSync, openSync, utimesSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

const start = Date.UTC(2026, 0, 1)
const words =
  'the a file test error function return value path build check run change line read write user session token cache order ledger event agent model prompt answer result because should when before after every under over between const await import export string number'.split(
    ' ',
  )

/** Creates a generator of numbers from 0 to 1 that depend only on the seed. */
export function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Creates one long text and returns slices of it, because generating every word would take longer than reading them. */
function createTextSource(random) {
  let text = ''
  while (text.length < 400_000)
    text += words[Math.floor(random() * words.length)] + (random() < 0.08 ? '.\n' : ' ')
  return (length) => {
    const from = Math.floor(random() * (text.length - length))
    return text.slice(from, from + length)
  }
}

const pad = (number, length) => number.toString(16).padStart(length, '0')
const uuid = (file, index) => `${pad(file, 8)}-0000-4000-8000-${pad(index, 12)}`

/**
 * Writes Claude Code's home: sessions with prompts, thoughts, several records per message, calls with outputs of all
 * sizes, and sometimes the messages of another session, like a fork.
 */
export function claudeCorpus(home, { files = 500, turns = 20 } = {}) {
  let bytes = 0
  let lines = 0
  let previous = []
  for (let file = 0; file < files; file++) {
    const random = createRandom(file + 1)
    const text = createTextSource(random)
    const id = uuid(file, 0)
    const cwd = `/home/user/project-${file % 40}`
    let time = start + file * 3_600_000
    let index = 1
    let parent = null
    const records = []
    const push = (type, fields) => {
      const own = uuid(file, index++)
      time += Math.floor(random() * 4000)
      records.push({
        parentUuid: parent,
        isSidechain: false,
        ...fields,
        type,
        uuid: own,
        timestamp: new Date(time).toISOString(),
        userType: 'external',
        entrypoint: 'cli',
        cwd,
        sessionId: id,
        version: '2.1.197',
        gitBranch: 'main',
      })
      parent = own
    }
    // A fork starts with the messages of the other session, with the same ids.
    if (file % 25 === 24) records.push(...previous.map((record) => ({ ...record, sessionId: id })))
    for (let turn = 0; turn < turns; turn++) {
      push('user', { message: { role: 'user', content: text(60 + Math.floor(random() * 400)) } })
      for (let step = 0; step < 4; step++) {
        const messageId = `msg_${pad(file, 6)}${pad(turn, 4)}${pad(step, 2)}`
        const usage = {
          input_tokens: Math.floor(random() * 2000),
          cache_creation_input_tokens: Math.floor(random() * 9000),
          cache_read_input_tokens: Math.floor(random() * 90_000),
          output_tokens: Math.floor(random() * 1500),
          service_tier: 'standard',
        }
        const model = file % 3 === 0 ? 'claude-sonnet-4-5-20250929' : 'claude-opus-4-1-20250805'
        const pushAssistant = (content, stop) =>
          push('assistant', {
            message: {
              id: messageId,
              type: 'message',
              role: 'assistant',
              model,
              content: [content],
              stop_reason: stop,
              usage,
            },
            requestId: `req_${messageId}`,
          })
        if (step === 0)
          pushAssistant(
            { type: 'thinking', thinking: text(300 + Math.floor(random() * 900)), signature: text(200) },
            null,
          )
        if (step === 3) {
          pushAssistant({ type: 'text', text: text(200 + Math.floor(random() * 2500)) }, 'end_turn')
          continue
        }
        const call = `toolu_${messageId}`
        const edit = random() < 0.3
        const input = edit
          ? { file_path: `${cwd}/src/file-${turn}.ts`, old_string: text(200), new_string: text(260) }
          : { command: text(80), description: text(40) }
        pushAssistant({ type: 'tool_use', id: call, name: edit ? 'Edit' : 'Bash', input }, 'tool_use')
        const output = text(Math.floor(100 + 30_000 * random() ** 5))
        push('user', {
          message: {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: call, content: output, is_error: random() < 0.05 }],
          },
          toolUseResult: edit
            ? { filePath: input.file_path, structuredPatch: [{ oldStart: 1, lines: text(400).split('\n') }] }
            : { stdout: output, stderr: '', interrupted: false },
        })
      }
    }
    previous = records.slice(0, 12)
    const written = write(
      join(home, '.claude', 'projects', cwd.replaceAll('/', '-'), `${id}.jsonl`),
      records,
      time,
    )
    bytes += written
    lines += records.length
  }
  return { bytes, lines, files }
}

/** Writes Gemini CLI's home in the format of 0.61: a header, records, updated records and `$set` lines. */
export function geminiCorpus(home, { files = 500, turns = 20 } = {}) {
  let bytes = 0
  let lines = 0
  for (let file = 0; file < files; file++) {
    const random = createRandom(7_000_000 + file)
    const text = createTextSource(random)
    const id = uuid(0x10000000 + file, 0)
    const project = `project-${file % 40}`
    let time = start + file * 3_600_000
    let index = 1
    const now = () => new Date((time += Math.floor(random() * 4000))).toISOString()
    const records = [
      { sessionId: id, projectHash: pad(file % 40, 64), startTime: now(), lastUpdated: now(), kind: 'main' },
    ]
    const push = (record) => {
      records.push(record, { $set: { lastUpdated: record.timestamp } })
    }
    for (let turn = 0; turn < turns; turn++) {
      push({
        id: uuid(file, index++),
        timestamp: now(),
        type: 'user',
        content: [{ text: text(60 + Math.floor(random() * 400)) }],
      })
      for (let step = 0; step < 3; step++) {
        const tokens = {
          input: Math.floor(random() * 90_000),
          output: Math.floor(random() * 1500),
          cached: 0,
          thoughts: 20,
          tool: 0,
          total: 0,
        }
        tokens.total = tokens.input + tokens.output + tokens.thoughts
        const message = {
          id: uuid(file, index++),
          timestamp: now(),
          type: 'gemini',
          content: step === 2 ? text(1500) : '',
          thoughts: [{ subject: 'Looking', description: text(200), timestamp: now() }],
          tokens,
          model: 'gemini-3.8-flash',
        }
        push(message)
        if (step === 2) continue
        const call = `run_shell_command_${file}_${index}`
        const response = {
          functionResponse: {
            id: call,
            name: 'run_shell_command',
            response: { output: text(Math.floor(100 + 20_000 * random() ** 5)) },
          },
        }
        push({
          ...message,
          toolCalls: [
            {
              id: call,
              name: 'run_shell_command',
              args: { command: text(80) },
              result: [response],
              status: 'success',
              timestamp: now(),
              resultDisplay: text(200),
              displayName: 'Shell',
            },
          ],
        })
        push({ id: uuid(file, index++), timestamp: now(), type: 'user', content: [response] })
      }
    }
    const stamp = new Date(start + file * 3_600_000).toISOString().slice(0, 16).replace(':', '-')
    const path = join(home, '.gemini', 'tmp', project, 'chats', `session-${stamp}-${id.slice(0, 8)}.jsonl`)
    bytes += write(path, records, time)
    lines += records.length
  }
  return { bytes, lines, files }
}

function write(path, records, time) {
  mkdirSync(dirname(path), { recursive: true })
  const handle = openSync(path, 'w', 0o600)
  const bytes = writeSync(handle, `${records.map((record) => JSON.stringify(record)).join('\n')}\n`)
  closeSync(handle)
  utimesSync(path, time / 1000, time / 1000)
  return bytes
}
