import { expect, it } from 'vitest'
import type { HeadlessRequest, Place } from '../../contract/agent.ts'
import { headless } from './headless.ts'

const args = (request: Partial<HeadlessRequest>) =>
  headless.invocation({ prompt: 'hi', ...request }, undefined).args.slice(7)
const prepare = async (request: Partial<HeadlessRequest>, env: Place['env'] = {}) => {
  const prepared = await headless.prepare!({ prompt: 'hi', ...request }, { env, home: '/h', cwd: '/w' })
  expect(await prepared.finish()).toEqual([])
  return prepared.env!
}

it.each<[string, Partial<HeadlessRequest>, string[]]>([
  ['an effort', { effort: 'high' }, ['--variant', 'high']],
  ['the latest session', { resume: 'latest' }, ['--continue']],
  ['a fork', { resume: 'id', fork: true }, ['--session', 'id', '--fork']],
  ['a system prompt', { systemPrompt: 'x' }, ['--agent', 'build']],
  ['one for the plan', { systemPrompt: 'x', mode: 'plan' }, ['--agent', 'plan']],
  ['files', { media: [{ path: '/a b', kind: 'image', mediaType: 'image/png' }] }, ['--file=/a b']],
])('accepts %s', (_name, request, expected) => {
  expect(args(request)).toEqual(expected)
})

it.each<[string, Partial<HeadlessRequest>]>([
  ['the rule bash(git *) in the option allow', { allow: ['bash(git *)'] }],
  ['the option allow in mode plan', { allow: ['bash'], mode: 'plan' }],
  ['the option media with video/mp4', { media: [{ path: '/a', kind: 'video', mediaType: 'video/mp4' }] }],
])('rejects %s', async (option, request) => {
  const error = { code: 'unsupported', message: `OpenCode does not support ${option}` }
  expect(() => args(request)).toThrow(expect.objectContaining(error))
  await expect(prepare(request)).rejects.toMatchObject(error)
})

it('sets PWD, which it would inherit from the parent', async () => {
  expect(await prepare({}, { PWD: '/elsewhere' })).toEqual({ PWD: '/w' })
})

it('is read-only in plan mode, whatever the tools', async () => {
  const { OPENCODE_CONFIG_CONTENT: content } = await prepare({ mode: 'plan' })
  const { agent } = JSON.parse(content!) as { agent: { plan: { permission: Record<string, string> } } }
  const { permission } = agent.plan
  expect(Object.keys(permission)[0]).toBe('*')
  expect(permission['*']).toBe('deny')
  for (const tool of ['bash', 'edit', 'write', 'task']) expect(permission[tool]).toBeUndefined()
  expect(permission['read']).toBe('allow')
})

it('merges its configuration over the user’s variables', async () => {
  const env = await prepare(
    {
      mode: 'acceptEdits',
      allow: ['bash'],
      systemPrompt: 'Keep {env:HOME}.',
      mcpServers: {
        docs: { command: 'docs', args: ['a'], env: { TOKEN: 'x' } },
        web: { url: 'https://example.com/mcp', headers: { A: 'b' } },
      },
    },
    {
      OPENCODE_PERMISSION: '{"edit":"ask","webfetch":"deny"}',
      OPENCODE_CONFIG_CONTENT: '{"share":"disabled","mcp":{"own":{"enabled":true}}}',
    },
  )
  expect(JSON.parse(env['OPENCODE_PERMISSION']!)).toEqual({ edit: 'allow', webfetch: 'deny', bash: 'allow' })
  expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT']!)).toEqual({
    share: 'disabled',
    agent: { build: { prompt: 'Keep {env:HOME}.' } },
    mcp: {
      own: { enabled: true },
      docs: { type: 'local', enabled: true, command: ['docs', 'a'], environment: { TOKEN: 'x' } },
      web: { type: 'remote', enabled: true, url: 'https://example.com/mcp', headers: { A: 'b' } },
    },
  })
})

it('keeps text that the CLI would substitute', async () => {
  const { OPENCODE_CONFIG_CONTENT: content } = await prepare({
    systemPrompt: 'Keep {env:HOME} and {file:/a}.',
  })
  expect(content).not.toMatch(/\{(env|file):/)
  expect(JSON.parse(content!)).toEqual({ agent: { build: { prompt: 'Keep {env:HOME} and {file:/a}.' } } })
})

it('names the malformed variable', async () => {
  await expect(prepare({ allow: ['bash'] }, { OPENCODE_PERMISSION: '[]' })).rejects.toMatchObject({
    code: 'input',
    message: 'OPENCODE_PERMISSION holds no JSON object',
  })
})
