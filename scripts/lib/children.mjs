import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { descendants } from './descendants.mjs'
import { root } from './paths.mjs'
import { isStopping, onStop } from './stop.mjs'

/**
 * Runs one command and resolves to its exit code. The output goes to the file `log`, or else to the terminal. When the
 * user stops the script, the child and its descendants are ended first.
 */
export function run(command, args, { cwd = root, env = process.env, log } = {}) {
  const output = log ? openLog(log) : 'inherit'
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', output, output], detached: ownGroup })
    const forget = onStop(() => stopTree(child))
    child.once('error', (error) => finish(() => reject(error)))
    child.once('close', (code) => finish(() => resolve(code ?? 1)))

    function finish(settle) {
      if (log) closeSync(output)
      // While this process stops, the promise never settles, so that the caller does not start its next step.
      if (isStopping()) return
      forget()
      settle()
    }
  })
}

/** Runs a JavaScript file with the current Node. */
export function runNode(file, args, options) {
  return run(process.execPath, [file, ...args], options)
}

/** The last lines of a log, which nearly always contain the reason. */
export function tail(log, lines = 30) {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
}

const ownGroup = process.platform !== 'win32'

/** Ends a child and all its descendants, including those with their own process group, such as agents in tests. */
async function stopTree(child) {
  if (child.pid === undefined) return
  const below = descendants(child.pid)
  const all = [ownGroup ? -child.pid : child.pid, ...below]
  send(all, 'SIGTERM')
  const force = setTimeout(() => send(all, 'SIGKILL'), 2000)
  await once(child, 'close')
  clearTimeout(force)
  send(below, 'SIGKILL')
}

function send(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has ended.
    }
  }
}

function openLog(file) {
  mkdirSync(dirname(file), { recursive: true })
  return openSync(file, 'w')
}
