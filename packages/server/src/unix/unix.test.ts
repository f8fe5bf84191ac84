import { createServer } from 'node:http'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenUnix } from './listen-unix.ts'
import { socketPath } from './socket-path.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp('/tmp/ru-')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the unix socket', () => {
  it('lies in the folder of state, or where its path is short enough', () => {
    expect(socketPath('/home/me/.remora')).toBe('/home/me/.remora/server.sock')
    const deep = `/home/me/${'deep/'.repeat(40)}`
    expect(Buffer.byteLength(socketPath(deep))).toBeLessThanOrEqual(100)
    expect(socketPath(deep)).toBe(socketPath(deep))
    expect(socketPath(`${deep}x`)).not.toBe(socketPath(deep))
  })

  it('is for the user alone, takes over what a dead server left, and leaves a living one its own', async () => {
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
