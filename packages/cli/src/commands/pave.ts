import { agentOption } from '../desires/agent-option.ts'
import { UsageError } from '../usage-error.ts'
import type { Input, Verb } from '../verb.ts'

export const pave: Verb = {
  name: 'pave',
  description: 'Let agents take the right way: correct calls before they run, or write the lessons down',
  options: {
    hook: { description: 'Install the hook that corrects a call before it runs, or refuses it and says why' },
    uninstall: { description: 'Take that hook out again, or with --agents-md the lessons' },
    settings: { value: 'file', description: 'The settings file to put it into; needs one --agent' },
    'agents-md': {
      description: 'Print the lessons of earlier sessions, for the file that agents read first',
    },
    append: {
      value: 'file',
      description: 'Write them into this file (GEMINI.md, CLAUDE.md, AGENTS.md) instead',
    },
    top: { value: 'count', description: 'How many lessons from sessions; 10 by default' },
    agent: {
      ...agentOption,
      description: 'Only this agent; may be given several times',
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
      const { takeLessonsOut, writeLessons } = await import('../pave/agents-md.ts')
      return values['uninstall'] ? takeLessonsOut(input, io) : writeLessons(input, io)
    }
    const { installPave, showPave, uninstallPave } = await import('../pave/pave-hook.ts')
    if (values['uninstall']) return uninstallPave(input, io)
    return values['hook'] ? installPave(input, io) : showPave(input, io)
  },
}

/** The hook and the lessons are two things, each with its own options. */
function refuseMixed({ values }: Input): void {
  const lessons = (['agents-md', 'append', 'top'] as const).find((name) => values[name] !== undefined)
  const hook = (['hook', 'settings'] as const).find((name) => values[name] !== undefined)
  if (lessons && hook)
    throw new UsageError(
      `--${lessons} and --${hook} exclude each other`,
      'The hook and the lessons are two things: call remora pave for each',
    )
  if (values['top'] !== undefined && !values['agents-md'] && values['append'] === undefined)
    throw new UsageError('--top is for lessons', 'Say so: remora pave --agents-md --top 5')
  if (values['settings'] !== undefined && !values['hook'] && !values['uninstall'])
    throw new UsageError('--settings is for the hook', 'Say so: remora pave --hook --settings <file>')
}
