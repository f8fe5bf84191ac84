import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningCommand, LiveHome, untilListening } from '../live/live-home.test-data.ts'

// Loading the server is slow and must not count towards the timeout of one test.
beforeAll(() => import('@remora/server').then(() => {}), 120_000)

let home: LiveHome
let server: RunningCommand
beforeEach(async () => {
  home = new LiveHome()
  server = home.start(['serve', '--port', '0'])
  await untilListening(server)
})
afterEach(async () => {
  await server.stop()
  home[Symbol.dispose]()
})

interface Made {
  readonly code: string
  readonly link: string
  readonly person: string
  readonly role: string
}

async function pair(name: string, ...words: string[]): Promise<{ made: Made; token: string }> {
  const made = (await home.remora(['pair', '--json', ...words])).json<Made>()
  const answer = await fetch(new URL('/api/pair', made.link), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: made.code, name, token: true }),
  })
  return { made, token: ((await answer.json()) as { token: string }).token }
}

// Each test runs many commands, which is slow on a busy machine.
describe('remora people', { timeout: 120_000 }, () => {
  it('lists people with their roles, and removes one', async () => {
    const [me] = (await home.remora(['people', '--json'])).json<{ name: string }[]>()
    const { made } = await pair('laptop')
    expect(made).toMatchObject({ person: me!.name, role: 'owner' })
    const bobs = await pair("Bob's phone", '--person', 'Bob', '--role', 'member')
    expect(bobs.made).toMatchObject({ person: 'Bob', role: 'member', added: true })

    const { out } = await home.remora(['people'])
    expect(out.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['NAME', 'ROLE', 'DEVICES', 'SEEN'],
      [`${me!.name} (you)`, 'owner', 'laptop', 'just now'],
      ['Bob', 'member', "Bob's phone", 'just now'],
      [''],
    ])
    expect((await home.remora(['people', '--json'])).json()).toMatchObject([
      { name: me!.name, role: 'owner', local: true, devices: [{ name: 'laptop' }] },
      {
        name: 'Bob',
        role: 'member',
        seenAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        devices: [{ person: 'Bob' }],
      },
    ])
    expect((await home.remora(['devices'])).out).toMatch(/Bob's phone +Bob +just now/)

    expect(await home.remora(['people', 'role', 'bob', 'viewer'])).toMatchObject({
      code: 0,
      out: 'Bob is now a viewer (read only) (was member).\n',
    })
    expect((await home.remora(['people', 'role', 'bob', 'viewer'])).out).toContain('Bob is already a viewer')
    expect((await home.remora(['people', 'role', 'bob', 'owner', '--json'])).json()).toEqual({
      person: 'Bob',
      role: 'owner',
      was: 'viewer',
    })
    expect(await home.remora(['people', 'remove', 'Bob'])).toMatchObject({
      code: 0,
      out: 'Removed Bob: 1 device disconnected.\n',
    })
    const lost = await fetch(new URL('/api/me', bobs.made.link), {
      headers: { authorization: `Bearer ${bobs.token}` },
    })
    expect(lost.status).toBe(401)
    const audit = (await home.remora(['audit'])).out.replaceAll(/^ *\d+ {2}\S+ \S+ {2}/gm, '')
    expect(audit).toContain(`role  ${me!.name}, this machine\n      Bob: member → viewer\n`)
    expect(audit).toContain(`person removed  ${me!.name}, this machine\n      Bob, owner\n`)
    expect(audit).toContain(`revoked  ${me!.name}, this machine\n      Bob's phone (Bob)\n`)
    expect(audit).toMatch(/paired {2}Bob, Bob's phone \(d-\w+\)\n/)
  })

  it('lists people and devices from the ledger while no server runs', async () => {
    await pair('laptop')
    await pair("Bob's phone", '--person', 'Bob', '--role', 'member')
    const running = {
      people: (await home.remora(['people', '--json'])).json(),
      devices: (await home.remora(['devices', '--json'])).json(),
    }
    await server.stop()
    expect({
      people: (await home.remora(['people', '--json'])).json(),
      devices: (await home.remora(['devices', '--json'])).json(),
    }).toEqual(running)
    expect(await home.remora(['devices'])).toMatchObject({
      code: 0,
      out: expect.stringContaining("Bob's phone") as string,
      err: 'The server is not running: this is what it stored last.\n  Start it: remora serve\n',
    })
  })

  it('names the person of a code, and changes a role only with --role', async () => {
    const pair = async (...words: string[]) => (await home.remora(['pair', ...words])).out
    expect(await pair()).toMatch(/^Pair a browser/)
    expect(await pair('--person', 'Ann Lee')).toMatch(
      /^Added Ann Lee: a viewer .*\nTo let them send prompts and answers: remora people role 'Ann Lee' member\nPair a browser/,
    )
    expect(await pair('--person', 'ann lee')).toMatch(/^Ann Lee is a viewer .*\nPair/)
    expect(await pair('-p', 'Ann Lee', '--role', 'member')).toMatch(
      /^Ann Lee is now a member .*\(was viewer\)\./,
    )
    expect(await pair('-p', 'Ann Lee')).toMatch(/^Ann Lee is a member/)
  })

  it('refuses invalid changes with a hint', async () => {
    const [me] = (await home.remora(['people', '--json'])).json<{ name: string }[]>()
    const ends = async (...words: string[]) => {
      const { code, err, out } = await home.remora(words)
      expect(out).toBe('')
      expect(err.split('\n').length).toBeGreaterThan(2)
      return [code, err]
    }
    expect(await ends('people', 'role', me!.name, 'member')).toEqual([
      1,
      expect.stringContaining('stays an owner'),
    ])
    expect(await ends('people', 'remove', me!.name)).toEqual([1, expect.stringContaining('stays an owner')])
    expect(await ends('people', 'remove', 'unknown')).toEqual([
      1,
      expect.stringContaining('No person "unknown"'),
    ])
    expect(await ends('people', 'role', 'Bob', 'king')).toEqual([
      2,
      expect.stringContaining('owner, member, viewer'),
    ])
    expect(await ends('people', 'role', 'Bob')).toEqual([2, expect.stringContaining('needs <role>')])
    expect(await ends('people', 'remove', 'Ann', 'Lee')).toEqual([2, expect.stringContaining('Quote a name')])
    expect(await ends('people', 'remove')).toEqual([2, expect.stringContaining('needs <name>')])
    expect(await ends('people', 'rename', 'Bob')).toEqual([
      2,
      expect.stringContaining('Unknown action "rename"'),
    ])
    expect(await ends('pair', '--role', 'viewer')).toEqual([
      2,
      expect.stringContaining('--role needs --person'),
    ])
    expect(await ends('pair', '--person', 'a/b')).toEqual([2, expect.stringContaining('Invalid person name')])
  })
})
