// Command lines of the group Insights. The implementation of a verb is in another file, loaded when it runs, so that help stays fast.
import { agentOption, filterOptions } from '../args/filter-options.ts'
import { UsageError } from '../command/errors.ts'
import type { Input, Verb } from '../command/verb.ts'
import { getMemoryFile, profiles } from '@remora/sdk/profiles'

const memoryFiles = [...new Set(profiles.map(getMemoryFile))]

export const audit: Verb = {
  name: 'audit',
  description: 'Show approvals and verify the audit log',
  options: {
    verify: { description: 'Verify the hash chain; exit with 1 if it is broken' },
    unasked: {
      description: 'Show tool calls that ran or were blocked without your answer, the riskiest first',
    },
    all: { description: 'With --unasked: also calls of little or no risk' },
    session: {
      short: 's',
      value: 'session',
      description: 'Only this session: id or prefix, name, or latest',
    },
    agent: filterOptions.agent,
    cwd: { ...filterOptions.cwd, description: 'With --unasked: only this folder and its subfolders' },
    since: {
      ...filterOptions.since,
      description: `${filterOptions.since.description}; with --unasked 7d by default`,
    },
    until: filterOptions.until,
    limit: { short: 'n', value: 'count', description: 'Maximum number of entries, newest first' },
    json: { description: 'Print a JSON array; with --verify, an object' },
  },
  examples: [
    'remora audit',
    'remora audit --unasked --since yesterday',
    'remora audit --session latest',
    'remora audit --verify',
    'remora audit --json | jq -r \'.[] | select(.what == "answer") | .who + " " + .detail.ask.title\'',
  ],
  async run(input, io) {
    if (input.values['unasked'] === true) {
      const { showUnasked } = await import('./show-unasked.ts')
      return showUnasked(input, io)
    }
    for (const name of ['all', 'cwd'])
      if (input.values[name] !== undefined)
        throw new UsageError(
          `--${name} needs --unasked`,
          `For example: remora audit --unasked --${name}${name === 'cwd' ? ' .' : ''}`,
        )
    const { showAudit } = await import('./show-audit.ts')
    return showAudit(input, io)
  },
}

export const suggest: Verb = {
  name: 'suggest',
  description: 'Suggest fixes for failing calls, most costly pattern first',
  options: {
    top: { short: 'n', value: 'count', description: 'Maximum number of patterns (default: 10)' },
    tool: { value: 'tool', description: 'Only this tool, by its Claude or native name' },
    error: { value: 'text', description: 'Only failures whose error contains this text' },
    since: filterOptions.since,
    until: filterOptions.until,
    agent: agentOption,
    cwd: filterOptions.cwd,
    json: { description: 'Print a JSON array' },
  },
  examples: [
    'remora desires suggest',
    'remora desires suggest --top 3 --agent gemini',
    'remora desires suggest --tool Bash --error "command not found"',
    'remora desires suggest --json',
  ],
  async run(input, io) {
    const { chosen } = await import('./desires/choose.ts')
    const { showSuggestions } = await import('./pave/suggest.ts')
    return showSuggestions(chosen(input), io)
  },
}

