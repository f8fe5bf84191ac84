// The actions of the fake agent by word. A prompt has one word with its arguments per line; lines with unknown words
// are skipped, so that a client may add its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { RpcError, updateLine } from './wire.test-data.mjs'
import { toolWords } from './tools.test-data.mjs'

/** The actions of a prompt, in order; a prompt without any gets a short answer. */
export function actionsIn(content) {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  const actions = text.split('\n').flatMap((line) => {
    const [word, ...words] = line.trim().split(' ')
    return Object.hasOwn(table, word) ? [{ action: table[word], words }] : []
  })
  return actions.length > 0 ? actions : [{ action: table.say, words: ['ok'] }]
}

const table = {
  ...toolWords,

  // Speech
  say: ({ say }, words) => void say(words.join(' ')),
  think: ({ think, say }, words) => {
    void think('**Planning**\nI think about it')
    if (words.join(' ') === 'then say') void say('I have thought about it')
  },
  'say-image': ({ update }) =>
    void update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
    }),
  plan: ({ update }) =>
    void update({
      sessionUpdate: 'plan',
      entries: [{ content: 'Do it', priority: 'high', status: 'pending' }],
    }),
  mode: ({ update }, [currentModeId]) => void update({ sessionUpdate: 'current_mode_update', currentModeId }),
  'echo-prompt': ({ say, content }) => void say(content.map(({ type }) => type).join(' ')),
  empty: () => {},
  chunks: (tools, [count]) => manyChunks(tools, Number(count)),
  big: ({ say }, [megabytes]) => say('x'.repeat(Number(megabytes) * 1024 * 1024)),
  'unknown-update': ({ update }) => void update({ sessionUpdate: 'dance', steps: ['left', 'right'] }),
  usage: ({ update }, [kind = '1200']) => usage(update, kind),

  // How a turn ends
  stop: (_, [stopReason]) => ({ stopReason }),
  error: (_, [code, ...words]) => {
    throw new RpcError(Number(code), words.join(' ') || `The model answered ${code}`)
  },
  die: ({ say }, [how = '3']) => {
    void say('I die')
    process.stderr.write('fatal: the fake agent dies\n')
    end(how)
  },
  'die-silently': (_, [how = '0']) => end(how),

  // Time
  wait: ({ cancelled }, [ms]) =>
    sleep(Number(ms ?? 250_000), undefined, { signal: cancelled }).catch(() => {}),
  // Waits for a file, for tests that cannot know a duration.
  until: async ({ cancelled }, [file]) => {
    while (!existsSync(file) && !cancelled.aborted) await sleep(20)
  },
  hang: () => new Promise(() => {}),
  'slow-cancel': async ({ cancelled, say }, [ms = '300']) => {
    if (!cancelled.aborted) await once(cancelled, 'abort')
    void say('still working')
    await sleep(Number(ms))
  },
  'late-updates': ({ say }, [count, ms = '20']) => ({
    afterwards: async () => {
      for (let i = 0; i < Number(count); i++) {
        if (i % 10 === 0) await sleep(Number(ms))
        void say(`late ${i};`)
      }
    },
  }),

  // Faults of the wire
  garbage: async ({ wire, session, say }) => {
    void say('before;')
    await wire.raw('Warning: this is no JSON\n\n[1,2]\n42\nnull\n"text"\n{"jsonrpc":"2.0"}\n{"broken": \n')
    await wire.raw('{"jsonrpc":"2.0","id":"nobody-asked","result":{}}\n')
    const line = updateLine(session.id, {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'halves;' },
    })
    await wire.raw(line.slice(0, 40))
    await sleep(30)
    await wire.raw(line.slice(40).replace('\n', '\r\n'))
    void say('after')
  },
  // Nested too deeply: an update, a request that expects a response, and a text after them.
  deep: async ({ wire, session, ask, say }) => {
    const nested = '['.repeat(20_000) + ']'.repeat(20_000)
    const update = { sessionUpdate: 'tool_call', toolCallId: 'deep', title: 'Deep', rawInput: 'NESTED' }
    await wire.raw(updateLine(session.id, update).replace('"NESTED"', nested))
    const send = wire.raw.bind(wire)
    wire.raw = (text) => send(text.replace('"NESTED"', nested))
    const reply = await ask('session/request_permission', { toolCall: 'NESTED' }).catch(({ code }) => code)
    void say(`told ${JSON.stringify(reply)}`)
  },
  'unknown-request': async ({ ask, say }) => {
    const reply = await ask('session/dance', { steps: 3 }).catch((error) => error.code)
    void say(`told ${JSON.stringify(reply)}`)
  },
  'unknown-notification': ({ wire }) => void wire.send({ method: 'session/sing', params: { song: 'la' } }),

  // Files, commands and processes
  'fs-read': ({ ask, say }, [path]) =>
    sayResult(say, ask('fs/read_text_file', { path }), ({ content }) => content),
  'fs-write': ({ ask, say }, [path, ...words]) =>
    sayResult(say, ask('fs/write_text_file', { path, content: words.join(' ') }), () => 'written'),
  terminal: (tools, words) => sayResult(tools.say, terminal(tools, words)),
  'terminal-kill': (tools, words) => sayResult(tools.say, terminal(tools, words, 'kill')),
  children: ({ say }, [kind]) => {
    const child = spawn('sleep', ['120'], { stdio: 'ignore', detached: kind === 'detached' })
    child.unref()
    void say(`child ${child.pid}`)
  },
}

