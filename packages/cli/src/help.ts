import { type Option, type Positional, type Verb, commonOptions } from './verb.ts'
import { verbs } from './verbs.ts'

/** The help of the whole command. It loads no verb, so that it stays quick with any number of them. */
export function rootHelp(version: string): string {
  return [
    `remora ${version}: plug any coding-agent CLI into any program, terminal or phone`,
    '',
    'Usage: remora <command> [options]',
    'remora alone, on a terminal, is remora serve.',
    '',
    'Commands:',
    ...columns(Object.entries(verbs).map(([name, { summary }]) => [name, summary])),
    '',
    'Options:',
    ...columns([
      ['-h, --help', 'Show this help, or that of a command: remora <command> --help'],
      ['-v, --version', 'Show the version'],
    ]),
    '',
    'Exit codes: 0 ok, 1 the agent failed, 2 wrong usage, 3 agent missing or option unsupported, 4 timeout, 130 cancelled',
    '',
  ].join('\n')
}

export function verbHelp(verb: Verb): string {
  const { name, description, positionals = [], options, rest, examples } = verb
  return [
    `remora ${name}: ${description}`,
    '',
    `Usage: ${['remora', name, ...positionals.map(slot), '[options]', ...(rest ? [`[-- <${rest}>]`] : [])].join(' ')}`,
    '',
    ...section(
      'Arguments',
      positionals.map((each) => [slot(each), each.description]),
    ),
    ...section(
      'Options',
      Object.entries({ ...options, ...commonOptions }).map(([key, option]) => [
        flag(key, option),
        option.description,
      ]),
    ),
    'Examples:',
    ...examples.map((line) => `  ${line}`),
    '',
  ].join('\n')
}

function slot({ name, required, many }: Positional): string {
  const word = `<${name}>${many ? '…' : ''}`
  return required ? word : `[${word}]`
}

function flag(name: string, { short, value, many, optional }: Option): string {
  const given = value ? (optional ? `[=<${value}>]` : ` <${value}>${many ? '…' : ''}`) : ''
  return `${short ? `-${short}, ` : ''}--${name}${given}`
}

function section(title: string, rows: [string, string][]): string[] {
  return rows.length === 0 ? [] : [`${title}:`, ...columns(rows), '']
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
