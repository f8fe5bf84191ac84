import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readHomeDatabase, getOwnNode } from '@remora/ledger'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openHome } from './open-postgres.ts'

let home = ''

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-home-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

it('opens the file of a home without settings, for no machine in particular', async () => {
  await writeFile(join(home, 'config.json'), '{ // mine\n "color": "never" }')
  const ledger = await openHome({ remoraHome: home, env: {} })
  expect(ledger.node).toBeUndefined()
  await ledger.close()
  expect((await stat(join(home, 'ledger.db'))).isFile()).toBe(true)
  await expect(stat(join(home, 'node.json'))).rejects.toThrow('ENOENT')
})

it('opens the configured database, and the variable overrides the settings', async () => {
  await writeFile(
    join(home, 'config.json'),
    `{ // with a comment\n "database": "postgres://a:b@nowhere/c", }`,
  )
  expect(await readHomeDatabase({ remoraHome: home, env: {} })).toBe('postgres://a:b@nowhere/c')
  const shared = join(home, 'shared.db')
  const env = { REMORA_DATABASE_URL: `file://${shared}` }
  const ledger = await openHome({ remoraHome: home, env })
  expect(ledger.node).toBe((await getOwnNode(home)).id)
  await ledger.close()
  expect((await stat(shared)).isFile()).toBe(true)
})
