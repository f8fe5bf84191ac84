import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import { countOption } from '../args/time-option.ts'
import { logPath } from '../client/server-note.ts'
import type { Io } from '../command/io.ts'
import type { Input, Verb } from '../command/verb.ts'
import { type Colors, colors } from '../output/colors.ts'
import { homePath } from '../output/home-path.ts'
import { harmless } from '../output/one-line.ts'
import { writeAll, stopCode } from '../output/write-all.ts'

export const logs: Verb = {
  name: 'logs',
  description: 'Show the server log',
  options: {
    follow: { short: 'f', description: 'Keep printing new entries until Ctrl+C' },
    lines: { short: 'n', value: 'count', description: 'Number of lines (default: 100)' },
    json: { description: 'Print the raw lines, one JSON object each' },
  },
  examples: [
    'remora logs',
    'remora logs -f',
    'remora logs --json -n 1000 | jq -r \'select(.level == "error")\'',
  ],
  run: showLog,
}

const usual = 100
const lookMs = 300
/** How much of the log's end is read. */
const tailBytes = 1_000_000

/** Prints the end of the server log, and follows it with --follow. */
async function showLog(input: Input, io: Io): Promise<number> {
  const { values } = input
  const file = logPath(io)
  const count = typeof values['lines'] === 'string' ? countOption('lines', values['lines']) : usual
  const paint = await colors(input, io)
  const form = (line: string): string => `${values['json'] ? line : formatEntry(line, paint)}\n`
  const size = await readSize(file)
  if (size === undefined && !values['follow']) {
    io.err(`No log yet: ${homePath(file, io.home)}\n  Start the server: remora serve\n`)
    return 0
  }
  const { lines, end } = await lastLines(file, count)
  const code = await writeAll(io, lines.map(form))
  if (!values['follow'] || code !== 0) return code
  return follow(file, end, (line) => io.out(form(line)), io)
}

async function lastLines(file: string, count: number): Promise<{ lines: string[]; end: number }> {
  const size = (await readSize(file)) ?? 0
  if (size === 0) return { lines: [], end: 0 }
  const start = Math.max(0, size - tailBytes)
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
    const text = buffer.subarray(0, bytesRead).toString('utf8')
    const whole = text.lastIndexOf('\n') + 1
    const lines = text
      .slice(0, whole)
      .split('\n')
      .slice(start > 0 ? 1 : 0, -1)
    return { lines: lines.slice(-count), end: start + Buffer.byteLength(text.slice(0, whole)) }
  } finally {
    await handle.close()
  }
}

async function follow(file: string, from: number, say: (line: string) => void, io: Io): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  let place = from
  let rest = ''
  let decoder = new StringDecoder('utf8')
  while (!signal.aborted) {
    const size = (await readSize(file)) ?? 0
    // A shorter file means that the log was rotated.
    if (size < place) [place, rest, decoder] = [0, '', new StringDecoder('utf8')]
    if (size > place) {
      for await (const chunk of createReadStream(file, { start: place, end: size - 1 }))
        rest += decoder.write(chunk as Buffer)
      place = size
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) say(line)
    }
    await sleep(lookMs, undefined, { signal }).catch(() => {})
  }
  return stopCode(signal)
}

/** Formats a log entry. Other lines are printed unchanged. */
function formatEntry(line: string, paint: Colors): string {
  try {
    const { at, level, message, ...fields } = JSON.parse(line) as Record<string, unknown>
    if (typeof at !== 'string' || typeof message !== 'string') return harmless(line)
    const more = Object.entries(fields).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    const dye = level === 'error' ? paint.red : level === 'warn' ? paint.yellow : String
    const about = more.length > 0 ? ` ${paint.dim(harmless(more.join(' ')))}` : ''
    return `${paint.dim(harmless(shortTime(at)))} ${dye(harmless(message))}${about}`
  } catch {
    return harmless(line)
  }
}

/** @example shortTime('2026-01-31T14:05:03.120Z') // '2026-01-31 14:05:03' */
function shortTime(at: string): string {
  return at.replace('T', ' ').replace(/\.\d+Z$/, '')
}

async function readSize(file: string): Promise<number | undefined> {
  return stat(file).then(
    (found) => found.size,
    () => undefined,
  )
}
