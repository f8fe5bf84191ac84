import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { getCli, pinned, pinnedVersions, repository } from './clis.ts'

describe('pinned', () => {
  it('knows the versions of testkit/clis/package.json, newest first', () => {
    expect(pinnedVersions('gemini')).toEqual(expect.arrayContaining(['0.61.0', '0.27.4']))
    expect(pinnedVersions('gemini')[0]).toBe('0.61.0')
    expect(pinnedVersions('gemini').at(-1)).toBe('0.27.4')
    expect(pinnedVersions('kiro')).toEqual([])
  })

  it('names what is pinned when asked for something else', () => {
    expect(() => pinned('gemini', '9.9.9')).toThrow(
      expect.objectContaining({ code: 'not_found', hint: expect.stringContaining('gemini@0.61.0') }),
    )
  })
})

describe('getCli', () => {
  it('installs a version once for two callers at the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'remora-npm-'))
    const version = `0.0.0-test.${process.pid}`
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      await rm(folder, { recursive: true, force: true })
      await rm(join(repository, '.cache', 'clis', `opencode-${version}`), { recursive: true, force: true })
    })
    // It waits, as an installation does, so that both callers are there at the same time.
    const script = `#!/bin/sh
echo run >> '${join(folder, 'runs')}'
sleep 0.2
mkdir -p node_modules/opencode-ai
echo '{"bin":"opencode"}' > node_modules/opencode-ai/package.json
`
    await writeFile(join(folder, 'npm'), script)
    await chmod(join(folder, 'npm'), 0o755)
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
    const [one, other] = await Promise.all([getCli('opencode', version), getCli('opencode', version)])
    expect(one).toEqual(other)
    expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('run\n')
  })
})
