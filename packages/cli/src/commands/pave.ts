import { agentNames } from '../agent-names.ts'
import type { Verb } from '../verb.ts'

export const pave: Verb = {
  name: 'pave',
  description: 'Let agents take the right way: correct calls before they run, or write the lessons down',
  options: {
    hook: { description: 'Install the hook that corrects a call before it runs, or refuses it and says why' },
    uninstall: { description: 'Take that hook out again' },
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
      short: 'a',
      value: 'agent',
      choices: agentNames,
      many: true,
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
  ],
  async run(input, io) {
    const { values } = input
    if (values['agents-md'] || values['append']) {
      const { writeLessons } = await import('../pave/agents-md.ts')
      return writeLessons(input, io)
    }
    const { installPave, showPave, uninstallPave } = await import('../pave/pave-hook.ts')
    if (values['uninstall']) return uninstallPave(input, io)
    return values['hook'] ? installPave(input, io) : showPave(input, io)
  },
}
