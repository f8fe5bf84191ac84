import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Place } from '../contract/agent.ts'
import { agents, findAgent } from './registry.ts'
import { readMarkdown } from '../dialects/command-files.ts'

let home: string
let place: Place
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-commands-'))
  place = { env: {}, home, cwd: join(home, 'work') }
  const files = {
    '.gemini/commands/git/commit.toml': 'description = "Writes the\\n message"\nprompt = "x"',
    '.gemini/commands/broken.toml': 'prompt = ',
    '.gemini/commands/silent.toml': 'description = "No prompt"',
    'work/.gemini/commands/ship it.toml': "prompt = '''\nx\n'''",
    '.claude/commands/web/test.md': '---\ndescription: "Runs it"\nargument-hint: [file]\n---\nBody',
    '.claude/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDFs\n---\n',
    '.claude/skills/hidden/SKILL.md': '---\nuser-invocable: false\n---\n',
    'work/.claude/commands/fix.md': '# Fix the bug\n',
    '.codex/prompts/draft.md': 'Draft a pull request',
    '.codex/prompts/deep/no.md': 'not found by Codex',
    '.config/opencode/command/deploy.md': '---\ndescription: Deploys\n---\n',
    'work/.opencode/commands/db/seed.md': 'Seeds',
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), text)
  }
})
afterAll(() => rm(home, { recursive: true, force: true }))

const written = (id: string) => findAgent(id)!.commands!.written(place)

describe('commands that a person has written', () => {
  it('of Gemini', async () => {
    expect(await written('gemini')).toEqual([
      { name: 'git:commit', from: 'user', description: 'Writes the message' },
      { name: 'ship_it', from: 'project' },
    ])
  })

  it('of Claude, with its skills', async () => {
    expect(await written('claude')).toEqual([
      { name: 'web:test', from: 'user', description: 'Runs it', hint: '[file]' },
      { name: 'pdf', from: 'user', description: 'Reads PDFs' },
      { name: 'fix', from: 'project', description: 'Fix the bug' },
    ])
  })

  it('of Codex and OpenCode', async () => {
    expect(await written('codex')).toEqual([
      { name: 'prompts:draft', from: 'user', description: 'Draft a pull request' },
    ])
    expect(await written('opencode')).toEqual([
      { name: 'deploy', from: 'user', description: 'Deploys' },
      { name: 'db/seed', from: 'project', description: 'Seeds' },
    ])
  })

  it('are none where nothing is', async () => {
    for (const { commands } of agents())
      expect((await commands?.written({ ...place, home: '/nowhere', cwd: '/nowhere' })) ?? []).toEqual([])
  })

  it('do not become long lines of a list', () => {
    expect(readMarkdown('x'.repeat(5_000)).description).toHaveLength(200)
    expect(readMarkdown('---\ndescription: |\n  more\n---\nFirst').description).toBe('First')
  })
})

describe('how much a model holds', () => {
  const of = (id: string, model: string) => findAgent(id)?.getContextWindow?.(model)
  it('is reported if it is certain', () => {
    expect(of('claude', 'claude-opus-4-1-20250805')).toBe(200_000)
    expect(of('claude', 'claude-opus-4-8')).toBe(1_000_000)
    expect(of('claude', 'claude-sonnet-4-6[1m]')).toBe(1_000_000)
    expect(of('codex', 'gpt-6-sol')).toBe(258_400)
    expect(of('gemini', 'gemini-3.8-flash')).toBe(1_048_576)
  })

  it('is not guessed', () => {
    // With a switch of the user's these hold a million.
    expect(of('claude', 'claude-sonnet-4-6')).toBeUndefined()
    expect(of('claude', 'constructor')).toBeUndefined()
    expect(of('codex', 'toString')).toBeUndefined()
    expect(of('gemini', 'gemma-4-31b-it')).toBeUndefined()
  })
})
