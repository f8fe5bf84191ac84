import { isDangerous } from './dangerous.ts'
import { shellWords } from '../pave/hook.ts'

/** A text to paste, and the file or shell to paste it into. */
export interface Setting {
  readonly where: string
  readonly paste: string
}

/** The memory files of some agents. @example memoryFiles(['gemini', 'codex']) // ['GEMINI.md', 'AGENTS.md'] */
export function memoryFiles(agents: readonly string[]): string[] {
  return [...new Set(agents.map(memoryFile))]
}

/** The memory file of an agent, which it reads at the start. @example memoryFile('gemini') // 'GEMINI.md' */
export function memoryFile(agent: string): string {
  return { gemini: 'GEMINI.md', claude: 'CLAUDE.md' }[agent] ?? 'AGENTS.md'
}

/**
 * The CLI's own rule that allows commands with the same beginning without asking; none for commands that need approval
 * each time.
 *
 * @example allowSetting('claude', 'Bash', 'Bash', 'git log -1') // Bash(git log:*)
 */
export function allowSetting(
  agent: string,
  tool: string,
  native: string,
  command?: string,
): Setting | undefined {
  const prefix = tool === 'Bash' ? getCommandPrefix(command) : undefined
  if (tool === 'Bash' && (prefix === undefined || isDangerous(prefix))) return undefined
  const words = prefix?.join(' ')
  switch (agent) {
    case 'gemini':
      return {
        where: '~/.gemini/policies/allowed.toml',
        paste: [
          '[[rule]]',
          `toolName = ${JSON.stringify(native)}`,
          ...(words === undefined ? [] : [`commandPrefix = ${JSON.stringify(words)}`]),
          'decision = "allow"',
          'priority = 100',
        ].join('\n'),
      }
    case 'claude': {
      const allowed = words === undefined ? native : `Bash(${words}:*)`
      return { where: '~/.claude/settings.json', paste: json({ permissions: { allow: [allowed] } }) }
    }
    case 'codex':
      return prefix
        ? {
            where: '~/.codex/rules/default.rules',
            paste: `prefix_rule(pattern=${JSON.stringify(prefix)}, decision="allow")`,
          }
        : undefined
    case 'opencode': {
      const permission = words === undefined ? { [native]: 'allow' } : { bash: { [`${words} *`]: 'allow' } }
      return { where: '~/.config/opencode/opencode.json', paste: json({ permission }) }
    }
    default:
      return undefined
  }
}

/** The command and its subcommand. None for a line of several commands: a rule would allow too much or nothing. */
export function getCommandPrefix(command: string | undefined): string[] | undefined {
  const words = shellWords(command ?? '')
  const [name, next] = words
  if (!name || words.some((word) => word.command !== name.command) || !/^[\w./+-]+$/.test(name.text))
    return undefined
  return next && /^[a-z][\w-]*$/.test(next.text) && withSubcommands.has(name.text)
    ? [name.text, next.text]
    : [name.text]
}

const withSubcommands = new Set(
  'apt apt-get brew bun cargo composer conda deno docker dotnet gem gh git go helm kubectl make npm npx pip pip3 pnpm poetry rustup systemctl terraform uv yarn'.split(
    ' ',
  ),
)

/** The setting for the timeout of commands. */
export function timeoutSetting(agent: string): Setting | undefined {
  switch (agent) {
    case 'gemini':
      // Seconds without output; 300 by default.
      return {
        where: '~/.gemini/settings.json',
        paste: json({ tools: { shell: { inactivityTimeout: 900 } } }),
      }
    case 'claude':
      return {
        where: '~/.claude/settings.json',
        paste: json({ env: { BASH_DEFAULT_TIMEOUT_MS: '600000', BASH_MAX_TIMEOUT_MS: '1800000' } }),
      }
    case 'opencode':
      return { where: 'shell', paste: 'export OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS=600000' }
    default:
      return undefined
  }
}

/** The setting for environment variables of commands. */
export function variableSetting(agent: string, name: string): Setting {
  if (agent === 'gemini') return { where: '~/.gemini/.env', paste: `${name}=…` }
  if (agent === 'claude') return { where: '~/.claude/settings.json', paste: json({ env: { [name]: '…' } }) }
  if (agent === 'codex')
    return { where: '~/.codex/config.toml', paste: `[shell_environment_policy]\nset = { ${name} = "…" }` }
  return { where: 'shell', paste: `export ${name}=…` }
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}
