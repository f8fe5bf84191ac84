import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestServer, startTestServer } from './server.test-data.ts'

let folder: string
let server: TestServer
const page = '<!doctype html><title>The app</title>'
const script = `console.log(${JSON.stringify('words '.repeat(500))})`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remora-app-'))
  put('app/index.html', page)
  put('app/assets/main-1a2b3c.js', script)
  put('app/assets/grammars/one-4d5e6f.js', 'export {}')
  put('app/assets/main-1a2b3c.css', 'body {}')
  put('app/assets/mono.woff2', 'font')
  put('app/icon.svg', '<svg/>')
  put('app/icon-192.png', 'png')
  put('app/manifest.webmanifest', '{}')
  put('app/sw.js', 'self')
  put('app/notes.txt', 'not a file of the app')
  put('app/main.js.map', '{}')
  put('app/.secret', 'x')
  put('outside.js', 'secret')
  symlinkSync(join(folder, 'outside.js'), join(folder, 'app', 'link.js'))
  server = await startTestServer({
    app: join(folder, 'app'),
    limits: { requestsPerAddress: { perSecond: 1000, burst: 10_000 } },
  })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

function put(path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const get = (path: string, headers: Record<string, string> = {}) => server.call('GET', path, { headers })
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** Requests an unnormalized path and returns the raw bytes. */
function requestRaw(path: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number; body: Buffer; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: server.port, path, headers, method }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode!, body: Buffer.concat(chunks), headers: response.headers }),
        )
      })
      sent.on('error', reject)
      sent.end()
    },
  )
}

describe('the files of the app', () => {
  it('have the content types that browsers expect, without credentials', async () => {
    const types = {
      '/': 'text/html; charset=utf-8',
      '/index.html': 'text/html; charset=utf-8',
      '/assets/main-1a2b3c.js': 'text/javascript; charset=utf-8',
      '/assets/grammars/one-4d5e6f.js': 'text/javascript; charset=utf-8',
      '/assets/main-1a2b3c.css': 'text/css; charset=utf-8',
      '/assets/mono.woff2': 'font/woff2',
      '/icon.svg': 'image/svg+xml',
      '/icon-192.png': 'image/png',
      '/manifest.webmanifest': 'application/manifest+json',
      '/sw.js': 'text/javascript; charset=utf-8',
    }
    for (const [path, type] of Object.entries(types)) {
      const { status, headers } = await get(path)
      expect([path, status, headers['content-type']]).toEqual([path, 200, type])
    }
  })

  it('are cached forever with a hash in the name, and revalidated without', async () => {
    const forever = 'public, max-age=31536000, immutable'
    expect((await get('/assets/main-1a2b3c.js')).headers['cache-control']).toBe(forever)
    expect((await get('/assets/grammars/one-4d5e6f.js')).headers['cache-control']).toBe(forever)
    for (const path of ['/', '/sw.js', '/manifest.webmanifest', '/icon.svg', '/session/gemini/abc'])
      expect((await get(path, browser)).headers['cache-control']).toBe('no-cache')
  })

  it('are compressed as the browser accepts, except images', async () => {
    const path = '/assets/main-1a2b3c.js'
    const br = await requestRaw(path, { 'accept-encoding': 'gzip, deflate, br' })
    expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(brotliDecompressSync(br.body).toString()).toBe(script)
    const gzip = await requestRaw(path, { 'accept-encoding': 'gzip' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.body).toString()).toBe(script)
    expect(gzip.body.length).toBeLessThan(script.length / 5)
    for (const refused of ['', 'br;q=0, gzip;q=0', 'identity']) {
      const plain = await requestRaw(path, { 'accept-encoding': refused })
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.body.toString()).toBe(script)
    }
    const picture = await requestRaw('/icon-192.png', { 'accept-encoding': 'br' })
    expect(picture.headers['content-encoding']).toBeUndefined()
    expect(picture.body.toString()).toBe('png')
  })

  it('are not sent again to a browser that has them, and HEAD has no body', async () => {
    const etag = (await get('/')).headers.etag!
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await get('/', { 'if-none-match': known })
      expect([known, answer.status, answer.text]).toEqual([known, 304, ''])
      expect(answer.headers).toMatchObject({ etag, 'cache-control': 'no-cache' })
    }
    expect((await get('/', { 'if-none-match': '"other"' })).status).toBe(200)
    const head = await requestRaw('/assets/main-1a2b3c.js', {}, 'HEAD')
    expect([head.status, head.body.length]).toEqual([200, 0])
    expect(head.headers['content-type']).toBe('text/javascript; charset=utf-8')
  })

  it('serve the page for every screen of the app, and for nothing else', async () => {
    for (const path of [
      '/new',
      '/session/gemini/abc',
      '/session/gemini/a%2Fb/changes',
      '/settings/devices?x=1',
      '/session/other/a.b',
      '/insights',
    ])
      expect([path, (await get(path, browser)).text]).toEqual([path, page])
    // Requests that are no navigation, have an extension, or are below the API find nothing.
    for (const [path, headers] of [
      ['/new', { accept: '*/*' }],
      ['/new', {}],
      ['/missing.js', browser],
      ['/assets/old-999.js', browser],
      ['/api', browser],
      ['/api/', browser],
      ['/api/nothing', browser],
      ['/API/nothing', browser],
      ['/%61pi/nothing', browser],
      ['//api/nothing', browser],
    ] as const) {
      const answer = await get(path, headers)
      expect([path, answer.status]).toEqual([path, path.startsWith('//') ? 400 : 401])
      expect(answer.text).not.toContain('The app')
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect((await server.call(method, '/', { headers: browser })).status).toBe(401)
  })

  it('are served by exact name only: no outside files, hidden files or links', async () => {
    for (const path of [
      '/../outside.js',
      '/..%2foutside.js',
      '/%2e%2e/outside.js',
      '/assets/../../outside.js',
      '/assets/..%5c..%5coutside.js',
      '/./index.html/../sw.js/x',
      '/link.js',
      '/notes.txt',
      '/main.js.map',
      '/.secret',
      '/Icon.svg',
      '/icon.svg%00.js',
      '/icon.svg/',
      '//icon.svg',
      '/__proto__.js',
      '/constructor',
    ]) {
      const { status, body } = await requestRaw(path, {})
      expect([path, status < 400]).toEqual([path, false])
      expect(body.toString()).not.toContain('secret')
    }
  })

  it('have the same security headers as every response', async () => {
    const { token } = await server.pair()
    const answers = [
      await get('/'),
      await get('/assets/main-1a2b3c.js'),
      await get('/sw.js'),
      await get('/session/a/b', browser),
      await get('/', { 'if-none-match': (await get('/')).headers.etag! }),
      await get('/missing.js'),
      await server.call('GET', '/api/live', { token }),
    ]
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
        ),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
  })
})
