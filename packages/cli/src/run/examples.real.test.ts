import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from '../../../../testkit/src/index.ts'
import { createWorld } from './world.test-data.ts'

/** The arguments and the expected output of each example. */
const examples: Record<string, { agents: string[]; words: string[]; says: RegExp }> = {
  ask: { agents: ['gemini'], words: ['gemini', 'SAY: A folder.'], says: /^A folder\.\n\n\d+ tokens\n$/ },
  stream: {
    agents: ['gemini'],
    words: ['gemini', 'SAY: Here.\nWRITE: sea.txt waves'],
    says: /^Here\.\n\[Write\] \{"file_path":"sea\.txt".*\n\[success\]\n[^]*\nSession [0-9a-f-]{36}, [\d.]+ s\n$/,
  },
  session: {
    agents: ['gemini'],
    words: ['gemini', 'CALL: mcp_remora_clock {"zone": "UTC"}', 'SAY: The next one.'],
    says: /^\[mcp__remora__clock\]\n[^]*Done:[^]*\d\d:\d\d:\d\d[^]*\nThe next one\.\n$/,
  },
  structured: {
    agents: ['gemini'],
    words: ['gemini', 'SAY: {"name": "Bern", "population": 134000}'],
    says: /^Bern: 134,000\n$/,
  },
  'two-agents': {
    agents: ['gemini', 'claude'],
    words: ['gemini', 'claude', 'SAY: index.ts'],
    says: /^gemini: index\.ts\n\nclaude: index\.ts\n\ngemini, on claude: .+\n$/,
  },
}

describe('the examples', () => {
  it('are all covered by this test', async () => {
    const files = await readdir(join(repository, 'examples'))
    expect(files.filter((file) => file.endsWith('.ts')).toSorted()).toEqual(
      Object.keys(examples)
        .map((name) => `${name}.ts`)
        .toSorted(),
    )
  })

  it.each(Object.entries(examples))('%s runs', async (name, { agents, words, says }) => {
    await using world = await createWorld(agents)
    const { code, out, err } = await world.example(name, words)
    expect(code, err).toBe(0)
    expect(out).toMatch(says)
    expect(await world.home.leftovers()).toEqual([])
    if (name === 'stream') expect(await readFile(join(world.home.cwd, 'sea.txt'), 'utf8')).toContain('waves')
  })
})
