import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answered, type TestContext, createContext } from './context.test-data.ts'
import { openBelow } from './open-below.ts'
import { findRoots } from './roots.ts'
import { createFilesRoutes } from '../http/routes/files.ts'

const secret = 'the-secret-of-somebody-else'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let test: TestContext
let get: (path: string) => Promise<Answered>
let post: (name: string, bytes: Uint8Array, type?: string) => Promise<Answered>
/** A folder beside the home whose name starts with the name of the home. */
let outside: string

beforeAll(async () => {
  test = await createContext()
  outside = `${test.home}2`
  mkdirSync(join(test.home, 'project'))
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.txt'), secret)
  writeFileSync(join(test.home, 'project/fine.txt'), 'fine\n')
  const routes = createFilesRoutes(test.context)
  get = async (path) => {
    const [view, raw] = await Promise.all(
      ['files', 'files/raw'].map((route) =>
        test.request(routes, `/api/${route}?path=${encodeURIComponent(path)}`),
      ),
    )
    if (JSON.stringify([view!.body, raw!.body]).includes(secret))
      throw new Error(`The secret came out by ${path}`)
    return view!
  }
  post = (name, bytes, type = 'application/octet-stream') =>
    test.request(routes, `/api/uploads?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      body: new Uint8Array(bytes),
      headers: { 'content-type': type },
    })
})

afterAll(() => test[Symbol.asyncDispose]())

/** Returns `refused`, or the response. */
async function attempt(path: string): Promise<string> {
  const { status, body } = await get(path)
  const code = body.error?.code
  return (status === 403 && code === 'permission') || (status === 400 && code === 'usage')
    ? 'refused'
    : `${path}: ${status} ${JSON.stringify(body)}`
}

describe('an attack on files', () => {
  it('is distinguished from normal use', async () => {
    expect(await get(join(test.home, 'project/fine.txt'))).toMatchObject({
      status: 200,
      body: { kind: 'text', text: 'fine' },
    })
  })

  it('by ".." in any spelling is refused', async () => {
    for (const path of [
      `${test.home}/project/../../home2/secret.txt`,
      `${test.home}/../home2/secret.txt`,
      `${test.home}/./../home2/secret.txt`,
      `${test.home}/project/..\\..\\home2\\secret.txt`,
      `${test.home}//..//home2/secret.txt`,
      '../../../../etc/passwd',
      '/etc/passwd',
      '~/.ssh/id_rsa',
      'file:///etc/passwd',
    ])
      expect(await attempt(path)).toBe('refused')
  })

  it('by a folder whose name starts like an allowed one is refused', async () => {
    expect(await attempt(join(outside, 'secret.txt'))).toBe('refused')
    expect(await attempt(outside)).toBe('refused')
    // The response does not reveal whether the file exists.
    expect(await attempt(join(outside, 'nothing.txt'))).toBe('refused')
  })

  it('by NUL, by a path that is too long and by an encoded path is refused', async () => {
    expect(await attempt(`${test.home}/project/fine.txt\0.png`)).toBe('refused')
    expect(await attempt(`/${'x'.repeat(5_000)}`)).toBe('refused')
    expect((await get(`${test.home}/%2e%2e/home2/secret.txt`)).status).toBe(404)
  })

  it('by a link to a file outside is refused, and the link is not listed', async () => {
    symlinkSync(join(outside, 'secret.txt'), join(test.home, 'project/link.txt'))
    expect(await attempt(join(test.home, 'project/link.txt'))).toBe('refused')
    const { body } = await get(join(test.home, 'project'))
    expect(body.entries.map(({ name }: { name: string }) => name)).not.toContain('link.txt')
  })

  it('by a link to a folder outside, and by a chain of links, is refused', async () => {
    symlinkSync(outside, join(test.home, 'project/folder'))
    symlinkSync('folder', join(test.home, 'project/chain'))
    symlinkSync('/', join(test.home, 'project/all'))
    expect(await attempt(join(test.home, 'project/folder/secret.txt'))).toBe('refused')
    expect(await attempt(join(test.home, 'project/chain/secret.txt'))).toBe('refused')
    expect(await attempt(join(test.home, 'project/all/etc/passwd'))).toBe('refused')
    symlinkSync('loop', join(test.home, 'project/loop'))
    expect(await attempt(join(test.home, 'project/loop'))).toBe('refused')
  })

  it('by a link inside that leads to a key file inside is refused', async () => {
    mkdirSync(join(test.home, '.ssh'))
    writeFileSync(join(test.home, '.ssh/id_ed25519'), secret)
    symlinkSync(join(test.home, '.ssh/id_ed25519'), join(test.home, 'project/readme.md'))
    expect(await attempt(join(test.home, 'project/readme.md'))).toBe('refused')
  })

  it('on keys and logins is refused in any spelling', async () => {
    for (const name of [
      '.ssh/id_ed25519',
      '.ssh',
      '.env',
      'project/.env.local',
      'project/.ENV',
      'project/.env~',
      '.claude/.credentials.json',
      '.claude.json',
      '.codex/auth.json',
      '.gemini/oauth_creds.json',
      '.local/share/opencode/auth.json',
      '.aws/credentials',
      '.netrc',
      '.git-credentials',
      'project/.git/config',
      'server.pem',
      'project/tls.KEY',
      '.bash_history',
    ]) {
      const path = join(test.home, name)
      mkdirSync(join(path, '..'), { recursive: true })
      if (name !== '.ssh') writeFileSync(path, secret)
      expect(await attempt(path)).toBe('refused')
    }
    const { body } = await get(test.home)
    const names = body.entries.map(({ name }: { name: string }) => name)
    for (const name of ['.ssh', '.env', '.netrc', 'server.pem']) expect(names).not.toContain(name)
    writeFileSync(join(test.home, '.env.example'), 'KEY=\n')
    expect((await get(join(test.home, '.env.example'))).status).toBe(200)
  })

  it("on Remora's own state is refused", async () => {
    for (const name of ['ledger.db', 'vapid.json', 'tls/ca.key', '']) {
      const path = join(test.context.remoraHome, name)
      mkdirSync(join(path, '..'), { recursive: true })
      if (name !== '' && name !== 'ledger.db') writeFileSync(path, secret)
      expect(await attempt(path)).toBe('refused')
    }
  })

  it('by /proc, /dev and /sys is refused, also through a link or with the root allowed', async () => {
    for (const path of [
      '/proc/self/environ',
      '/proc/self/root/etc/passwd',
      '/dev/zero',
      '/dev/stdin',
      '/sys/kernel/notes',
    ])
      expect(await attempt(path)).toBe('refused')
    symlinkSync('/proc/self/environ', join(test.home, 'project/environ'))
    symlinkSync('/dev/zero', join(test.home, 'project/zero'))
    expect(await attempt(join(test.home, 'project/environ'))).toBe('refused')
    expect(await attempt(join(test.home, 'project/zero'))).toBe('refused')
    const roots = await findRoots(test.context, ['/', '/proc', '/dev'])
    expect(roots.real).not.toContain('/')
    const wide = { ...roots, real: ['/'], written: ['/'] }
    await expect(openBelow(wide, '/proc/self/environ')).rejects.toMatchObject({ code: 'permission' })
    await expect(openBelow(wide, '/dev/zero')).rejects.toMatchObject({ code: 'permission' })
  })

  it('by a pipe without a writer is refused at once', async () => {
    execFileSync('mkfifo', [join(test.home, 'project/pipe')])
    const began = Date.now()
    expect(await attempt(join(test.home, 'project/pipe'))).toBe('refused')
    expect(Date.now() - began).toBeLessThan(20_000)
  })

  it('by a socket is refused', async () => {
    const path = join(test.home, 'project/s.sock')
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(path, resolve))
    expect(await attempt(path)).toBe('refused')
    server.close()
  })

  it('that replaces a file by a link during open never returns the other file', async () => {
    const folder = join(test.home, 'project/race')
    mkdirSync(folder)
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real/secret.txt'), 'harmless')
    const roots = await findRoots(test.context)
    const swapping = new AbortController()
    const swap = (async () => {
      for (let round = 0; !swapping.signal.aborted; round++) {
        // A folder of the path alternates between a folder and a link to the outside.
        if (round % 2 === 0) {
          renameSync(join(folder, 'real'), join(folder, 'aside'))
          symlinkSync(outside, join(folder, 'real'))
        } else {
          unlinkSync(join(folder, 'real'))
          renameSync(join(folder, 'aside'), join(folder, 'real'))
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const seen = new Set<string>()
    for (let round = 0; round < 500; round++) {
      try {
        await using opened = await openBelow(roots, join(folder, 'real/secret.txt'))
        seen.add(await opened.handle.readFile('utf8'))
      } catch (error) {
        seen.add((error as { code: string }).code)
      }
    }
    swapping.abort()
    await swap
    expect(seen).not.toContain(secret)
    expect(seen).toContain('permission')
  })

  it('by a hard link to a key is decided by its name', async () => {
    // Both names of a hard link are equal, so the requested name decides.
    linkSync(join(test.home, '.ssh/id_ed25519'), join(test.home, 'project/id_ed25519'))
    expect(await attempt(join(test.home, 'project/id_ed25519'))).toBe('refused')
  })

  it('by a very large file reads only a part', async () => {
    const path = join(test.home, 'project/large.txt')
    writeFileSync(path, 'x'.repeat(99).concat('\n').repeat(300_000))
    const { body } = await get(path)
    expect(body).toMatchObject({ kind: 'text', cut: true })
    expect(JSON.stringify(body).length).toBeLessThan(1_500_000)
    expect(
      (await test.request(createFilesRoutes(test.context), `/api/files/raw?path=${encodeURIComponent(path)}`))
        .status,
    ).toBe(413)
    rmSync(path)
  })

  it('by an HTML file is downloaded, never rendered', async () => {
    const path = join(test.home, 'project/page.html')
    writeFileSync(path, '<script>alert(1)</script>')
    const { headers } = await test.request(
      createFilesRoutes(test.context),
      `/api/files/raw?path=${encodeURIComponent(path)}`,
    )
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toBe('attachment')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('an attack by uploads', () => {
  it('with a false type is refused', async () => {
    for (const [name, bytes, type] of [
      ['a.png', Buffer.from('<script>alert(1)</script>'), 'image/png'],
      ['a.jpg', png, 'image/jpeg'],
      ['a.png', png, 'image/svg+xml'],
      ['a.pdf', Buffer.from('hello'), 'application/pdf'],
      ['a.png', Buffer.from('\x7fELF\x02\x01', 'latin1'), 'image/png'],
      ['a.txt', Buffer.from('MZ\x90\x00', 'latin1'), 'text/markdown'],
      ['a.zip', Buffer.from('PK\x03\x04xxxx', 'latin1'), 'application/zip'],
      ['a.bin', Buffer.from([1, 2, 3, 255]), 'application/octet-stream'],
      ['a.txt', Buffer.from('\x1b[31mred\x07', 'latin1'), 'application/octet-stream'],
    ] as const) {
      const { status, body } = await post(name, bytes, type)
      expect([name, type, status, body.error?.code]).toEqual([name, type, 400, 'input'])
    }
  })

  it('that is too large is refused, also without a length', async () => {
    const { status } = await post('a.txt', Buffer.alloc(10 * 1024 * 1024 + 1, 'x'))
    expect(status).toBe(413)
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 64 * 1024
        controller.enqueue(new Uint8Array(64 * 1024).fill(120))
      },
    })
    const stream = await test.request(createFilesRoutes(test.context), '/api/uploads', {
      method: 'POST',
      body: endless,
      duplex: 'half',
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(stream.status).toBe(413)
    expect(sent).toBeLessThan(12 * 1024 * 1024)
  })

  it('that chooses its path gets a random one, readable by the user only', async () => {
    for (const name of [
      '../../.ssh/authorized_keys.png',
      '/etc/cron.d/x.png',
      '..\\..\\x.png',
      'a\0b.png',
      '\u202egnp.exe.png',
      '.',
    ]) {
      const { status, body } = await post(name, png, 'image/png')
      expect(status).toBe(200)
      expect(body.path).toMatch(new RegExp(`^${test.context.remoraHome}/uploads/[0-9a-f]{32}\\.png$`))
      expect(body.name).not.toMatch(/[/\\\0\u202e]/)
      expect(statSync(body.path).mode & 0o777).toBe(0o600)
    }
    expect(statSync(join(test.context.remoraHome, 'uploads')).mode & 0o777).toBe(0o700)
    expect(
      readdirSync(join(test.context.remoraHome, 'uploads')).filter(
        (name) => !/^[0-9a-f]{32}\.png$/.test(name),
      ),
    ).toEqual([])
  })

  it('that requests another file by its id is refused', async () => {
    const routes = createFilesRoutes(test.context)
    for (const id of ['..%2f..%2f.ssh%2fid_ed25519', 'u-..', `u-${'0'.repeat(32)}`, '%00']) {
      const { status, body } = await test.request(routes, `/api/uploads/${id}`)
      expect([400, 404]).toContain(status)
      expect(JSON.stringify(body)).not.toContain(secret)
    }
  })
})
