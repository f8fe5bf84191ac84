import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestClient, type TestServer, openSocket, startTestServer } from '../http/server.test-data.ts'
import { createLedgerStore } from '../core/store.ts'
import { Devices } from './devices.ts'
import { People, getLocalPerson, parsePersonName } from './people.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(async () => {
  await server.close()
})

const bob = { name: 'Bob', role: 'member' } as const
const user = { unix: true } as const

async function entries(): Promise<{ what: string; who: string; detail?: unknown }[]> {
  return (await server.ledger.audit.read()).map(({ what, who, detail }) => ({ what, who, detail }))
}

async function ask(id: string): Promise<void> {
  await server.context.approvals.open(
    { agent: 'claude', session: 'one' },
    {
      id,
      kind: 'permission',
      title: 'Run it?',
      options: [{ id: 'yes', label: 'Yes', effect: 'allow' }],
      digest: 'shown',
    },
    async () => 'done',
  )
}

describe('people', () => {
  it('are only the local user by default, whose devices have full access', async () => {
    const { id, token } = await server.pair()
    const me = getLocalPerson()
    expect((await server.call('GET', '/api/me', { token })).json).toMatchObject({
      kind: 'device',
      client: id,
      person: me,
      role: 'owner',
      device: { id, person: me },
    })
    expect((await server.call('GET', '/api/me', user)).json).toEqual({
      kind: 'user',
      client: 'local',
      person: me,
      role: 'owner',
    })
    expect((await server.call('GET', '/api/people', { token })).json['people']).toMatchObject([
      { name: me, role: 'owner', local: true, devices: [{ id }] },
    ])
    expect((await server.call('DELETE', `/api/devices/${id}`, { token })).status).toBe(204)
  })

  it('pair by their own code, and keep their role unless another is given', async () => {
    const code = (json: unknown) => server.call('POST', '/api/pair/code', { ...user, json })
    const first = (await code({ person: 'Bob' })).json
    expect(first).toMatchObject({ person: 'Bob', role: 'viewer', added: true })
    const made = await server.call('POST', '/api/pair', {
      json: { code: first['code'], name: 'phone', token: true },
    })
    const token = made.json['token'] as string
    expect((await server.call('GET', '/api/me', { token })).json).toMatchObject({
      person: 'Bob',
      role: 'viewer',
    })
    expect((await code({ person: ' bob ' })).json).toMatchObject({
      person: 'Bob',
      role: 'viewer',
      added: false,
    })
    expect((await code({ person: 'BOB', role: 'member' })).json).toMatchObject({
      role: 'member',
      was: 'viewer',
    })
    expect((await server.call('GET', '/api/me', { token })).json).toMatchObject({ role: 'member' })
    for (const person of ['', 'policy', 'a/b', 'two, names', '\u202eevil', 'x'.repeat(61)])
      expect((await code({ person })).status, person).toBe(400)
    expect((await code({ role: 'viewer' })).json.error).toMatchObject({ code: 'conflict' })
    const me = getLocalPerson()
    expect(await entries()).toMatchObject([
      { what: 'person added', who: `${me}, this machine`, detail: { person: 'Bob', role: 'viewer' } },
      { what: 'paired', who: expect.stringMatching(/^Bob, phone \(d-\w+\)$/), detail: { role: 'viewer' } },
      { what: 'role', who: `${me}, this machine`, detail: { person: 'Bob', from: 'viewer', to: 'member' } },
    ])
  })

  it('lose all devices and open connections when removed', async () => {
    const phones = [await server.pair('one', bob), await server.pair('two', bob)]
    const mine = await server.pair('mine')
    const open: TestClient[] = []
    for (const { token } of [...phones, mine]) open.push(await openSocket(server, { token }))
    const unused = server.pairing.create('Bob')
    const removed = await server.call('DELETE', '/api/people/bob', { token: mine.token })
    expect(removed.json).toEqual({
      person: 'Bob',
      revoked: expect.arrayContaining(phones.map(({ id }) => id)),
    })
    expect(await open[0]!.untilClosed()).toBe(4401)
    expect(await open[1]!.untilClosed()).toBe(4401)
    expect(open[2]!.closed).toBeUndefined()
    for (const { token } of phones) expect((await server.call('GET', '/api/me', { token })).status).toBe(401)
    const late = { code: unused.code, name: 'late' }
    expect((await server.call('POST', '/api/pair', { json: late })).status).toBe(403)
    expect((await server.call('DELETE', '/api/people/bob', user)).status).toBe(404)
    expect((await entries()).slice(-3).map(({ what }) => what)).toEqual([
      'person removed',
      'revoked',
      'revoked',
    ])
    open[2]!.close()
  })

  it('get a new role at once: open connections close and reconnect with it', async () => {
    const { token } = await server.pair('phone', bob)
    server.live.put()
    const client = await openSocket(server, { token })
    await client.until(({ type }) => type === 'hello')
    const lowered = await server.call('PATCH', '/api/people/Bob', { ...user, json: { role: 'viewer' } })
    expect(lowered.json).toMatchObject({ person: { role: 'viewer' }, was: 'member' })
    expect(await client.untilClosed()).toBe(4403)
    const send = await server.call('POST', '/api/live/l-1/send', { token, json: { text: 'hi' } })
    expect([send.status, send.json.error?.code]).toEqual([403, 'forbidden'])
    const reconnected = await openSocket(server, { token })
    expect(await reconnected.until(({ type }) => type === 'hello')).toMatchObject({ role: 'viewer' })
    reconnected.close()
  })

  it('with the role viewer do not suppress notifications', async () => {
    const target = { agent: 'claude', session: 'one' }
    const look = async (token: string): Promise<TestClient> => {
      const client = await openSocket(server, { token })
      client.send({ type: 'looking', session: target })
      client.send({ type: 'ping' })
      await client.until(({ type }) => type === 'pong')
      return client
    }
    const viewer = await look((await server.pair('phone', { name: 'Vic', role: 'viewer' })).token)
    expect(server.presence.isViewed(target)).toBe(false)
    const member = await look((await server.pair('phone', bob)).token)
    expect(server.presence.isViewed(target)).toBe(true)
    viewer.close()
    member.close()
  })

  it('always include an owner: the local user cannot be demoted or removed', async () => {
    const me = getLocalPerson()
    const ann = await server.pair('phone', { name: 'Ann', role: 'owner' })
    for (const who of [user, { token: ann.token }]) {
      const path = `/api/people/${encodeURIComponent(me.toUpperCase())}`
      const lowered = await server.call('PATCH', path, { ...who, json: { role: 'member' } })
      expect([lowered.status, lowered.json.error?.code]).toEqual([409, 'conflict'])
      expect((await server.call('DELETE', path, who)).status).toBe(409)
    }
    expect(server.people.find(me)).toMatchObject({ role: 'owner' })
    expect(
      (await server.call('PATCH', '/api/people/Ann', { ...user, json: { role: 'viewer' } })).status,
    ).toBe(200)
    expect((await server.call('PATCH', '/api/people/Ann', { ...user, json: { role: 'king' } })).status).toBe(
      400,
    )
    expect(
      (await server.call('PATCH', '/api/people/none', { ...user, json: { role: 'owner' } })).status,
    ).toBe(404)
  })

  it('are in the audit log with their device', async () => {
    const { id, token } = await server.pair("Bob's phone", bob)
    server.live.put()
    await ask('a1')
    await ask('a2')
    const answer = (which: string) => ({
      agent: 'claude',
      session: 'one',
      ask: which,
      digest: 'shown',
      option: 'yes',
    })
    await server.call('POST', '/api/asks/answer', { token, json: answer('a1') })
    const client = await openSocket(server, { token })
    const target = { agent: 'claude', session: 'one' }
    const body = { kind: 'answer', ask: 'a2', digest: 'shown', option: 'yes' }
    client.send({ type: 'command', id: 'k1', target, body })
    expect(await client.until(({ type }) => type === 'ack')).toMatchObject({
      state: 'done',
      answer: { person: 'Bob', device: `Bob's phone (${id})` },
    })
    client.send({ type: 'command', id: 'k2', target, body: { kind: 'mode', mode: 'plan' } })
    await client.until((each) => each['type'] === 'ack' && each['id'] === 'k2')
    // A repeated command is neither executed nor audited again.
    for (let turn = 0; turn < 2; turn += 1)
      await server.call('POST', '/api/live/l-1/end', { token, json: { id: 'k3' } })
    await server.call('DELETE', `/api/devices/${id}`, user)
    const signed = `Bob, Bob's phone (${id})`
    expect((await entries()).slice(1)).toMatchObject([
      { what: 'paired', who: signed },
      { what: 'answer', who: signed },
      { what: 'answer', who: signed },
      { what: 'mode', who: signed, detail: { mode: 'plan' } },
      { what: 'end', who: signed },
      { what: 'revoked', who: `${getLocalPerson()}, this machine`, detail: { device: id, person: 'Bob' } },
    ])
    client.close()
  })
})

