import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { HeadlessRequest } from '../../contract/agent.ts'
import { headless } from './headless.ts'

const invoke = (request: Partial<HeadlessRequest>) =>
  headless.invocation({ prompt: 'hi', ...request }, undefined)
const place = { env: {}, home: '/h', cwd: '/w' }

it.each<[string, Partial<HeadlessRequest>, string[]]>([
  ['an effort', { effort: 'high' }, ['-c', 'model_reasoning_effort="high"', '-']],
  ['the latest session', { resume: 'latest' }, ['resume', '--last', '-']],
  ['a fork', { resume: 'id', fork: true }, ['fork', 'id', '-']],
  [
    'images',
    { media: [{ path: '/a b.png', kind: 'image', mediaType: 'image/png' }] },
    ['--image=/a b.png', '-'],
  ],
])('takes %s', (_name, request, expected) => {
  expect(invoke(request)).toEqual({ args: ['exec', '--json', ...expected], stdin: 'hi' })
})

it.each<[string, Partial<HeadlessRequest>]>([
  ['the option allow', { allow: ['Bash'] }],
  ['the option fork with the latest session', { resume: 'latest', fork: true }],
  [
    'the option media with application/pdf',
    { media: [{ path: '/a', kind: 'document', mediaType: 'application/pdf' }] },
  ],
  [
    'a variable named a-b for the MCP server docs',
    { mcpServers: { docs: { command: 'x', env: { 'a-b': '1' } } } },
  ],
])('refuses %s', (option, request) => {
  expect(() => invoke(request)).toThrow(
    expect.objectContaining({ code: 'unsupported', message: `Codex does not support ${option}` }),
  )
})

it('keeps the values of variables and headers out of the arguments', () => {
  const { args, env } = invoke({
    mcpServers: {
      docs: { command: 'docs', args: ['a "b"'], env: { TOKEN: 'secret-1' } },
      plain: { command: 'plain' },
      web: { url: 'https://example.com/mcp', headers: { Authorization: 'secret-2' } },
    },
  })
  expect(args.join('\n')).not.toContain('secret')
  expect(env).toEqual({ REMORA_MCP_0: 'secret-1', REMORA_MCP_1: 'secret-2' })
  expect(args.filter((each) => each.startsWith('mcp_servers.'))).toEqual([
    'mcp_servers.docs.command="/bin/sh"',
    String.raw`mcp_servers.docs.args=["-c", "export TOKEN=\"$REMORA_MCP_0\"; unset REMORA_MCP_0; exec \"$@\"", "sh", "docs", "a \"b\""]`,
    'mcp_servers.docs.env_vars=["REMORA_MCP_0"]',
    'mcp_servers.plain.command="plain"',
    'mcp_servers.plain.args=[]',
    'mcp_servers.web.url="https://example.com/mcp"',
    'mcp_servers.web.env_http_headers={"Authorization" = "REMORA_MCP_1"}',
  ])
})

it.each([
  'https://example.com/mcp?token=secret',
  'https://me:secret@example.com/mcp',
  'https://example.com/mcp#secret',
  'secret',
])('refuses the URL %s, which other users could read', (url) => {
  let error: unknown
  try {
    invoke({ mcpServers: { web: { url } } })
  } catch (thrown) {
    error = thrown
  }
  expect(error).toMatchObject({ code: 'input', message: expect.stringContaining('MCP server web') as string })
  expect(String(error)).not.toContain('secret')
})

it('passes the system prompt as a file, in the arguments of exec', async () => {
  const prepared = await headless.prepare!({ prompt: '', resume: 'id', systemPrompt: 'Be brief.' }, place)
  const { args } = headless.invocation(prepared.request, undefined)
  const setting = args.findIndex((each) => each.startsWith('model_instructions_file='))
  expect(setting).toBeLessThan(args.indexOf('resume'))
  const file = JSON.parse(args[setting]!.slice('model_instructions_file='.length)) as string
  expect(readFileSync(file, 'utf8')).toBe('Be brief.')
  expect(await prepared.finish()).toEqual([])
  expect(existsSync(file)).toBe(false)
  expect(await (await headless.prepare!({ prompt: '' }, place)).finish()).toEqual([])
})
