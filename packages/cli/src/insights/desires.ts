import { failureClasses } from '@remora/protocol/plain'
import { agentOption, filterOptions } from '../args/filter-options.ts'
import { UsageError } from '../command/errors.ts'
import { nearest } from '../command/nearest.ts'
import type { Input, Verb } from '../command/verb.ts'

/** The actions and their descriptions. */
const actions = {
  paths: 'Group failures by pattern, most costly first',
  list: 'List single failures, newest first',
  inspect: 'Show one pattern: days, inputs, errors, sessions',
  similar: 'List tools with names similar to a missing one',
  stats: 'Show totals and rates by agent, tool and class',
  turns: 'Show how many calls prompts take, and which take many',
  recoveries: 'List failures the agent recovered from, and how',
  struggling: 'List sessions where one tool failed repeatedly',
  'env-needs': 'List missing commands and environment variables',
  export: 'Export failures or all calls as JSON or CSV',
  effect: 'Compare failures before and after each fix',
} as const

type Action = keyof typeof actions

/** The implementation of each action, loaded when it is used. */
const implementations: Readonly<Record<Action, () => Promise<Verb['run']>>> = {
  paths: async () => (await import('./desires/paths.ts')).showPaths,
  list: async () => (await import('./desires/list.ts')).listDesires,
  inspect: async () => (await import('./desires/inspect.ts')).inspectPattern,
  similar: async () => (await import('./desires/similar.ts')).showSimilar,
  stats: async () => (await import('./desires/stats.ts')).showStats,
  turns: async () => (await import('./desires/turns.ts')).showTurns,
  recoveries: async () => (await import('./desires/recoveries.ts')).showRecoveries,
  struggling: async () => (await import('./desires/struggling.ts')).showStruggling,
  'env-needs': async () => (await import('./desires/env-needs.ts')).showEnvNeeds,
  export: async () => (await import('./desires/export.ts')).exportCalls,
  effect: async () => (await import('./pave/effect.ts')).showEffect,
}

/** Options that select calls, and the options of each action. */
const choosing = ['since', 'until', 'agent', 'cwd', 'tool', 'category', 'session', 'json']
const counting = ['top', 'limit']
const known: Readonly<Record<Action, readonly string[]>> = {
  paths: [...choosing, ...counting],
  list: [...choosing, ...counting],
  inspect: [...choosing, ...counting],
  similar: ['agent', 'known', 'threshold', ...counting, 'json'],
  stats: [...choosing, ...counting, 'invocations'],
  turns: [...choosing, ...counting, 'min-length', 'patterns'],
  recoveries: [...choosing, ...counting, 'stats'],
  struggling: [...choosing, ...counting, 'min-fails'],
  'env-needs': [...choosing, ...counting],
  export: [...choosing, ...counting, 'format', 'type'],
  effect: choosing,
}

const needing: Partial<Record<Action, string>> = { inspect: 'pattern', similar: 'name' }

export const desires: Verb = {
  name: 'desires',
  description: 'Show failed tool calls, grouped and ranked',
  positionals: [
    { name: 'action', description: `What to show (default: paths):\n${table()}` },
    {
      name: 'name',
      description: 'inspect: a pattern, part of one, a tool, or text with %; similar: a tool',
    },
  ],
  options: {
    since: filterOptions.since,
    until: filterOptions.until,
    agent: agentOption,
    cwd: filterOptions.cwd,
    tool: { value: 'tool', description: 'Only this tool, by its Claude or native name' },
    category: {
      value: 'class',
      description: `Only these classes, comma-separated: ${failureClasses.join(', ')}`,
    },
    session: {
      value: 'id',
      description: 'Only this session: id or prefix, name, or latest',
    },
    top: { short: 'n', value: 'count', description: 'Maximum number (default: 20; all with --json)' },
    limit: { value: 'count', description: 'Same as --top' },
    'min-length': {
      value: 'calls',
      description: 'turns: calls that make a turn long (default: 5)',
    },
    patterns: { description: 'turns: tool sequences that occur in three or more sessions' },
    stats: { description: 'recoveries: count and cost by class' },
    'min-fails': { value: 'count', description: 'struggling: minimum number of failures (default: 3)' },
    known: { value: 'tools', description: 'similar: compare only with these, comma-separated' },
    threshold: { value: 'score', description: 'similar: minimum similarity from 0 to 1 (default: 0.5)' },
    invocations: { description: 'stats: all calls, not only failed ones' },
    format: { value: 'format', choices: ['json', 'csv'], description: 'export: json (default) or csv' },
    type: {
      value: 'type',
      choices: ['desires', 'invocations'],
      description: 'export: desires (failed calls, default) or invocations (all calls)',
    },
    json: { description: 'Print JSON' },
  },
  examples: [
    'remora desires',
    'remora desires list --since 7d --category missing-command',
    'remora desires inspect "Bash: missing-command jq"',
    'remora desires inspect Bash --since 30d',
    'remora desires similar ReadFile --agent gemini',
    'remora desires env-needs',
    'remora desires recoveries --stats',
    'remora desires export --format csv > desires.csv',
    'remora desires effect',
  ],
  printsJson: ({ values, positionals }) =>
    values['json'] === true || (positionals[0] === 'export' && values['format'] !== 'csv'),
  async run(input, io) {
    const [action = 'paths', name] = input.positionals
    if (!Object.hasOwn(actions, action)) {
      const near = nearest(action, Object.keys(actions))
      throw new UsageError(
        `Unknown action "${action}" for remora desires`,
        near ? `Did you mean ${near}?` : `One of: ${Object.keys(actions).join(', ')}`,
      )
    }
    const needed = needing[action as Action]
    if (needed !== undefined && name === undefined)
      throw new UsageError(`remora desires ${action} needs <${needed}>`, 'See: remora desires --help')
    if (needed === undefined && name !== undefined)
      throw new UsageError(
        `Unexpected argument "${name}" for remora desires ${action}`,
        'See: remora desires --help',
      )
    refuseOthers(action as Action, input)
    const { chosen } = await import('./desires/choose.ts')
    const implementation = await implementations[action as Action]()
    return implementation(chosen(input), io)
  },
}

/** Refuses options of other actions instead of ignoring them. */
function refuseOthers(action: Action, { values }: Input): void {
  const other = Object.keys(values).find(
    (name) => Object.hasOwn(desires.options, name) && !known[action].includes(name),
  )
  if (other !== undefined)
    throw new UsageError(
      `Unknown option --${other} for remora desires ${action}`,
      `Options: ${known[action].map((name) => `--${name}`).join(', ')}`,
    )
  if (action === 'export' && values['format'] === 'csv' && values['json'])
    throw new UsageError('--format csv and --json cannot be combined', 'Leave one of them out')
}

/** The list of actions in the help. */
function table(): string {
  const width = Math.max(...Object.keys(actions).map((name) => name.length))
  return Object.entries(actions)
    .map(([name, what]) => `${' '.repeat(14)}${name.padEnd(width)}  ${what}`)
    .join('\n')
}
