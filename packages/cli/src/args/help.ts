import {
  type Option,
  type Positional,
  type Verb,
  type VerbTable,
  commonOptions,
  groups,
  listSubcommands,
} from '../command/verb.ts'
import { version } from '../command/version.ts'

/** The help of `remora`. It loads no verb, to stay fast. */
export function formatRootHelp(verbs: VerbTable): string {
  const listed = Object.entries(verbs).filter(([, { group }]) => group !== undefined)
  const width = Math.max(...listed.map(([name]) => name.length))
  return [
    `remora ${version}: connect coding-agent CLIs to programs, terminals and phones`,
    '',
    'Usage: remora <command> [options]',
    'In a terminal, remora without a command runs remora serve.',
    '',
    ...groups.flatMap((title) => [
      `${title}:`,
      ...formatColumns(
        listed.filter(([, { group }]) => group === title).map(([name, { summary }]) => [name, summary]),
        width,
      ),
      '',
    ]),
    'Options:',
    ...formatColumns([
      ['-h, --help', 'Show this help; for a command: remora <command> --help'],
      ['-v, --version', 'Show the version'],
    ]),
    '',
    'Exit codes: 0 success, 1 agent failed, 2 invalid usage, 3 agent missing or unsupported,',
    '            4 timeout, 130 cancelled',
    '',
  ].join('\n')
}

export function formatVerbHelp(verb: Verb, verbs: VerbTable): string {
  const { name, description, positionals = [], options, rest, examples } = verb
  return [
    `remora ${name}: ${description}`,
    '',
    `Usage: ${['remora', name, ...positionals.map(formatPositional), '[options]', ...(rest ? [`[-- <${rest}>]`] : [])].join(' ')}`,
    '',
    ...formatSection(
      'Subcommands',
      listSubcommands(verbs, name).map(([sub, { summary }]) => [`${name} ${sub}`, summary]),
    ),
    ...formatSection(
      'Arguments',
      positionals.map((each) => [formatPositional(each), each.description]),
    ),
    ...formatSection(
      'Options',
      Object.entries({ ...options, ...commonOptions }).map(([key, option]) => [
        formatFlag(key, option),
        option.description,
      ]),
    ),
    'Examples:',
    ...examples.map((line) => `  ${line}`),
    '',
  ].join('\n')
}

function formatPositional({ name, required, many }: Positional): string {
  const word = `<${name}>${many ? '…' : ''}`
  return required ? word : `[${word}]`
}

function formatFlag(name: string, { short, value, many, optional }: Option): string {
  const given = value ? (optional ? `[=<${value}>]` : ` <${value}>${many ? '…' : ''}`) : ''
  return `${short ? `-${short}, ` : ''}--${name}${given}`
}

function formatSection(title: string, rows: [string, string][]): string[] {
  return rows.length === 0 ? [] : [`${title}:`, ...formatColumns(rows), '']
}

function formatColumns(
  rows: readonly (readonly [string, string])[],
  width = Math.max(...rows.map(([left]) => left.length)),
): string[] {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
