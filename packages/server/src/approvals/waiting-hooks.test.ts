import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import type { LiveInfo } from '@remora/protocol'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Context } from '../core/context.ts'
import { type Who, createUserIdentity } from '../security/who.ts'
import { writeAskHook } from './ask-hook.ts'
import { type Env, serveRoutes } from '../http/app.ts'
import type { Services } from '../http/route.ts'
import { hookRoutes } from '../http/routes/live.ts'
import { WaitingHooks } from './waiting-hooks.ts'

const payload = {
  hook_event_name: 'PermissionRequest',
  tool_name: 'Bash',
  tool_input: { command: 'touch a.txt' },
}
const shown = {
  kind: 'permission',
  title: 'Bash command',
  body: 'touch a.txt\nMakes a file',
  tool: 'Bash',
} as const
const allowed = {
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
}
const denied = {
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision: { behavior: 'deny', message: expect.any(String), interrupt: true },
  },
}

/** A hook starts a shell and a program, which is slow on a busy machine. */
const soon = { timeout: 30_000 }

describe('a waiting hook', () => {
  let folder = ''
  let server: Server
  let hooks: WaitingHooks
  let over: AbortController
  let socket = ''
  let who: Who | undefined
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rh-'))
    socket = join(mkdtempSync('/tmp/rs-'), 's')
    who = createUserIdentity('ann')
    over = new AbortController()
    hooks = new WaitingHooks({ signal: over.signal })
    const info = { id: 'l-1', agent: 'claude', channel: 'terminal' } as LiveInfo
    const live = { list: () => [info] }
    const context = { live, hooks, log: () => {}, signal: over.signal } as unknown as Context
    const app = new Hono<Env>()
    app.use(async (c, next) => {
      c.set('who', who)
      await next()
    })
    serveRoutes(app, hookRoutes, { context } as Services)
    const listener = getRequestListener((request, env) => app.fetch(request, env))
    server = createServer((request, response) => void listener(request, response))
    await new Promise<void>((resolve) => server.listen(socket, resolve))
  })
  afterEach(async () => {
    over.abort()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
    rmSync(join(socket, '..'), { recursive: true, force: true })
  })

  /** Runs the hook as an agent does: by a shell, with the payload on its input. */
  const run = async (
    about: { agent?: string; live?: string; path?: string; text?: string } = {},
  ): Promise<{ readonly output: Promise<unknown>; readonly kill: () => void }> => {
    const { agent = 'claude', live = 'l-1', path, text = JSON.stringify(payload) } = about
    const command = await writeAskHook({ remoraHome: join(folder, "it's mine"), socket, agent, live })
    const env = path === undefined ? process.env : { PATH: path }
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'], env, detached: true })
    child.stdin.end(text)
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (printed += String(chunk)))
    const output = new Promise((resolve) =>
      child.on('close', (code) => resolve(code === 0 ? (JSON.parse(printed) as unknown) : { code, printed })),
    )
    return { output, kill: () => process.kill(-child.pid!, 'SIGKILL') }
  }

  it('prints the decision and nothing else', async () => {
    const hook = await run()
    const reply = await hooks.soon('l-1', shown, 30_000)
    expect(reply?.more).toEqual({ tool: 'Bash', input: { command: 'touch a.txt' }, exact: true })
    // The hook is claimed, so it does not belong to a second dialog.
    expect(hooks.reply('l-1', shown)).toBeUndefined()
    // A dialog that was not opened gives its hook back.
    reply!.unclaim()
    expect(hooks.reply('l-1', shown)).toBeDefined()
    expect(await reply!.answer('allow')).toBe('done')
    expect(await hook.output).toEqual(allowed)
    expect(await reply!.answer('allow')).toBe('gone')
    const second = await run()
    await (await hooks.soon('l-1', shown, 30_000))!.answer('deny')
    expect(await second.output).toEqual(denied)
    expect(statSync(join(folder, "it's mine/hooks/remora-ask")).mode & 0o777).toBe(0o700)
  })

  it('works without curl', async () => {
    // Only the programs that the script needs.
    const bin = join(folder, 'bin')
    await promisify(execFile)('/bin/sh', ['-c', `mkdir ${bin} && ln -s "$(command -v cat)" ${bin}/cat`])
    const hook = await run({ path: bin })
    await (await hooks.soon('l-1', shown, 30_000))!.answer('allow')
    expect(await hook.output).toEqual(allowed)
  })

  it('decides nothing after an answer at the keyboard, or without a server', async () => {
    const hook = await run()
    const reply = await hooks.soon('l-1', shown, 30_000)
    reply!.end()
    expect(await hook.output).toEqual({})
    const stopped = await run()
    await hooks.soon('l-1', shown, 30_000)
    over.abort()
    expect(await stopped.output).toEqual({})
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect(await (await run()).output).toEqual({})
    server.listen(socket)
  })

  it('is refused for unknown sessions and invalid payloads, and decides nothing', async () => {
    for (const about of [
      { agent: 'codex' },
      { live: 'l-2' },
      { live: '../../x&live=l-1' },
      { text: 'not JSON' },
      { text: '{"hook_event_name":"Stop"}' },
    ])
      expect(await (await run(about)).output).toEqual({})
    who = undefined
    expect(await (await run()).output).toEqual({})
    expect(hooks.waiting('l-1')).toBe(0)
  })

  it('ends when the screen no longer shows its dialog', async () => {
    const hook = await run()
    await expect.poll(() => hooks.waiting('l-1'), soon).toBe(1)
    // The hook may arrive before its dialog.
    hooks.idle('l-1')
    expect(hooks.waiting('l-1')).toBe(1)
    hooks.idle('l-1', 0)
    expect(await hook.output).toEqual({})
  })

  it('is removed when it is killed', async () => {
    const hook = await run()
    const reply = await hooks.soon('l-1', shown, 30_000)
    hook.kill()
    await hook.output
    await expect.poll(() => hooks.waiting('l-1'), soon).toBe(0)
    expect(await reply!.answer('allow')).toBe('gone')
    expect(await hooks.soon('l-1', shown, 50)).toBeUndefined()
  })
})
