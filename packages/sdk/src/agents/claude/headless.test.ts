import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { HeadlessRequest } from '../../contract/agent.ts'
import { headless } from './headless.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-claude-headless-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const args = (request: Partial<HeadlessRequest>) =>
  headless.invocation({ prompt: 'hi', ...request }, undefined).args.slice(5)
const place = { env: {}, home: '/h', cwd: '/w' }

it.each<[string, Partial<HeadlessRequest>, string[]]>([
  ['an effort', { effort: 'high' }, ['--effort', 'high']],
  ['the latest session', { resume: 'latest' }, ['--continue']],
  ['a fork', { resume: 'id', fork: true }, ['--resume', 'id', '--fork-session']],
  ['rules', { allow: ['Bash(git *)', 'Edit'] }, ['--allowedTools=Bash(git *)', '--allowedTools=Edit']],
])('takes %s', (_name, request, expected) => {
  expect(args(request)).toEqual(expected)
})

it('refuses allow rules in plan mode, which would not be read-only with them', () => {
  expect(() => args({ mode: 'plan', allow: ['Bash'] })).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  )
})

it('sends images and PDF as JSON, and refuses other media', async () => {
  const path = join(folder, 'a.png')
  await writeFile(path, 'PNG')
  const media = [{ path, kind: 'image', mediaType: 'image/png' }] as const
  const { args: all, stdin } = headless.invocation({ prompt: '-x "y"\n', media }, undefined)
  expect(all).toEqual(expect.arrayContaining(['--input-format', 'stream-json']))
  expect(JSON.parse(stdin!)).toMatchObject({
    type: 'user',
    message: {
      content: [
        { type: 'text', text: '-x "y"\n' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'UE5H' } },
      ],
    },
  })
  const audio = [{ path, kind: 'audio', mediaType: 'audio/wav' }] as const
  expect(() => headless.invocation({ prompt: '', media: audio }, undefined)).toThrow(
    expect.objectContaining({ message: 'Claude Code does not support the option media with audio/wav' }),
  )
})

it('writes secrets to files that only the user can read, and removes them', async () => {
  const mcpServers = {
    docs: { command: 'docs', env: { TOKEN: 'secret' } },
    web: { url: 'https://example.com/mcp', headers: { Authorization: 'secret' } },
  }
  const request = { prompt: 'hi', mcpServers, systemPrompt: 'Be brief.' }
  const prepared = await headless.prepare!(request, place)
  const [promptFlag, prompt, mcpFlag, mcp] = prepared.args!
  expect([promptFlag, mcpFlag]).toEqual(['--system-prompt-file', '--mcp-config'])
  expect(readFileSync(prompt!, 'utf8')).toBe('Be brief.')
  expect(JSON.parse(readFileSync(mcp!, 'utf8'))).toEqual({
    mcpServers: {
      docs: { type: 'stdio', ...mcpServers.docs },
      web: { type: 'http', ...mcpServers.web },
    },
  })
  expect(statSync(mcp!).mode & 0o077).toBe(0)
  expect(statSync(dirname(mcp!)).mode & 0o077).toBe(0)
  expect(JSON.stringify([headless.invocation(request, undefined), prepared.args])).not.toContain('secret')
  expect(await prepared.finish()).toEqual([])
  expect(existsSync(dirname(mcp!))).toBe(false)
})

it('writes no file for a plain prompt', async () => {
  const prepared = await headless.prepare!({ prompt: 'hi' }, place)
  expect(prepared.args).toBeUndefined()
  expect(await prepared.finish()).toEqual([])
})