describe('data of versions without people', () => {
  it('belongs to the local user', async () => {
    const { id, token } = await server.pair('old')
    const store = createLedgerStore(server.ledger)
    const devices = store.collection<Record<string, unknown>>('devices')
    const { person: _, ...old } = (await devices.get(id))!
    await devices.put(id, old)
    for (const [name] of await store.collection('people').all()) await store.collection('people').remove(name)
    const audit = server.ledger.audit
    const people = await People.load({ store, audit, local: 'ann' })
    const loaded = await Devices.load({ store, audit, people })
    expect(loaded.findByToken(token)).toMatchObject({ id, name: 'old', person: 'ann' })
    expect(people.list()).toMatchObject([{ name: 'ann', role: 'owner' }])
    await loaded.rename(id, 'older')
    expect((await Devices.load({ store, audit, people })).findByToken(token)).toMatchObject({ person: 'ann' })
  })

  it('keeps a device of a removed person, without access', async () => {
    const { id, token } = await server.pair('phone', bob)
    const store = createLedgerStore(server.ledger)
    await store.collection('people').remove('bob')
    const audit = server.ledger.audit
    const people = await People.load({ store, audit, local: 'ann' })
    const loaded = await Devices.load({ store, audit, people })
    expect(loaded.findByToken(token)).toBeUndefined()
    expect(loaded.list()).toMatchObject([{ id, person: 'Bob' }])
  })
})

it('matches every spelling of a name', () => {
  expect(parsePersonName('  Ann   Lee ')).toBe('Ann Lee')
  expect(parsePersonName("Zoë O'Hara")).toBe("Zoë O'Hara")
  expect(() => parsePersonName('\n')).toThrow(/Invalid person name/)
})
