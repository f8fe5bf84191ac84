import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createServerClient } from '@remora/server/client'

/** The bundled command starts faster than the separate modules. */
const remora = fileURLToPath(new URL('../../../packages/cli/bin/remora.mjs', import.meta.url))
const program = fileURLToPath(new URL('server.mjs', import.meta.url))
const monitor = fileURLToPath(new URL('../../../testkit/src/loop-monitor.mjs', import.meta.url))

/** A server process that can be killed and restarted. */
export class RunningServer {
  #place
  #child
  port
  /** From the start of each process to its first answer of /api/live, in milliseconds. */
  answerTimes = []
  /** The start times of a Node process that does nothing, in the same run. */
  bareTimes = []

  constructor(place) {
    this.#place = place
    this.client = createServerClient({ remoraHome: place.remoraHome, timeoutMs: 30_000 })
  }

  get pid() {
    return this.#child?.pid
  }

  async start() {
    const { remoraHome, home, env, line, bundled } = this.#place
    // `line.enter` runs the server in the namespace of its machine.
    const monitored = env.REMORA_LOOP_REPORT === undefined ? [] : ['--import', monitor]
    const script = bundled ? [remora, 'serve', '--port', '0', '--json'] : [program, remoraHome, home]
    const server = [process.execPath, ...monitored, ...script]
    const [command, ...args] = [...(line?.enter ?? []), ...server]
    // With a full disk the server cannot start for a while.
    for (let attempt = 0; ; attempt++) {
      const began = performance.now()
      const child = spawn(command, args, {
        env: { ...env, REMORA_HOME: remoraHome },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      child.stderr.on('data', (bytes) => (output += bytes))
      const gone = once(child, 'exit')
      const line = once(createInterface({ input: child.stdout }), 'line')
      const first = await Promise.race([line, gone.then(() => undefined)])
      if (first) {
        this.#child = child
        const { port, url } = JSON.parse(first[0])
        this.port = port ?? Number(new URL(url).port)
        const { problem } = await this.ask('GET', '/api/live')
        if (!problem) this.answerTimes.push(performance.now() - began)
        if (bundled) this.bareTimes.push(await measureNode())
        return
      }
      if (attempt === 30) throw new Error(`The server did not start: ${output}`)
      await sleep(200)
    }
  }

  async kill() {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  /** Stops the server with SIGTERM and returns its exit code or signal. */
  async stop() {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const late = sleep(60_000, ['did not end'], { ref: false })
    const [code, signal] = await Promise.race([gone, late])
    if (code === 'did not end') this.#child.kill('SIGKILL')
    return code ?? signal
  }

  /** The last lines of the server's log. */
  readLogEnd() {
    try {
      return readFileSync(join(this.#place.home, 'server.log'), 'utf8').split('\n').slice(-15).join('\n')
    } catch {
      return ''
    }
  }

  /** Sends a request; a failure returns `{ problem }`. */
  async ask(method, path, body) {
    return this.client
      .request(method, path, body === undefined ? {} : { body })
      .catch((error) => ({ problem: error.message }))
  }
}

async function measureNode() {
  const began = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return performance.now() - began
}
