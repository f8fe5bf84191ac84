import { fileURLToPath } from 'node:url'
import { type Screen, type ScreenAsk, type ScreenState, defineAgent, modes } from '../../contract/agent.ts'
import { features } from '../../agents/gemini/features.ts'

const script = fileURLToPath(new URL('fake-tui.test-data.mjs', import.meta.url))

/** The agent of fake-tui.test-data.mjs. */
export const fakeAgent = defineAgent({
  id: 'fake',
  title: 'Fake',
  detection: { variable: 'FAKE_PATH', command: 'fake-tui.test-data', install: 'none' },
  features,
  terminal: {
    invocation: ({ extraArgs = [] }) => ({ args: [...extraArgs], env: { FROM_AGENT: '1' } }),
    modeSwitch: 'cycle',
    choosesSession: () => false,
    read,
    escapes: [
      { kind: 'shell', pattern: /^!/, prefix: ' ' },
      { kind: 'slash', pattern: /^\//, prefix: ' ' },
      { kind: 'slash', pattern: /^quit$/ },
    ],
    switchMode: (wanted, screen, step) => {
      if (wanted === 'bypassPermissions') return undefined
      if (read(screen).mode === wanted) return { done: true }
      return wanted === 'plan' && step > 0 ? { wait: true, again: true } : { keys: ['BTab'] }
    },
    switchModel: (wanted, screen) =>
      read(screen).model === wanted ? { done: true } : { submit: `/model ${wanted}` },
    interrupt: ['Escape'],
    deleteLine: ['C-u', 'BSpace'],
    quit: '/quit',
    mention: (path) => `@${path}`,
    findSessionId: (args) => args[args.indexOf('--resume') + 1],
  },
})

export const fakeCommand = script

function read({ title, lines }: Screen): ScreenState {
  const line = lines.find((each) => /^[>!](?: |$)/.test(each))
  const input = line?.slice(2)
  const [, mode, model] =
    lines.map((line) => /^mode (\w+) model (.*)$/.exec(line)).find((found) => found) ?? []
  const known = modes.find((name) => name === mode)
  const about = {
    ...(known ? { mode: known } : {}),
    ...(model ? { model } : {}),
    ...(input === undefined ? {} : { input }),
    ...(line?.startsWith('!') ? { shell: true as const } : {}),
  }
  if (title.startsWith('✋')) return { state: 'asking', ask: ask(lines) }
  if (title.startsWith('✦')) return { state: 'working', subject: 'Planning', ...about }
  return title.startsWith('◇') ? { state: 'idle', ...about } : { state: 'starting' }
}

function ask(lines: readonly string[]): ScreenAsk {
  const after = (start: string): string[] =>
    lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length))
  const options = lines.flatMap((line) => {
    const [, id, label] = /^│ (\d)\. (.*)$/.exec(line) ?? []
    if (!id || !label || id === '4') return []
    return [{ id, label, effect: id === '3' ? ('deny' as const) : ('allow' as const), keys: [id] }]
  })
  return {
    kind: 'permission',
    title: after('│ Allow: ')[0] ?? '',
    body: after('│ | ').join('\n'),
    options,
    freeText: { before: ['4'], after: ['Enter'] },
  }
}
