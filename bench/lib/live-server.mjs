// A server in its own process: start it, wait until it answers, measure it, stop it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Without variables such as NODE_EXTRA_CA_CERTS, which make every start of Node three times as slow.
export const plainEnv = { PATH: process.env.PATH, LANG: 'C.UTF-8' }

/** Starts it and waits until `/health` answers; `ms` is how long that took. */
export async function startServer({ command, env, port, cwd, startMs = 60_000 }) {
  const [program, ...args] = command
  const began = performance.now()
  const child = spawn(program, args, {
    cwd,
    env: { ...plainEnv, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr = (stderr + text).slice(-2000)))
  let ended = false
  child.once('exit', () => (ended = true))
  const untilAnswers = async (where) => {
    while (!(await answers(where))) {
      if (ended || performance.now() - began > startMs)
        throw new Error(`${command.join(' ')} did not start: ${stderr}`)
      await sleep(5)
    }
  }
  await untilAnswers({ port })
  const ms = performance.now() - began
  return {
    pid: child.pid,
    ms,
    untilAnswers,
    async stop() {
      if (!ended) child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
      if (!ended) await once(child, 'exit')
      clearTimeout(late)
    },
  }
}

async function answers(where) {
  const { status } = await call({ ...where, path: '/health' }).catch(() => ({}))
  return status === 200
}

/** Sends one request and returns the status and the text of the answer. */
export function call({ port, socketPath, method = 'GET', path, headers = {}, body }) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...(socketPath ? { socketPath } : { host: '127.0.0.1', port }),
        method,
        path,
        agent: false,
        headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      },
      (response) => {
        let answer = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => (answer += chunk))
        response.on('end', () => resolve({ status: response.statusCode, text: answer }))
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })
}

/** Sends a request that must succeed and returns its JSON. */
export async function ask(options) {
  const { status, text } = await call(options)
  if (status !== 200 && status !== 201) throw new Error(`${options.path} answered ${status}: ${text}`)
  return JSON.parse(text)
}

/** Finds a port that was free a moment ago. */
export async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** The memory of a process in MB, now and at its peak. */
export function readMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1])
  return { now: kilobytes('VmRSS') / 1024, peak: kilobytes('VmHWM') / 1024 }
}

/** The CPU time that a process has used, in milliseconds. */
export function readProcessorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  // In ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10
}
