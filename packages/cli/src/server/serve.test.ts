import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningCommand, LiveHome, untilListening } from '../live/live-home.test-data.ts'

// Loading the server is slow and must not count towards the timeout of one test.
beforeAll(() => import('@remora/server').then(() => {}), 120_000)

let home: LiveHome
let server: RunningCommand | undefined
beforeEach(() => {
  home = new LiveHome()
  server = undefined
})
afterEach(async () => {
  await server?.stop()
  home[Symbol.dispose]()
})

/** Starts a server on a free port and waits until it prints its address. */
async function serve(
  more: Parameters<LiveHome['start']>[1] = {},
  words: string[] = [],
): Promise<RunningCommand> {
  server = home.start(['serve', '--port', '0', ...words], more)
  await untilListening(server)
  return server
}

const urlIn = (text: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0]

describe('remora serve', () => {
  it('prints its address and live sessions, and stops on a signal', async () => {
    const { printed } = await serve()
    const url = urlIn(printed.out)
    expect(printed.out).toContain('(this computer only)')
    expect(printed.out).toContain('No live sessions. Start one: remora new gemini')
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ ok: true })
    expect(statSync(join(home.state, 'server.json')).mode & 0o777).toBe(0o600)
    expect((await server!.stop()).code).toBe(0)
    await expect(fetch(`${url}/health`)).rejects.toThrow()
    expect(existsSync(join(home.state, 'server.json'))).toBe(false)
  })

  it('prints a pairing code on a terminal only, and no QR code for an address that no phone can reach', async () => {
    const { printed } = await serve({ terminal: true, env: { NO_COLOR: '1' } })
    await expect
      .poll(() => printed.out, { timeout: 60_000 })
      .toContain('Press Ctrl+C to stop the server. Agents keep running.')
    const [, code] = /#pair=([A-Z0-9-]+)\n/.exec(printed.out)!
    expect(printed.out).toContain(`Code: ${code}\n`)
    expect(printed.out).toContain('Phones cannot reach this address')
    expect(printed.out).not.toContain('█')
    expect(readFileSync(join(home.state, 'logs/server.log'), 'utf8')).not.toContain(code)
    await server!.stop()
    expect((await serve()).printed.out).not.toContain('#pair')
  })

  it('runs when remora is started without a verb on a terminal', async () => {
    server = home.start([], { terminal: true, env: { REMORA_PORT: '0', NO_COLOR: '1' } })
    await expect
      .poll(() => server!.printed.out, { timeout: 60_000 })
      .toContain('Press Ctrl+C to stop the server')
    expect((await home.remora([])).out).toContain('Usage: remora <command>')
  })

  it('reports a server that is already running', async () => {
    const url = urlIn((await serve()).printed.out)
    const again = await home.remora(['serve', '--port', '4999'])
    expect(again).toMatchObject({
      code: 0,
      err: expect.stringContaining('A Remora server is already running.'),
    })
    expect(again.err).toContain('remora stop')
    expect(again.out).toContain(url)
    expect((await home.remora(['serve', '--json'])).json()).toMatchObject({ url, pid: process.pid })
  })

  it('names the process that uses the port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const refused = await home.remora(['serve', '--port', String(port)])
    other.close()
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(
      new RegExp(
        `^remora: Port ${port} is in use by process ${process.pid} \\(.*node.*\\)\\n  .*--port <port>.*server\\.port`,
      ),
    )
    // The lease was released, so the next server can start.
    await serve()
  })

  it.each([
    [['--port', 'x'], 'Invalid port "x"'],
    [['--port', '70000'], 'Invalid port "70000"'],
    [['--lan', '--tailscale'], '--lan and --tailscale cannot be combined'],
    [['--cert', 'a.pem'], '--cert and --key must be used together'],
    [['--cert', 'a.pem', '--key', 'b.pem'], 'Cannot read'],
  ])('refuses %j', async (words, why) => {
    expect(await home.remora(['serve', ...words])).toMatchObject({
      code: 2,
      err: expect.stringContaining(why),
    })
  })
})

