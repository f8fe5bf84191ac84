import { agentOption } from '../args/filter-options.ts'
import { UsageError } from '../command/errors.ts'
import type { Input, Verb } from '../command/verb.ts'

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
      description: 'Write the lessons to this file: GEMINI.md, CLAUDE.md, AGENTS.md',
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
