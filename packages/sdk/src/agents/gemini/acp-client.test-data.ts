import { spawn } from 'node:child_process'
import type { lab } from './lab.test-data.ts'

/** The real CLI as an ACP agent, driven by hand-written messages. */
export function acpClient(
  place: Pick<Awaited<ReturnType<typeof lab>>, 'env' | 'home'>,
  args: readonly string[] = ['--acp'],
) {
  const child = spawn(process.execPath, [place.env.GEMINI_CLI_PATH, ...args], {
    cwd: place.home.cwd,
    env: place.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const updates: Readonly<Record<string, unknown>>[] = []
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let rest = ''
  let count = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) answered(JSON.parse(line) as Answer)
  })
  void ended.then(() => waiting.forEach(({ reject }) => reject(new Error('The agent has ended'))))

  function answered({ id, result, error, method, params }: Answer): void {
    if (method === 'session/update' && params) updates.push(params.update)
    const call = method === undefined && id !== undefined ? waiting.get(id) : undefined
    if (error) call?.reject(new Error(JSON.stringify(error)))
    else call?.resolve(result)
  }

  return {
    /** Its session updates, in order. */
    updates,
    call(method: string, params: object): Promise<unknown> {
      const id = ++count
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly update: Readonly<Record<string, unknown>> }
  readonly result?: unknown
  readonly error?: unknown
}