export const map: Verb = {
  name: 'map',
  description: 'Link a failure pattern to documentation, or unlink it. Without arguments, list the links',
  positionals: [{ name: 'pattern', description: 'Pattern name, part of one, or text with %' }],
  options: {
    doc: { value: 'file or URL', description: 'File or URL of the documentation' },
    excerpt: { value: 'text', description: 'Excerpt to show with the link' },
    tool: { value: 'tool', description: 'Only failures of this tool' },
    delete: { description: 'Remove the link' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora desires map',
    'remora desires map "Bash: missing-command jq" --doc docs/setup.md',
    'remora desires map "edit-mismatch%" --tool Edit --doc docs/editing.md --excerpt "Read the file first"',
    'remora desires map "Bash: missing-command jq" --delete',
  ],
  async run(input, io) {
    const { doc, delete: remove } = input.values
    if (input.positionals.length === 0) {
      if (Object.keys(input.values).some((name) => name !== 'json' && name !== 'color'))
        throw new UsageError('remora desires map needs <pattern>', 'See: remora desires map --help')
      const { listMappings } = await import('./desires/mappings.ts')
      return listMappings(input, io)
    }
    if (remove && doc !== undefined)
      throw new UsageError('Cannot set and delete at the same time', 'Leave out --doc or --delete')
    if (!remove && !doc)
      throw new UsageError('remora desires map needs --doc', 'For example: --doc docs/setup.md')
    const { mapPattern } = await import('./desires/mappings.ts')
    return mapPattern(input, io)
  },
}

export const mappings: Verb = {
  name: 'mappings',
  description: 'List failure patterns linked to documentation',
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora desires map', 'remora desires map --json'],
  async run(input, io) {
    const { listMappings } = await import('./desires/mappings.ts')
    return listMappings(input, io)
  },
}

export const sources: Verb = {
  name: 'sources',
  description: 'List agents with hook status and number of recorded calls',
  options: { json: { description: 'Print a JSON array' } },
  examples: ['remora desires sources', "remora desires sources --json | jq '.[] | select(.installed)'"],
  async run(input, io) {
    const { listSources } = await import('./desires/list-sources.ts')
    return listSources(input, io)
  },
}

export const pave: Verb = {
  name: 'pave',
  description: 'Correct failing calls with a hook, or write lessons to a memory file',
  options: {
    hook: {
      description: 'Install a hook that corrects calls before they run, or refuses them with a reason',
    },
    uninstall: { description: 'Remove the hook or, with --agents-md, the lessons' },
    settings: { value: 'file', description: 'Settings file for the hook; needs one --agent' },
    'agents-md': {
      description: 'Print lessons from earlier sessions for a memory file',
    },
    append: {
      value: 'file',
      description: `Write the lessons to this file: ${memoryFiles.join(', ')}`,
    },
    top: { value: 'count', description: 'Maximum number of lessons (default: 10)' },
    agent: {
      ...agentOption,
      description: 'Only this agent; repeatable',
    },
    json: { description: 'Print JSON' },
  },
  examples: [
    'remora pave',
    'remora pave --hook',
    'remora pave --hook --agent gemini --settings .gemini/settings.json',
    'remora pave --hook --uninstall',
    'remora pave --agents-md',
    'remora pave --agents-md --append GEMINI.md',
    'remora pave --agents-md --append GEMINI.md --uninstall',
  ],
  async run(input, io) {
    const { values } = input
    refuseMixed(input)
    if (values['agents-md'] || values['append'] !== undefined) {
      const { uninstallLessons, writeLessons } = await import('./pave/agents-md.ts')
      return values['uninstall'] ? uninstallLessons(input, io) : writeLessons(input, io)
    }
    const { installPave, showPave, uninstallPave } = await import('./pave/pave-hook.ts')
    if (values['uninstall']) return uninstallPave(input, io)
    return values['hook'] ? installPave(input, io) : showPave(input, io)
  },
}

/** Refuses to mix the options of the hook and of the lessons. */
function refuseMixed({ values }: Input): void {
  const lessons = (['agents-md', 'append', 'top'] as const).find((name) => values[name] !== undefined)
  const hook = (['hook', 'settings'] as const).find((name) => values[name] !== undefined)
  if (lessons && hook)
    throw new UsageError(
      `--${lessons} and --${hook} cannot be combined`,
      'Run remora pave once for the hook and once for the lessons',
    )
  if (values['top'] !== undefined && !values['agents-md'] && values['append'] === undefined)
    throw new UsageError('--top needs --agents-md', 'Run: remora pave --agents-md --top 5')
  if (values['settings'] !== undefined && !values['hook'] && !values['uninstall'])
    throw new UsageError('--settings needs --hook', 'Run: remora pave --hook --settings <file>')
}
