import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Ask, Command } from '@remora/protocol'
import { api } from '@remora/protocol/api'
import { agents } from '@remora/sdk'
import { getShortName } from '@remora/sdk/profiles'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { createServerClient } from '../client.ts'
import { type TestServer, startTestServer } from './server.test-data.ts'

let server: TestServer
let token: string
const story = new Story()
const secret = 'sk-ant-api03-abcdefghijklmnopqrstu'

beforeAll(async () => {
  server = await startTestServer()
  token = (await server.pair()).token
  server.live.put()
  await server.ledger.append([
    ...story.tell({ type: 'session', entity: 's', cwd: '/home/me/demo', model: 'opus', title: 'A title' }),
    ...story.prompt('Where is the parser?'),
    ...story.says(`In parse.ts, with the key ${secret}.`),
    ...story.prompt('And the test?'),
    ...story.says('Beside it.'),
  ])
  await server.ledger.indexText()
})
afterAll(async () => server.close())

const get = async (path: string) => (await server.call('GET', path, { token })).json
const ask: Ask = {
  id: 'a1',
  kind: 'permission',
  title: 'Run ls?',
  options: [
    { id: 'yes', label: 'Yes', effect: 'allow' },
    { id: 'no', label: 'No', effect: 'deny' },
  ],
  digest: 'd1',
}

