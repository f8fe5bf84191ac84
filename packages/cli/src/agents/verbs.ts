// Command lines of the group Agents. What a verb does is in another file, loaded when it runs: help stays fast.
import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'
import { profiles } from '@remora/sdk/profiles'

/** The ids of agents, each with its other names. */
const sources = profiles
  .map(({ id, aliases = [] }) => (aliases.length === 0 ? id : `${id} (${aliases.join(', ')})`))
  .join(', ')

export const doctor: Verb = {
  name: 'doctor',
  description: 'Check agents, credentials and settings',
  positionals: [{ name: 'agent', many: true, description: 'Only these agents' }],
  options: {
    brief: { description: 'Print one line per agent' },
    probe: { description: 'Try each agent offline: every channel, in an isolated home' },
    json: { description: 'Print a JSON array' },
  },
  examples: ['remora doctor', 'remora doctor gemini', 'remora doctor --probe claude', 'remora doctor --json'],
  async run(input, io) {
    if (input.values['probe']) return (await import('./probe/show-probe.ts')).showProbe(input, io)
    const { survey } = await import('../detection/survey.ts')
    const { addHookProblems } = await import('../detection/hook-problems.ts')
    const { colors } = await import('../output/colors.ts')
    const found = await survey(input.positionals, true, io)
    const findings = await Promise.all(found.map((finding) => addHookProblems(finding, io)))
    if (input.values['json']) {
      io.out(`${JSON.stringify(findings, null, 2)}\n`)
      return 0
    }
    const { formatBriefReport, formatReport } = await import('./doctor-report.ts')
    const paint = await colors(input, io)
    const lines = input.values['brief']
      ? formatBriefReport(findings, paint)
      : await formatReport(findings, paint, io)
    io.out(lines.map((line) => `${line}\n`).join(''))
    return 0
  },
}

const hookActions = ['install', 'uninstall', 'status']

export const hooks: Verb = {
  name: 'hooks',
  description: 'Install, check or remove agent hooks',
  positionals: [
    { name: 'action', description: `One of: ${hookActions.join(', ')}` },
    { name: 'agent', many: true, description: 'Only these agents (default: all installed)' },
  ],
  options: {
    events: { value: 'list', description: 'install: hook these events instead of the default ones: a,b,c' },
    project: { description: 'Use the project settings in this folder instead of the user settings' },
    settings: { value: 'file', description: 'Use this settings file' },
    json: { description: 'Print JSON' },
  },
  examples: [
    'remora hooks install',
    'remora hooks install gemini --events AfterTool,BeforeTool',
    'remora hooks status',
    'remora hooks uninstall claude',
  ],
  async run(input, io) {
    const [action, ...names] = input.positionals
    if (action === undefined || !hookActions.includes(action))
      throw new UsageError(
        action === undefined ? 'remora hooks needs <action>' : `Unknown action "${action}" for remora hooks`,
        `One of: ${hookActions.join(', ')}`,
      )
    if (input.values['events'] !== undefined && action !== 'install')
      throw new UsageError(`--events does not apply to remora hooks ${action}`, 'See: remora hooks --help')
    const rest = { ...input, positionals: names }
    if (action === 'install') return (await import('./hooks/install.ts')).install(rest, io)
    if (action === 'uninstall') return (await import('./hooks/uninstall.ts')).uninstall(rest, io)
    return (await import('./hooks/status.ts')).status(rest, io)
  },
}

const { project, settings, events } = hooks.options

export const init: Verb = {
  name: 'init',
  description: 'Install agent hooks. Same as remora hooks install',
  options: {
    source: {
      value: 'agent',
      description: `Only this agent: ${sources}`,
    },
    events: {
      ...events!,
      description: 'Hook these events instead of the default ones: a,b,c; needs --source',
    },
    project: project!,
    settings: settings!,
    'track-all': { description: 'No effect: every call is recorded' },
    json: { description: 'Print a JSON array' },
  },
  examples: [
    'remora init --source gemini',
    'remora init --source claude-code',
    'remora init --source gemini --project --events AfterTool',
  ],
  async run(input, io) {
    const { install } = await import('./hooks/install.ts')
    const { source } = input.values
    return install({ ...input, positionals: typeof source === 'string' ? [source] : [] }, io)
  },
}

export const ingest: Verb = {
  name: 'ingest',
  description: 'Read a hook payload from standard input, or import the hook spool',
  options: {
    source: {
      value: 'agent',
      description: `Agent that sent it: ${sources}`,
    },
    spool: {
      description: 'Import the hook spool and print how many entries it had',
    },
    json: { description: 'Print the result as a JSON object' },
  },
  examples: [
    `echo '{"tool_name":"write_file","session_id":"abc","tool_response":{}}' | remora hooks ingest --source gemini`,
    'remora hooks ingest --source claude-code --json < payload.json',
    'remora hooks ingest --spool',
  ],
  async run(input, io) {
    const { ingestPayloads } = await import('./ingest-payloads.ts')
    return ingestPayloads('ingest', input, io)
  },
}

/** Kept for hooks that were installed under this name. */
export const record: Verb = {
  ...ingest,
  name: 'record',
  description: 'Same as remora hooks ingest',
  examples: ['remora hooks ingest --help'],
  async run(input, io) {
    const { ingestPayloads } = await import('./ingest-payloads.ts')
    return ingestPayloads('record', input, io)
  },
}
