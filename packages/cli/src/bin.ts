import { once } from 'node:events'
import { homedir } from 'node:os'
import { isatty } from 'node:tty'
import { StopSignal } from './command/stop-signal.ts'
import { main } from './main.ts'

const leaveMs = 3000
const stop = new StopSignal()
const { stdout, stderr } = process

stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') stop.readerGone()
  else process.exit(1)
})
// There is nobody left to tell.
stderr.on('error', () => {})

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  // Not isTTY, which is undefined where there is no terminal, whatever its type says.
  terminal: isatty(1),
  get columns() {
    return stdout.columns
  },
  errorTerminal: isatty(2),
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  drain: () =>
    stdout.writableNeedDrain ? once(stdout, 'drain', { signal: stop.listen() }).then(noop, noop) : undefined,
  // Node opens standard input when it is first looked at, and most commands never do.
  get stdin() {
    return { terminal: isatty(0), read: readInput, readLine }
  },
  stopped: () => stop.listen(),
  self: [process.execPath, ...process.execArgv, process.argv[1]!],
})

// Whoever was told to end does so, also where something that was left open would keep the process.
if (stop.stopped) setTimeout(() => process.exit(), leaveMs).unref()

async function readInput(): Promise<string> {
  const { text } = await import('node:stream/consumers')
  return text(process.stdin)
}

async function readLine(): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}

function noop(): void {}