describe('HTTP', () => {
  it('answers a health check, and nothing else without credentials', async () => {
    const { status, json } = await server.call('GET', '/health')
    expect([status, json]).toEqual([200, { ok: true, version: '9.8.7' }])
    expect((await server.call('GET', '/api/sessions')).status).toBe(401)
    expect((await server.call('GET', '/api/nothing')).status).toBe(401)
  })

  it('lists, finds and names sessions', async () => {
    const { sessions } = (await get('/api/sessions?cwd=/home/me/demo')) as {
      sessions: Record<string, unknown>[]
    }
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).toMatchObject({ agent: 'claude', session: 'one', title: 'A title', live: 'l-1' })
    expect(await get('/api/sessions?cwd=/other')).toEqual({ sessions: [] })
    expect(sessions[0]).not.toHaveProperty('last')
    expect(await get('/api/sessions?last=true&limit=1')).toMatchObject({
      sessions: [{ last: { role: 'assistant', text: 'Beside it.' } }],
    })
    expect(await get('/api/sessions?pinned=1')).toEqual({ sessions: [] })
    expect(await get('/api/sessions?until=1')).toEqual({ sessions: [] })
    const named = await server.call('PATCH', '/api/sessions/claude/one', {
      token,
      json: { name: 'Mine', pinned: true },
    })
    expect(named.json).toMatchObject({ name: 'Mine', pinned: true })
    expect(await get('/api/sessions/claude/one')).toMatchObject({ name: 'Mine' })
    expect((await server.call('GET', '/api/sessions/claude/two', { token })).status).toBe(404)
  })

  it('pages messages from the end and events by cursor', async () => {
    const last = await get('/api/sessions/claude/one/messages?limit=3')
    expect(last).toMatchObject({ from: 1, total: 4 })
    const first = (await get('/api/sessions/claude/one/messages?limit=3&before=1')) as {
      messages: { role: string }[]
    }
    expect(first.messages.map(({ role }) => role)).toEqual(['user'])
    const page = (await get('/api/sessions/claude/one/events?limit=2')) as {
      events: unknown[]
      cursor: string
    }
    expect(page.events).toHaveLength(2)
    const rest = (await get(`/api/sessions/claude/one/events?after=${page.cursor}`)) as { events: unknown[] }
    expect(rest.events).toHaveLength(3)
    expect(await get('/api/sessions/claude/one/events?after=other:3')).toMatchObject({ gap: true })
    expect((await server.call('GET', '/api/sessions/claude/one/events?after=x', { token })).status).toBe(400)
    // There are no events after the cursor of the messages.
    expect(await get(`/api/sessions/claude/one/events?after=${String(last['cursor'])}`)).toMatchObject({
      events: [],
    })
  })

  it('searches with masked snippets, and totals usage', async () => {
    const { hits } = (await get('/api/search?text=parse')) as { hits: { snippet: string }[] }
    expect(hits.length).toBeGreaterThan(0)
    expect(JSON.stringify(hits)).not.toContain(secret)
    expect(await get('/api/usage?by=agent,day')).toHaveProperty('entries')
    expect((await server.call('GET', '/api/usage?by=moon', { token })).status).toBe(400)
  })

  it('lists agents with their features', async () => {
    const { agents: listed } = (await get('/api/agents')) as {
      agents: { id: string; name: string; installed: boolean }[]
    }
    expect(listed.map(({ id, name }) => [id, name])).toEqual(
      expect.arrayContaining(agents().map((agent) => [agent.id, getShortName(agent)])),
    )
    expect(listed.every(({ installed }) => !installed)).toBe(true)
  })

  it('accepts a prompt once, and lets it be edited and withdrawn', async () => {
    const send = () => server.call('POST', '/api/live/l-1/send', { token, json: { id: 'p1', text: 'go' } })
    const first = Command.parse(((await send()).json as { command: unknown }).command)
    await send()
    expect(first.state).toBe('queued')
    const { commands } = (await get('/api/commands')) as { commands: unknown[] }
    expect(commands).toHaveLength(1)
    const path = `/api/commands/${first.client}/p1`
    const body = { kind: 'prompt', content: [{ type: 'text', text: 'go on' }] }
    expect((await server.call('PATCH', path, { token, json: { body } })).json).toMatchObject({
      command: { body },
    })
    const gone = await server.call('DELETE', path, { token })
    expect(gone.json).toMatchObject({ command: { state: 'withdrawn' } })
    expect((await server.call('DELETE', path, { token })).status).toBe(409)
    expect((await server.call('POST', '/api/live/l-9/send', { token, json: { text: 'go' } })).status).toBe(
      404,
    )
  })

  it('lets another agent send text only, and marks and audits it', async () => {
    const send = (json: object) => server.call('POST', '/api/live/l-1/send', { token, json })
    const { json } = await send({ text: '!ls', via: 'mcp' })
    expect(json).toMatchObject({ command: { client: 'mcp', body: { content: [{ text: '!ls' }] } } })
    expect((await send({ text: 'ls', via: 'mcp', promptKind: 'shell' })).status).toBe(403)
    expect((await send({ text: '/clear', via: 'mcp', promptKind: 'slash' })).status).toBe(403)
    for (const mode of ['bypassPermissions', 'auto']) {
      server.live.put({ mode })
      const refused = await send({ text: 'go', via: 'mcp' })
      expect(refused.status).toBe(403)
      expect(JSON.stringify(refused.json)).toContain('mcp.promptUnattended')
      expect((await send({ text: 'go', via: 'mcp', unattended: true })).status).toBe(200)
      expect((await send({ text: 'go' })).status).toBe(200)
    }
    server.live.put()
    const noted = (await server.ledger.audit.read()).filter(({ what }) => what === 'prompt')
    expect(noted.map(({ who, detail }) => [who.endsWith(', through MCP'), detail])).toEqual([
      [true, { promptKind: 'text', text: '!ls', via: 'mcp' }],
      [true, { promptKind: 'text', text: 'go', via: 'mcp' }],
      [true, { promptKind: 'text', text: 'go', via: 'mcp' }],
    ])
  })

  it('audits shell and slash commands', async () => {
    const before = (await server.ledger.audit.read()).length
    const send = (promptKind: string, text: string) =>
      server.call('POST', '/api/live/l-1/send', { token, json: { text, promptKind } })
    expect((await send('shell', 'ls')).json).toMatchObject({ command: { body: { promptKind: 'shell' } } })
    expect((await send('slash', '/clear')).status).toBe(200)
    expect((await send('text', '/clear')).status).toBe(200)
    expect((await send('other', 'x')).status).toBe(400)
    const noted = (await server.ledger.audit.read()).slice(before)
    expect(noted.map(({ detail }) => detail)).toEqual([
      { promptKind: 'shell', text: 'ls' },
      { promptKind: 'slash', text: '/clear' },
    ])
  })

  it('answers an ask once, and returns the winner to the second client', async () => {
    const effects: unknown[] = []
    const key = { agent: 'claude', session: 'one' }
    await server.context.approvals.open(key, ask, async (answer) => {
      effects.push(answer.option)
      return 'done'
    })
    expect(await get('/api/asks')).toMatchObject({ asks: [{ ...key, ask: { id: 'a1' } }] })
    const second = await server.pair('tablet')
    const answer = (option: string, by: string, digest = 'd1') =>
      server.call('POST', '/api/asks/answer', { token: by, json: { ...key, ask: 'a1', digest, option } })
    expect((await answer('yes', token, 'd2')).status).toBe(409)
    expect((await answer('yes', token)).json).toMatchObject({ won: true, effect: 'done' })
    expect((await answer('no', second.token)).json).toMatchObject({ won: false, answer: { option: 'yes' } })
    // A repeated answer, as after a lost acknowledgement.
    expect((await answer('yes', token)).json).toMatchObject({ won: true })
    expect(effects).toEqual(['yes'])
    const { entries } = (await get('/api/audit?limit=100')) as { entries: { what: string; who: string }[] }
    expect(entries.map(({ what }) => what)).toEqual(expect.arrayContaining(['paired', 'answer']))
    expect(await get('/api/audit/verify')).toEqual({ entries: entries.length })
  })

  it('pairs with a cookie that scripts cannot read, and lets devices unpair', async () => {
    const { code } = server.pairing.create()
    const paired = await server.call('POST', '/api/pair', { json: { code, name: 'web' } })
    const cookie = paired.headers['set-cookie']![0]!
    expect(cookie).toMatch(/^remora=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    expect(paired.json).not.toHaveProperty('token')
    const value = /=([\w-]+)/.exec(cookie)![1]!
    expect((await server.call('GET', '/api/me', { cookie: value })).json).toMatchObject({
      device: { name: 'web' },
    })
    const origin = `http://127.0.0.1:${server.port}`
    expect((await server.call('DELETE', '/api/me', { cookie: value, headers: { origin } })).status).toBe(204)
    expect((await server.call('GET', '/api/me', { cookie: value })).status).toBe(401)
  })

  it('describes every route from the same table', async () => {
    const { openapi, paths } = (await get('/api/openapi.json')) as {
      openapi: string
      paths: Record<string, object>
    }
    expect(openapi).toBe('3.1.0')
    for (const { method, path } of Object.values(api).filter((each) => each.path.startsWith('/api')))
      expect(paths[path.replaceAll(/:(\w+)/g, '{$1}')]).toHaveProperty(method)
    expect(JSON.stringify(paths['/api/live'])).toContain('worktree')
  })

  it('serves the user over a socket that only they can open', async () => {
    const client = createServerClient({ remoraHome: server.context.remoraHome })
    expect(await client.health()).toEqual({ ok: true, version: '9.8.7' })
    expect(await client.request('GET', '/api/me')).toMatchObject({ kind: 'user' })
    const made = await client.request<{ code: string; urls: string[] }>('POST', '/api/pair/code', {
      body: {},
    })
    expect(made.code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/)
    expect(made.urls[0]).toBe(`http://127.0.0.1:${server.port}/#pair=${made.code}`)
    await expect(client.request('GET', '/api/live/nobody')).rejects.toMatchObject({ code: 'not_found' })
    expect((await stat(server.unixSocket!)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(server.unixSocket!))).mode & 0o777).toBe(0o700)
    const offline = createServerClient({ remoraHome: '/tmp/rs-none' })
    expect(await offline.health()).toBeUndefined()
    await expect(offline.open()).rejects.toMatchObject({ code: 'not_found' })
  })
})
