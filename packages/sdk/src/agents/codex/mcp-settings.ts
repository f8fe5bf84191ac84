import { RemoraError } from '@remora/protocol/plain'
import type { McpServer } from '../../contract/agent.ts'
import { createUnsupportedError } from '../../versions/version.ts'

/**
 * MCP servers as settings of one run. Every user of the machine can read arguments, so the values of variables and
 * headers are passed in the environment, under names that no other program uses.
 *
 * @example toMcpSettings({ docs: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer …' } } })
 */
export function toMcpSettings(servers: Readonly<Record<string, McpServer>>): {
  args: string[]
  env: Record<string, string>
} {
  const args: string[] = []
  const env: Record<string, string> = {}
  const hide = (value: string): string => {
    const variable = `REMORA_MCP_${Object.keys(env).length}`
    env[variable] = value
    return variable
  }
  for (const [name, server] of Object.entries(servers)) {
    const set = (key: string, value: unknown): void => {
      args.push('-c', `mcp_servers.${name}.${key}=${toToml(value)}`)
    }
    if ('url' in server) {
      refuseSecrets(name, server.url)
      set('url', server.url)
      const headers = Object.entries(server.headers ?? {}).map(([header, value]) => [header, hide(value)])
      if (headers.length > 0) set('env_http_headers', Object.fromEntries(headers))
      continue
    }
    refuseNames(name, Object.keys(server.env ?? {}))
    const variables = Object.entries(server.env ?? {}).map(([key, value]) => [key, hide(value)] as const)
    const { command, args: values } = wrapInShell([server.command, ...(server.args ?? [])], variables)
    set('command', command)
    set('args', values)
    if (variables.length > 0)
      set(
        'env_vars',
        variables.map(([, hidden]) => hidden),
      )
  }
  return { args, env }
}

/** A shell sets each variable under its real name, and then executes the server. */
function wrapInShell(
  [command = '', ...args]: readonly string[],
  variables: readonly (readonly [string, string])[],
): { command: string; args: string[] } {
  if (variables.length === 0) return { command, args }
  const script = variables.map(([name, hidden]) => `export ${name}="$${hidden}"; unset ${hidden}`).join('; ')
  return { command: '/bin/sh', args: ['-c', `${script}; exec "$@"`, 'sh', command, ...args] }
}

/** Codex takes the URL only as an argument, which other users can read. */
function refuseSecrets(name: string, address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url && !url.username && !url.password && !url.search && !url.hash) return
  throw new RemoraError(
    'input',
    url
      ? `The URL of the MCP server ${name} has a query, a fragment or a user name in it, which Codex would show to everybody on the machine`
      : `The MCP server ${name} has no valid URL`,
    {
      hint: url
        ? 'Put the token into headers, or write the server into its config.toml.'
        : 'Check the url of the server.',
    },
  )
}

function refuseNames(server: string, names: readonly string[]): void {
  if (names.length === 0) return
  const hint = 'Write the server into its config.toml instead.'
  const option = `variables for the MCP server ${server}`
  if (process.platform === 'win32') throw createUnsupportedError('Codex on Windows', option, hint)
  const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name))
  if (wrong !== undefined)
    throw createUnsupportedError('Codex', `a variable named ${wrong} for the MCP server ${server}`, hint)
}

function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, each]) => `${JSON.stringify(key)} = ${toToml(each)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}
