import { isDangerous } from './dangerous.ts'
import { shellWords } from '../pave/hook.ts'

/** A text to paste, and the file or shell to paste it into. */
export interface Setting {
  readonly where: string
  readonly paste: string
}

/** Settings of a CLI that prevent failed calls. The caller provides them, because this package knows no agents. */
export interface AgentSettings {
  allow?(native: string, prefix: readonly string[] | undefined): Setting | undefined
  readonly timeout?: Setting
  variable?(name: string): Setting
}

/**
 * The CLI's own rule that allows commands with the same beginning without asking; none for commands that need approval
 * each time.
 *
 * @example allowSetting(settings, 'Bash', 'Bash', 'git log -1')
 */
export function allowSetting(
  settings: AgentSettings | undefined,
  tool: string,
  native: string,
  command?: string,
): Setting | undefined {
  const prefix = tool === 'Bash' ? getCommandPrefix(command) : undefined
  if (tool === 'Bash' && (prefix === undefined || isDangerous(prefix))) return undefined
  return settings?.allow?.(native, prefix)
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

/** The setting for environment variables of commands. */
export function variableSetting(settings: AgentSettings | undefined, name: string): Setting {
  return settings?.variable?.(name) ?? { where: 'shell', paste: `export ${name}=…` }
}
