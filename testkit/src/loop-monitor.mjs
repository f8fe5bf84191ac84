// Preload for a server process under test: `node --import <this file> server.mjs`. It appends one JSON line to the file
// REMORA_LOOP_REPORT for every turn of the event loop that used more CPU than REMORA_LOOP_LIMIT_MS (100). It counts the CPU
// time of the thread and not wall time, so a busy machine does not make a turn long.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, openSync, readSync } from 'node:fs'

const report = process.env.REMORA_LOOP_REPORT
const limitMs = Number(process.env.REMORA_LOOP_LIMIT_MS ?? 100)
/** A turn is measured from one tick to the next. Work of less than this may be counted with the turn after it. */
const tickMs = 5

let last

if (report) {
  // Loading the program is one long turn, so measuring starts with the first request.
  subscribe('http.server.request.start', start)
}

function start() {
  if (last !== undefined) return
  last = readCpuMs()
  setInterval(tick, tickMs).unref()
}

function tick() {
  const now = readCpuMs()
  const cpuMs = now - last
  if (cpuMs > limitMs)
    appendFileSync(
      report,
      `${JSON.stringify({ pid: process.pid, at: Date.now(), cpuMs: Math.round(cpuMs) })}\n`,
    )
  // After the write, whose time is not the server's.
  last = readCpuMs()
}

let file
const bytes = Buffer.alloc(64)

/** The CPU time of this thread in milliseconds; of the whole process where the system does not tell. */
function readCpuMs() {
  if (process.threadCpuUsage) return toMs(process.threadCpuUsage())
  if (process.platform !== 'linux') return toMs(process.cpuUsage())
  file ??= openSync('/proc/thread-self/schedstat', 'r')
  const length = readSync(file, bytes, 0, bytes.length, 0)
  return Number(bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6
}

function toMs({ user, system }) {
  return (user + system) / 1000
}
