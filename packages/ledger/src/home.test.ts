import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeDatabase, readHomeDatabase } from './home-database.ts'
import { getOwnNode, renameNode } from './node-file.ts'

let home = ''

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lh-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

it('never shows a password, not even of an invalid URL', async () => {
  const secret = 'hunter2'
  for (const wrong of [`mysql://a:${secret}@h/d`, `postgres://a:${secret}@h:port/d`, `postgres:/${secret}`]) {
    const error = await readHomeDatabase({ remoraHome: home, env: { REMORA_DATABASE_URL: wrong } }).catch(
      (failure: unknown) => failure as Error,
    )
    expect(error).toMatchObject({ code: 'config' })
    expect(JSON.stringify(error)).not.toContain(secret)
    expect(describeDatabase(wrong)).not.toContain(secret)
  }
  await writeFile(join(home, 'config.json'), `{ "database": 5 }`)
  await expect(readHomeDatabase({ remoraHome: home, env: {} })).rejects.toMatchObject({ code: 'config' })
  expect(describeDatabase(`postgres://ann:${secret}@db.example:5432/remora?password=${secret}`)).toBe(
    'remora at db.example:5432',
  )
  expect(describeDatabase(`postgresql://ann:${secret}@/my%20team?host=/run/pg`)).toBe('my team at /run/pg')
  expect(describeDatabase(`postgres://ann:${secret}@db`)).toBe('ann at db')
})

it('creates its identity once with mode 0600, and keeps the id when it is renamed', async () => {
  const [first, ...others] = await Promise.all([getOwnNode(home), getOwnNode(home), getOwnNode(home)])
  expect(first).toEqual({ id: expect.stringMatching(/^n-[0-9a-f]{16}$/), name: hostname().slice(0, 60) })
  for (const other of others) expect(other).toEqual(first)
  expect((await stat(join(home, 'node.json'))).mode & 0o777).toBe(0o600)
  expect(await renameNode(home, ' the laptop ')).toEqual({ id: first.id, name: 'the laptop' })
  expect(await getOwnNode(home)).toEqual({ id: first.id, name: 'the laptop' })
  for (const bad of ['', ' ', 'a\nb', 'x'.repeat(61)])
    await expect(renameNode(home, bad)).rejects.toMatchObject({ code: 'usage' })
})

it('does not become another machine if its file is damaged', async () => {
  for (const broken of ['', '{}', '{"id":"","name":"a"}', 'null']) {
    await writeFile(join(home, 'node.json'), broken)
    await expect(getOwnNode(home)).rejects.toMatchObject({ code: 'config' })
    expect(await readFile(join(home, 'node.json'), 'utf8')).toBe(broken)
  }
})
