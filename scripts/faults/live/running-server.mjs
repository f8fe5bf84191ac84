import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createServerClient } from '@remora/server/client'

/** What users run: it starts faster than the modules that it is made of. */
const remora = fileURLToPath(new URL('../../../packages/cli/bin/remora.mjs', import.meta.url))
const program = fileURLToPath(new URL('server.mjs', import.meta.url))
const monitor = fileURLToPath(new URL('../../../testkit/src/loop-monitor.mjs', import.meta.url))

/** The server in a process of its own, which is killed and started again. */
export class RunningServer {
  #place
  #child
  port
  /** From the start of each process to its first answer of /api/live, in milliseconds. */
  answerTimes = []
  /** How long a Node that does nothing took in the same run. */
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
    // It may be on a machine of its own.
    const monitored = env.REMORA_LOOP_REPORT === undefined ? [] : ['--import', monitor]
    const script = bundled ? [remora, 'serve', '--port', '0', '--json'] : [program, remoraHome, home]
    const server = [process.execPath, ...monitored, ...script]
    const [command, ...words] = [...(line?.enter ?? []), ...server]
    // A full disk keeps it from starting for a while.
    for (let attempt = 0; ; attempt++) {
      const began = performance.now()
      const child = spawn(command, words, {
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
      if (attempt === 30) throw new Error(`The server does not start: ${output}`)
      await sleep(200)
    }
  }

  async kill() {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  /** In peace. Tells with what it ended. */
  async stop() {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const late = sleep(60_000, ['did not end'], { ref: false })
    const [code, signal] = await Promise.race([gone, late])
    if (code === 'did not end') this.#child.kill('SIGKILL')
    return code ?? signal
  }

  /** A request of the user; undefined where the server is not there, or cannot. */
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
