import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../../../../testkit/src/index.ts'

/** What an agent asks permission for. */
export type RequestKind = 'shell' | 'edit' | 'write' | 'mcp'

/** An MCP server with one tool, which creates a file. */
const mcpServer = `import { writeFileSync } from 'node:fs'
let rest = ''
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    let result = {}
    if (method === 'initialize')
      result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'desk', version: '1.0.0' } }
    if (method === 'tools/list')
      result = { tools: [{ name: 'make', description: 'Creates a file', inputSchema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } }] }
    if (method === 'tools/call') {
      writeFileSync(process.argv[2] + '/' + params.arguments.name, 'made\\n')
      result = { content: [{ type: 'text', text: 'created' }] }
    }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  }
})
`

/** Adds the MCP server to a home and makes the agent ask for everything. Gives the arguments to start it with. */
export async function prepareHome(home: Home): Promise<readonly string[]> {
  const file = join(home.path, 'desk.mjs')
  await writeFile(file, mcpServer)
  const server = { command: process.execPath, args: [file, home.cwd] }
  switch (home.agent) {
    case 'claude':
      return ['--mcp-config', JSON.stringify({ mcpServers: { desk: server } })]
    case 'gemini':
    case 'qwen':
      await changeJson(join(home.path, `.${home.agent}/settings.json`), { mcpServers: { desk: server } })
      return []
    case 'codex': {
      const config = join(home.path, '.codex/config.toml')
      const table = `[mcp_servers.desk]\ncommand = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}\n`
      await writeFile(config, `${await readFile(config, 'utf8')}${table}`)
      // In its default sandbox it changes files of the workspace without asking.
      return ['--sandbox', 'read-only', '--ask-for-approval', 'on-request']
    }
    default:
      await changeJson(join(home.path, '.config/opencode/opencode.json'), {
        mcp: { desk: { type: 'local', command: [server.command, ...server.args], enabled: true } },
        permission: { bash: 'ask', edit: 'ask', desk_make: 'ask' },
      })
      return []
  }
}

async function changeJson(file: string, more: object): Promise<void> {
  const before = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, `${JSON.stringify({ ...before, ...more }, null, 2)}\n`)
}

/** The prompt that makes the scripted model request something, and the prompts that must come before it. */
export async function getPrompts(
  home: Home,
  kind: RequestKind,
  number: number,
): Promise<{ before: readonly string[]; prompt: string }> {
  const name = `f${number}x.txt`
  const path = join(home.cwd, name)
  switch (kind) {
    case 'shell': {
      if (home.agent !== 'codex') return { before: [], prompt: `RUN: touch ${name}` }
      const input = {
        cmd: `touch ${name}`,
        sandbox_permissions: 'require_escalated',
        justification: 'May I?',
      }
      return { before: [], prompt: `CALL: exec_command ${JSON.stringify(input)}` }
    }
    case 'edit': {
      const lines = Array.from({ length: 12 }, (_, index) => `line ${index} of ${name}`)
      await writeFile(path, `${lines.join('\n')}\nold\n`)
      // These edit only what they have read.
      const before = ['claude', 'qwen'].includes(home.agent) ? [`READ: ${path}`] : []
      return { before, prompt: `EDIT: ${path} old => new` }
    }
    case 'write':
      return { before: [], prompt: `WRITE: ${path} text of ${name}` }
    default:
      return { before: [], prompt: `CALL: mcp__desk__make ${JSON.stringify({ name })}` }
  }
}

/** Whether a request was carried out. */
export async function readEffect(home: Home, kind: RequestKind, number: number): Promise<boolean> {
  const text = await readFile(join(home.cwd, `f${number}x.txt`), 'utf8').catch(() => undefined)
  return kind === 'edit' ? text?.includes('new') === true : text !== undefined
}
