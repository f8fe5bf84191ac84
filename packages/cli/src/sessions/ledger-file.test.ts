import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestHome, edit, hello } from './home.test-data.ts'

// Recorded times are printed in local time.
process.env['TZ'] = 'UTC'

let home: TestHome
beforeEach(() => void (home = new TestHome()))
afterEach(() => home[Symbol.dispose]())

const ids = async () =>
  (await home.remora(['sessions', '--json'])).json<{ id: string }[]>().map(({ id }) => id)

describe('remora data', () => {
  it('prints the path and size of the ledger, and backs it up', async () => {
    await home.add(hello)
    await home.remora(['import'])
    expect((await home.remora(['data', 'path'])).out).toBe(`${join(home.state, 'ledger.db')}\n`)
    const size = (await home.remora(['data', 'size', '--json'])).json<{ bytes: number; sessions: number }>()
    expect(size).toMatchObject({ sessions: 1, events: expect.any(Number) })
    expect(size.bytes).toBeGreaterThan(10_000)
    expect((await home.remora(['data', 'size'])).out).toMatch(
      /^\d+(\.\d)? .?B, 1 session, \d+ events in ~\/\.remora\/ledger\.db\n$/,
    )
    expect((await home.remora(['data', 'backup', 'copy.db'])).out).toBe('Backup written to ~/copy.db\n')
    expect(await home.remora(['data', 'backup', '~/copy.db'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('already exists\n  Choose another name'),
    })
    rmSync(join(home.path, '.claude'), { recursive: true })
    rmSync(home.state, { recursive: true })
    home.write(join(home.state, 'ledger.db'), '')
    writeFileSync(join(home.state, 'ledger.db'), readFileSync(join(home.path, 'copy.db')))
    expect((await home.remora(['show', 'aaaa'])).out).toContain('Say hello.')
  })

  it('prunes only sessions that their agent deleted', async () => {
    const file = await home.add(hello)
    await home.add(edit)
    await home.remora(['import'])
    rmSync(file)
    await home.remora(['import'])
    const prune = async (...words: string[]) =>
      (await home.remora(['data', 'prune', '--before', '2026-10-20', ...words])).out
    expect(await prune('--dry-run')).toMatch(/^Would delete 1 archived session from before 2026-10-20 \(/)
    expect(await ids()).toHaveLength(2)
    expect(await prune()).toBe('')
    expect(await ids()).toHaveLength(2)
    expect(await prune('--yes')).toMatch(
      /^Deleted 1 archived session .*Sessions that still exist in their agent are kept\.\n$/,
    )
    expect(await ids()).toEqual([edit.id])
  })
})

describe('a ledger that cannot be used', () => {
  it.each([['sessions'], ['usage'], ['search', 'x'], ['show', 'latest']])(
    'is reported by %s in two lines',
    async (...words) => {
      home.write(join(home.state, 'ledger.db'), 'this is no database, but a text of some length '.repeat(20))
      const { code, out, err } = await home.remora(words)
      expect(err).toMatch(
        /^remora: This file is no ledger: .*ledger\.db.*\n {2}Move it away, or use another REMORA_HOME\.\n$/,
      )
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect((await home.remora(['doctor'])).out).toMatch(
        /! Ledger\n {4}This file is no ledger.*\n {4}→ Move it away/,
      )
    },
  )

  it('is reported if its folder is not writable', async () => {
    home.write(join(home.path, 'locked', 'x'), '')
    // A file instead of the folder, because root ignores permissions.
    home.write(home.state, 'a file')
    const { code, out, err } = await home.remora(['sessions'])
    expect({ code: code > 0, out }).toEqual({ code: true, out: '' })
    expect(err).toMatch(/^remora: .*\n {2}.+\n$/)
  })

  it('is not needed for a bare file', async () => {
    home.write(home.state, 'a file')
    const file = await home.add(hello)
    expect((await home.remora(['show', file])).code).toBe(0)
  })

  it('is reported in a home without permission', async () => {
    chmodSync(home.path, 0o500)
    const { code, err } = await withoutRoot(() => home.remora(['sessions']))
    chmodSync(home.path, 0o700)
    expect(code).toBe(1)
    expect(err).toMatch(
      /^remora: The ledger cannot be opened: .*\n {2}Check who owns the file and its folder\.\n$/,
    )
  })
})

it('is private to its owner, and doctor reports it', async () => {
  expect((await home.remora(['doctor'])).out).toContain('- No ledger yet. Create it: remora import')
  expect(existsSync(home.state)).toBe(false)
  await home.add(hello)
  await home.remora(['sessions'])
  expect(statSync(join(home.state, 'ledger.db')).mode & 0o777).toBe(0o600)
  expect((await home.remora(['doctor'])).out).toMatch(
    /✓ Ledger \d+.* .?B, 1 session {2}~\/\.remora\/ledger\.db/,
  )
})

/** Runs `work` as another user if this user is root, who ignores permissions. */
async function withoutRoot<T>(work: () => Promise<T>): Promise<T> {
  // Loads modules that are imported on demand first, because the other user cannot read them.
  await home.remora(['sessions'], { home: '/nonexistent', env: { REMORA_HOME: '/dev/null/x' } })
  const superuser = process.getuid?.() === 0
  if (superuser) process.seteuid!(65_534)
  try {
    return await work()
  } finally {
    if (superuser) process.seteuid!(0)
  }
}
