import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listPinnedAgents } from './clis.ts'
import { createHome } from './home.ts'

const model = { url: 'http://127.0.0.1:4711' }

afterEach(() => vi.unstubAllEnvs())

describe('createHome', () => {
  it('lets nothing of the parent in', async () => {
    vi.stubEnv('GEMINI_API_KEY', 'the-real-key')
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example')
    for (const { id: agent } of listPinnedAgents()) {
      await using home = await createHome(agent, { model })
      expect(home.env).not.toHaveProperty('HTTPS_PROXY')
      expect(JSON.stringify(home.env)).not.toContain('the-real-key')
      expect(home.env).toMatchObject({ HOME: home.path, TMPDIR: join(home.path, 'tmp') })
      expect(dirname(home.cwd)).toBe(home.path)
    }
  })

  it('starts no daemon of codex', async () => {
    await using home = await createHome('codex', { model })
    expect(await readFile(join(home.path, '.codex', 'config.toml'), 'utf8')).toContain(
      'daemon_auto_start = false',
    )
  })

  it('is gone after use', async () => {
    const home = await createHome('claude', { model })
    await writeFile(join(home.cwd, 'note.txt'), '')
    expect(await home.files()).toEqual(['note.txt'])
    await home.remove()
    expect(existsSync(dirname(home.path))).toBe(false)
  })

  it('finds a process that was left behind, and ends it before it goes', async () => {
    await using home = await createHome('gemini', { model })
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { env: { ...home.env } })
    await once(child, 'spawn')
    expect(await home.leftovers()).toEqual([
      { pid: child.pid, command: expect.stringContaining('setTimeout') },
    ])
    const exited = once(child, 'exit')
    await home.remove()
    expect(await exited).toEqual([null, 'SIGKILL'])
    expect(await home.leftovers()).toEqual([])
  })
})
