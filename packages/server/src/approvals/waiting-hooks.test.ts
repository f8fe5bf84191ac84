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
import { askHook } from './ask-hook.ts'
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

/** A hook is a shell and a program that it starts, which takes its time on a busy machine. */
const soon = { timeout: 30_000 }

describe('a hook that waits', () => {
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
  ): Promise<{ readonly said: Promise<unknown>; readonly kill: () => void }> => {
    const { agent = 'claude', live = 'l-1', path, text = JSON.stringify(payload) } = about
    const command = await askHook({ remoraHome: join(folder, "it's mine"), socket, agent, live })
    const env = path === undefined ? process.env : { PATH: path }
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'], env, detached: true })
    child.stdin.end(text)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    const said = new Promise((resolve) =>
      child.on('close', (code) => resolve(code === 0 ? (JSON.parse(output) as unknown) : { code, output })),
    )
    return { said, kill: () => process.kill(-child.pid!, 'SIGKILL') }
  }

  it('prints what was decided, and nothing else', async () => {
    const hook = await run()
    const reply = await hooks.soon('l-1', shown, 30_000)
    expect(reply?.more).toEqual({ tool: 'Bash', input: { command: 'touch a.txt' }, exact: true })
    // It is taken: a second dialog is another one.
    expect(hooks.reply('l-1', shown)).toBeUndefined()
    // A dialog that was not opened after all gives its hook back.
    reply!.unclaim()
    expect(hooks.reply('l-1', shown)).toBeDefined()
    expect(await reply!.answer('allow')).toBe('done')
    expect(await hook.said).toEqual(allowed)
    expect(await reply!.answer('allow')).toBe('gone')
    const second = await run()
    await (await hooks.soon('l-1', shown, 30_000))!.answer('deny')
    expect(await second.said).toEqual(denied)
    expect(statSync(join(folder, "it's mine/hooks/remora-ask")).mode & 0o777).toBe(0o700)
  })

  it('does the same where there is no curl', async () => {
    // The programs that the script needs, and no more.
    const bin = join(folder, 'bin')
    await promisify(execFile)('/bin/sh', ['-c', `mkdir ${bin} && ln -s "$(command -v cat)" ${bin}/cat`])
    const hook = await run({ path: bin })
    await (await hooks.soon('l-1', shown, 30_000))!.answer('allow')
    expect(await hook.said).toEqual(allowed)
  })

  it('says nothing when it was answered on the keyboard, the server stops, or there is none', async () => {
    const hook = await run()
    const reply = await hooks.soon('l-1', shown, 30_000)
    reply!.end()
    expect(await hook.said).toEqual({})
    const stopped = await run()
    await hooks.soon('l-1', shown, 30_000)
    over.abort()
    expect(await stopped.said).toEqual({})
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect(await (await run()).said).toEqual({})
    server.listen(socket)
  })

  it('is refused for what is not known, and says nothing then', async () => {
    for (const about of [
      { agent: 'codex' },
      { live: 'l-2' },
      { live: '../../x&live=l-1' },
      { text: 'not JSON' },
      { text: '{"hook_event_name":"Stop"}' },
    ])
      expect(await (await run(about)).said).toEqual({})
    who = undefined
    expect(await (await run()).said).toEqual({})
    expect(hooks.waiting('l-1')).toBe(0)
  })

  it('does not outlast what the screen shows', async () => {
    const hook = await run()
    await expect.poll(() => hooks.waiting('l-1'), soon).toBe(1)
    // It is here before its dialog.
    hooks.idle('l-1')
    expect(hooks.waiting('l-1')).toBe(1)
    hooks.idle('l-1', 0)
    expect(await hook.said).toEqual({})
  })

  it('is forgotten when it is killed', async () => {
    const hook = await run()
    const reply = await hooks.soon('l-1', shown, 30_000)
    hook.kill()
    await hook.said
    await expect.poll(() => hooks.waiting('l-1'), soon).toBe(0)
    expect(await reply!.answer('allow')).toBe('gone')
    expect(await hooks.soon('l-1', shown, 50)).toBeUndefined()
  })
})
