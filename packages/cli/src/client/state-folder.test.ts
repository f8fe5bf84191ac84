import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { main } from '../main.ts'
import { describeStateError, prepareStateFolder } from './state-folder.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-state-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A folder in which no user may create folders, not even root. */
const forbidden = process.platform === 'linux' ? '/sys/remora' : '/System/remora'

async function runServe(remoraHome: string, ...options: readonly string[]) {
  let err = ''
  const io = {
    env: { REMORA_HOME: remoraHome, PATH: process.env['PATH'] },
    home: folder,
    cwd: folder,
    platform: process.platform,
    out: () => {},
    err: (text: string) => (err += text),
  }
  const code = await main(['serve', '--port', '0', ...options], io as never)
  return { code, err }
}

describe('the folder of all state', () => {
  it('is created with its parents and left empty', async () => {
    const home = join(folder, 'a', 'b')
    await prepareStateFolder({ env: { REMORA_HOME: home }, home: folder })
    expect(readdirSync(home)).toEqual([])
    await prepareStateFolder({ env: { REMORA_HOME: home }, home: folder })
  })

  it.each([[[]], [['--background']]])(
    'is reported when a file is in its place: serve %s',
    async (options) => {
      const file = join(folder, 'file')
      writeFileSync(file, '')
      for (const place of [file, join(file, 'below')]) {
        const { code, err } = await runServe(place, ...options)
        expect(err).toBe(
          `remora: Remora cannot write to ${place}: it is a file\n  Move the file, or set REMORA_HOME to a folder.\n`,
        )
        expect(code).toBe(2)
      }
    },
  )

  it('is reported when it may not be created', async () => {
    const { code, err } = await runServe(forbidden)
    expect(err).toMatch(/^remora: Remora cannot write to \S+: .+\n {2}.*REMORA_HOME.*\n$/)
    expect(err).not.toContain('This is a bug')
    expect(code).toBe(2)
    expect(existsSync(forbidden)).toBe(false)
  })

  it.each([
    ['EROFS', 'read-only'],
    ['EACCES', 'permission denied'],
    ['EPERM', 'permission denied'],
    ['ENOSPC', 'no space left'],
    ['EDQUOT', 'quota'],
  ])('has a reason and an action for %s', async (code, why) => {
    const error = await describeStateError(Object.assign(new Error(code), { code }), '/state')
    expect(RemoraError.is(error) && error.message).toContain(`Remora cannot write to /state: `)
    expect(error).toMatchObject({ message: expect.stringContaining(why) as string })
    expect(RemoraError.is(error) && error.hint).toBeTruthy()
  })
})
