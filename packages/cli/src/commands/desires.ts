import { filterOptions } from '../filter-options.ts'
import { agentOption } from '../desires/agent-option.ts'
import { nearest } from '../nearest.ts'
import { UsageError } from '../usage-error.ts'
import type { Input, Verb } from '../verb.ts'

/** What can be asked of failures, and in which words. */
export const actions = {
  paths: 'Patterns of failures, the most costly first',
  list: 'Single failures, the latest first',
  inspect: 'Everything about one pattern: days, inputs, errors, sessions',
  similar: 'Tools whose names are nearest to one that is not there',
  stats: 'Totals and rates, by agent, tool and class',
  turns: 'How many calls prompts take, and which take many',
  recoveries: 'Failures after which the agent found the way, and how',
  struggling: 'Sessions in which one tool failed again and again',
  'env-needs': 'Commands and variables that agents reach for and do not find',
  export: 'All of it for other programs, as JSON or CSV',
  effect: 'Whether failures went down after what was done against them',
} as const

export type Action = keyof typeof actions

// Written out, since help must not wait for the ledger; a test holds it against the classes.
export const categories = [
  'unknown-tool',
  'wrong-argument',
  'wrong-path',
  'missing-command',
  'missing-env',
  'permission-denied',
  'timeout',
  'network',
  'test-failure',
  'edit-mismatch',
  'other',
]

/** The options that choose calls, and those that each action knows beside them. */
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
  description: 'What agents tried to do and could not: failed calls, grouped, ranked and explained',
  positionals: [
    { name: 'action', description: `What to show; paths when left out:\n${table()}` },
    {
      name: 'name',
      description: 'inspect: a pattern, a part of one, a tool, or a text with %; similar: a tool',
    },
  ],
  options: {
    since: filterOptions.since,
    until: filterOptions.until,
    agent: agentOption,
    cwd: filterOptions.cwd,
    tool: { value: 'tool', description: 'Only this tool, by Claude’s name or the agent’s own' },
    category: {
      value: 'class',
      description: `Only this class, several with commas: ${categories.join(', ')}`,
    },
    session: {
      value: 'id',
      description: 'Only this session: its id or the beginning of it, its name, or latest',
    },
    top: { short: 'n', value: 'count', description: 'How many; 20 by default, all with --json' },
    limit: { value: 'count', description: 'The same as --top' },
    'min-length': {
      value: 'calls',
      description: 'turns: from how many calls on a turn is long; 5 by default',
    },
    patterns: { description: 'turns: sequences of tools that come back in three sessions or more' },
    stats: { description: 'recoveries: how many, and what they took, by class' },
    'min-fails': { value: 'count', description: 'struggling: from how many failures on; 3 by default' },
    known: { value: 'tools', description: 'similar: compare with these only, with commas between them' },
    threshold: { value: 'score', description: 'similar: how alike at least, from 0 to 1; 0.5 by default' },
    invocations: { description: 'stats: all calls, not only those that failed' },
    format: { value: 'format', choices: ['json', 'csv'], description: 'export: json (the default) or csv' },
    type: {
      value: 'type',
      choices: ['desires', 'invocations'],
      description: 'export: desires, which are failed calls (the default), or invocations, which are all',
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
        `remora desires cannot "${action}"`,
        near ? `Did you mean ${near}?` : `One of: ${Object.keys(actions).join(', ')}`,
      )
    }
    const needed = needing[action as Action]
    if (needed !== undefined && name === undefined)
      throw new UsageError(`remora desires ${action} needs <${needed}>`, 'See: remora desires --help')
    if (needed === undefined && name !== undefined)
      throw new UsageError(
        `remora desires ${action} does not know what to do with "${name}"`,
        'See: remora desires --help',
      )
    refuseOthers(action as Action, input)
    const { chosen } = await import('../desires/choose.ts')
    const { actOn } = await import('../desires/act-on.ts')
    return actOn(action as Action, chosen(input), io)
  },
}

/** An option that an action does not know would be passed over in silence. */
function refuseOthers(action: Action, { values }: Input): void {
  const other = Object.keys(values).find(
    (name) => Object.hasOwn(desires.options, name) && !known[action].includes(name),
  )
  if (other !== undefined)
    throw new UsageError(
      `remora desires ${action} has no option --${other}`,
      `It knows: ${known[action].map((name) => `--${name}`).join(', ')}`,
    )
  if (action === 'export' && values['format'] === 'csv' && values['json'])
    throw new UsageError('--format csv and --json exclude each other', 'Leave one of them out')
}

/** What each action shows, under each other in the help. */
function table(): string {
  const width = Math.max(...Object.keys(actions).map((name) => name.length))
  return Object.entries(actions)
    .map(([name, what]) => `${' '.repeat(14)}${name.padEnd(width)}  ${what}`)
    .join('\n')
}
