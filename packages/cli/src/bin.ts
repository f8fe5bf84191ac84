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
// Standard error is closed, so the failure cannot be reported.
stderr.on('error', () => {})

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  // Not isTTY, which is undefined without a terminal, despite its type.
  terminal: isatty(1),
  get columns() {
    return stdout.columns
  },
  errorTerminal: isatty(2),
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  drain: () =>
    stdout.writableNeedDrain ? once(stdout, 'drain', { signal: stop.listen() }).then(noop, noop) : undefined,
  // A getter, because Node opens standard input on first access and most commands do not need it.
  get stdin() {
    return { terminal: isatty(0), read: readInput, readLine }
  },
  stopped: () => stop.listen(),
  self: [process.execPath, ...process.execArgv, process.argv[1]!],
})

// Exits after a stop signal even if an open handle keeps the process alive.
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