describe('beside a running server', () => {
  beforeEach(async () => void (await serve()))

  it('prints the same status as text and as JSON', async () => {
    const { out, code } = await home.remora(['status'])
    const url = urlIn(server!.printed.out)
    expect(code).toBe(0)
    expect(out).toContain(`is running (process ${process.pid}, started just now)\n  ${url}\n`)
    expect(out).toContain('0 devices paired')
    expect((await home.remora(['status', '--json'])).json()).toMatchObject({
      running: true,
      url,
      pid: process.pid,
      reach: 'loopback',
      sessions: [],
      devices: 0,
    })
    expect((await home.remora(['doctor'])).out).toContain('✓ Server')
  })

  it('pairs a device once, lists it, and revokes it', async () => {
    const { code, link } = (await home.remora(['pair', '--json'])).json<{ code: string; link: string }>()
    const url = urlIn(server!.printed.out)
    expect(link).toBe(`${url}/#pair=${code}`)
    const paired = await post(`${url}/api/pair`, { code, name: 'My phone', token: true })
    expect(paired.status).toBe(200)
    expect((await post(`${url}/api/pair`, { code, name: 'Another' })).status).toBe(403)
    const { token } = JSON.parse(paired.text) as { token: string }
    const me = () => fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${token}` } })
    expect((await me()).status).toBe(200)
    const [device] = (await home.remora(['devices', '--json'])).json<{ id: string; name: string }[]>()
    expect(device).toMatchObject({ name: 'My phone' })
    expect((await home.remora(['devices'])).out).toMatch(
      /^ID +NAME +PERSON +PAIRED +SEEN\nd-\w+ +My phone +\S+ +just now/,
    )
    expect(await home.remora(['devices', 'revoke', 'unknown'])).toMatchObject({ code: 1 })
    expect(await home.remora(['devices', 'revoke', 'my phone'])).toMatchObject({
      err: '',
      out: expect.stringContaining(`(${device!.id}). It is disconnected.`),
    })
    expect((await me()).status).toBe(401)
    expect((await home.remora(['devices'])).err).toContain('Pair one: remora pair')
  })

  it('prints hints if there are no live sessions', async () => {
    expect(await home.remora(['ls'])).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('Start one: remora new gemini'),
    })
    expect((await home.remora(['ls', '--json'])).json()).toEqual({ live: [], adoptable: [] })
    for (const words of [
      ['attach', 'x'],
      ['send', 'x', 'Hello'],
      ['cancel', 'x'],
      ['end', 'latest'],
    ])
      expect(await home.remora(words)).toMatchObject({
        code: 1,
        err: 'remora: No live sessions\n  Start one: remora new gemini\n',
      })
    expect(await home.remora(['adopt', 'x'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('No agent'),
    })
    expect(await home.remora(['send', 'x'])).toMatchObject({ code: 2 })
  })

  it('refuses to start an agent that is not installed', async () => {
    expect(await home.remora(['new', 'gemni'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean gemini?'),
    })
    expect(await home.remora(['new', 'gemini'])).toMatchObject({ code: 3 })
    expect(await home.remora(['new', 'gemini', '--cwd', 'nowhere'])).toMatchObject({
      code: 1,
      err: expect.stringContaining(' does not exist\n  Create it'),
    })
    expect(await home.remora(['new', 'gemini', '--mode', 'wild'])).toMatchObject({ code: 2 })
    expect(await home.remora(['new', 'gemini', '--acp', '--attach'])).toMatchObject({ code: 2 })
  })
})

it('uses TLS on other networks, and prints a QR code for an address that a phone can reach', async () => {
  const [address] = Object.values(networkInterfaces())
    .flat()
    .filter(
      (each) =>
        each?.family === 'IPv4' &&
        !each.internal &&
        /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(each.address),
    )
  const before = (await home.remora(['cert', '--json'])).json<{ fingerprint: string; page: null }>()
  expect(before).toMatchObject({ fingerprint: expect.stringMatching(/^[0-9A-F:]{95}$/), page: null })
  // Without a network, no phone can reach this machine.
  if (!address) return
  await serve({ terminal: true, env: { NO_COLOR: '1' } }, ['--host', address.address])
  await expect
    .poll(() => server!.printed.out, { timeout: 60_000 })
    .toContain('Press Ctrl+C to stop the server')
  expect(server!.printed.out).toMatch(new RegExp(`https://${address.address}:\\d+/#pair=`))
  expect(server!.printed.out).toContain('█')
  const after = await home.remora(['cert'])
  expect(after.out).toContain(before.fingerprint)
  expect(after.out).toMatch(/https:.*\/install\n/)
})

it('prints no QR code if a phone can reach none of the addresses', async () => {
  await serve({ terminal: true, env: { NO_COLOR: '1' } }, ['--host', '0.0.0.0'])
  await expect
    .poll(() => server!.printed.out, { timeout: 60_000 })
    .toContain('Press Ctrl+C to stop the server')
  const { out } = server!.printed
  expect(out.includes('█')).toBe(!out.includes('https://localhost:'))
  expect(out).not.toContain('https://[')
})

it('reports a missing server without starting one', async () => {
  expect(await home.remora(['status'])).toMatchObject({
    code: 1,
    err: 'The Remora server is not running.\n  Start it: remora serve\n',
  })
  expect((await home.remora(['status', '--json'])).json()).toEqual({ running: false })
  expect(await home.remora(['stop'])).toMatchObject({ code: 0, err: 'The Remora server is not running.\n' })
})

function post(url: string, body: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (more: string) => (text += more))
        response.on('end', () => resolve({ status: response.statusCode!, text }))
      },
    )
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}
