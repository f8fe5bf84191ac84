import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '@remora/sdk'
import { describe, expect, it } from 'vitest'
import { TestHome } from '../../sessions/home.test-data.ts'
import { writeFailures } from './transcripts.test-data.ts'

describe('remora map and mappings', () => {
  it('stores links until they are removed', async () => {
    using own = new TestHome()
    expect((await own.remora(['mappings'])).err).toMatch(/^No patterns are linked yet\./)
    const made = await own.remora(['map', 'Bash: missing-command jq', '--doc', 'setup.md'])
    expect([made.code, made.out]).toEqual([0, 'Bash: missing-command jq → ~/setup.md\n'])
    expect(made.err).toContain('does not exist yet')
    const [first] = (await own.remora(['mappings', '--json'])).json<[{ createdAt: string }]>()
    await own.remora([
      'map',
      'bash: missing-command JQ',
      '--doc',
      'https://example.org/jq',
      '--excerpt',
      'Use node',
    ])
    const all = (await own.remora(['mappings', '--json'])).json<object[]>()
    expect(all).toMatchObject([
      {
        pattern: 'Bash: missing-command jq',
        doc: 'https://example.org/jq',
        excerpt: 'Use node',
        createdAt: first.createdAt,
      },
    ])
    expect((await own.remora(['mappings'])).out).toMatch(
      /jq +- +https:\/\/example\.org\/jq +Use node +just now/,
    )
    expect(readFileSync(join(own.state, 'mappings.json'), 'utf8')).toContain('"excerpt": "Use node"')
    expect((await own.remora(['map', 'Bash: missing-command jq', '--delete'])).code).toBe(0)
    expect((await own.remora(['mappings', '--json'])).json()).toEqual([])
    expect((await own.remora(['map', 'x', '--delete'])).err).toContain('No link for "x"')
  })

  it('removes the only link without --tool, else asks for it', async () => {
    using own = new TestHome()
    await own.remora(['map', 'timeout', '--tool', 'Bash', '--doc', 'https://example.org/a'])
    await own.remora(['map', 'timeout', '--tool', 'Read', '--doc', 'https://example.org/b'])
    expect(await own.remora(['map', 'timeout', '--delete'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/No link for "timeout"\n {2}Choose one with --tool: Bash, Read\n/),
    })
    expect((await own.remora(['map', 'timeout', '--tool', 'Read', '--delete'])).code).toBe(0)
    expect((await own.remora(['map', 'timeout', '--delete'])).out).toBe('Deleted: timeout\n')
    expect((await own.remora(['mappings', '--json'])).json()).toEqual([])
  })

  it('shows links and aliases in inspect', async () => {
    using own = new TestHome()
    writeFailures(own, Date.now())
    await own.remora(['map', 'missing-command', '--tool', 'Bash', '--doc', 'https://example.org/jq'])
    await own.remora(['alias', 'SearchFiles', 'Grep'])
    expect((await own.remora(['desires', 'inspect', 'jq'])).out).toContain('Doc    https://example.org/jq')
    expect((await own.remora(['desires', 'inspect', 'SearchFiles'])).out).toContain(
      'Alias  SearchFiles → Grep',
    )
  })
})

it('remora sources lists every agent with its hooks and calls', async () => {
  using home = new TestHome()
  writeFailures(home, Date.now())
  const sources = (await home.remora(['sources', '--json'])).json<{ name: string }[]>()
  expect(sources.map(({ name }) => name)).toEqual(agents().flatMap(({ id, tools }) => (tools ? [id] : [])))
  expect(sources[1]).toEqual({
    name: 'claude',
    description: 'Claude Code: transcripts and hooks',
    installed: false,
    entries: 26,
    failed: 11,
  })
  expect((await home.remora(['sources'])).out).toMatch(/^NAME +DESCRIPTION +HOOKS +ENTRIES +FAILED\ngemini/)
})