/** Writes many at once as fast as the pipe accepts them, so that a bench does not measure the agent. */
async function manyChunks({ wire, session, cancelled }, count) {
  const mark = '######'
  const line = updateLine(session.id, {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: `${mark} of the many short pieces in which an answer comes. ` },
  })
  const [head, tail] = line.split(mark)
  for (let from = 0; from < count && !cancelled.aborted; from += 250) {
    let block = ''
    for (let i = from; i < Math.min(from + 250, count); i++) block += head + String(i).padStart(6, '0') + tail
    await wire.raw(block)
    await setImmediate()
  }
}

/** `usage quota` reports like Gemini, `usage update` only the context size, `usage 5000` a total. */
function usage(update, kind) {
  if (kind === 'quota')
    return {
      _meta: {
        quota: { token_count: { input_tokens: 1000, output_tokens: 200 }, model_usage: [] },
      },
    }
  void update({ sessionUpdate: 'usage_update', used: 1200, size: 100_000 })
  if (kind === 'update') return {}
  const totalTokens = Number(kind)
  const [outputTokens, thoughtTokens, cachedReadTokens, cachedWriteTokens] = [100, 40, 30, 20]
  const inputTokens = totalTokens - outputTokens - thoughtTokens
  return {
    usage: { totalTokens, inputTokens, outputTokens, thoughtTokens, cachedReadTokens, cachedWriteTokens },
  }
}

async function terminal({ ask, session }, [command, ...args], kill) {
  const { terminalId } = await ask('terminal/create', {
    command,
    args,
    cwd: session.cwd,
    outputByteLimit: 10_000,
  })
  if (kill) await ask('terminal/kill', { terminalId })
  const { exitCode, signal } = await ask('terminal/wait_for_exit', { terminalId })
  const { output, truncated } = await ask('terminal/output', { terminalId })
  await ask('terminal/release', { terminalId })
  return `exit ${exitCode ?? signal}${truncated ? ' (cut)' : ''}: ${output}`
}

/** Sends the result as text, also if it was refused. */
async function sayResult(say, asked, toText = (text) => text) {
  void say(await asked.then(toText, ({ code, message }) => `refused ${code}: ${message}`))
}

function end(how) {
  if (how.startsWith('SIG')) process.kill(process.pid, how)
  else process.exit(Number(how))
}
