import { createServer } from 'node:http'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenUnix } from './listen-unix.ts'
import { getSocketPath } from './socket-path.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp('/tmp/ru-')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the unix socket', () => {
  it('is in the home folder, or below /tmp if the path is too long', () => {
    expect(getSocketPath('/home/me/.remora')).toBe('/home/me/.remora/server.sock')
    const deep = `/home/me/${'deep/'.repeat(40)}`
    expect(Buffer.byteLength(getSocketPath(deep))).toBeLessThanOrEqual(100)
    expect(getSocketPath(deep)).toBe(getSocketPath(deep))
    expect(getSocketPath(`${deep}x`)).not.toBe(getSocketPath(deep))
  })

  it('is for the user only, and replaces the socket of a dead server but not of a running one', async () => {
    const path = join(folder, 'a', 's.sock')
    const [first, second] = [createServer(), createServer()]
    await listenUnix(first, path)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
    await expect(listenUnix(second, path)).rejects.toMatchObject({ code: 'conflict' })
    await new Promise((resolve) => first.close(resolve))
    await writeFile(path, '')
    await listenUnix(second, path)
    expect((await stat(path)).isSocket()).toBe(true)
    await new Promise((resolve) => second.close(resolve))
  })
})
