import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acpObstacles } from './acp-obstacles.ts'
import { writeInto } from './folder.test-data.ts'

let home: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'remora-obstacles-')))
  await writeInto(home, 'work/.keep', '')
})
afterEach(() => rm(home, { recursive: true, force: true }))

const check = (env: Record<string, string> = {}, version = '0.61.0') =>
  acpObstacles({ env, home, cwd: join(home, 'work'), version })
const trusted = { GEMINI_CLI_TRUST_WORKSPACE: 'true' }

describe('acpObstacles', () => {
  it('reports an untrusted folder unless a rule or the variable trusts it', async () => {
    const [problem, ...rest] = await check()
    expect(problem).toMatchObject({ code: 'untrusted', message: expect.stringContaining(join(home, 'work')) })
    expect(problem?.hint).toContain('GEMINI_CLI_TRUST_WORKSPACE=true')
    expect(rest).toEqual([])
    expect(await check(trusted)).toEqual([])
    await writeInto(
      home,
      '.gemini/trustedFolders.json',
      JSON.stringify({ [join(home, 'work')]: 'TRUST_FOLDER' }),
    )
    expect(await check()).toEqual([])
  })

  it('reports nothing for versions that trust every folder without a terminal', async () => {
    expect(await check({}, '0.34.0')).toEqual([])
  })

  it.each([
    [{ mcp: { allowed: ['other'] } }, 'mcp.allowed'],
    [{ mcp: { excluded: ['remora'] } }, 'mcp.excluded'],
  ])('reports server lists that exclude ours: %j', async (settings, name) => {
    await writeInto(home, '.gemini/settings.json', JSON.stringify(settings))
    expect(await check(trusted)).toMatchObject([{ code: 'config', message: expect.stringContaining(name) }])
  })

  it('accepts server lists that include ours', async () => {
    await writeInto(home, '.gemini/settings.json', '{"mcp":{"allowed":["remora"],"excluded":["other"]}}')
    expect(await check(trusted)).toEqual([])
  })
})
