import { startScriptedModel } from '@remora/scripted-model'
import { findAgent } from '@remora/sdk'
import { createHome } from '../home.ts'
import { provoking } from './provoking.ts'
import { lastWords, stabiliserFor } from './recording.ts'
import type { Files, Stage } from './recording.ts'
import { openTerminal } from './tmux.ts'
import type { Screen } from './tmux.ts'

/** How the screens of a CLI are told apart, well enough to know when to look. */
interface Signs {
  readonly idle: RegExp
  readonly busy: RegExp
  readonly asking: RegExp
}

const signs: Readonly<Record<string, Signs>> = {
  gemini: { idle: /Type your message/, busy: /esc to cancel/, asking: /1\. (?:Yes, a|A)llow once/ },
  claude: { idle: /^\s*❯/m, busy: /esc to interrupt/, asking: /Do you want to [^?]*\?/ },
  codex: { idle: /^›/m, busy: /esc to interrupt/, asking: /Would you like to|› 1\. Yes/ },
  opencode: { idle: /Ask anything|ctrl\+p commands/, busy: /esc interrupt/, asking: /Permission required/ },
}

/** Types the prompt of a scenario into the terminal interface and keeps the screens: idle, asking, done. @example await recordScreens(stage) */
export async function recordScreens({ cli, scenario, signal }: Stage): Promise<Files> {
  const terminal = findAgent(cli.agent)?.terminal
  const sign = signs[cli.agent]
  if (!terminal || !sign) return new Map()
  await using model = await startScriptedModel({ scenario: provoking(cli.agent, scenario) })
  await using home = await createHome(cli.agent, { version: cli.version, model })
  const invocation = terminal.invocation({}, cli.version)
  const program = cli.path.endsWith('.js') ? [process.execPath, cli.path] : [cli.path]
  await using pane = await openTerminal([...program, ...invocation.args], {
    cwd: home.cwd,
    env: { ...home.env, ...invocation.env },
  })

  const stable = stabiliserFor(home, model.port)
  const files = new Map<string, string>()
  const keep = (state: string, screen: Screen) =>
    files.set(`screen-${state}.txt`, rendered(screen, stable.text))
  const calm = ({ text }: Screen) => !sign.busy.test(text) && !sign.asking.test(text)
  const end = lastWords(scenario)
  const over = (screen: Screen) => calm(screen) && screen.text.includes(end.split('\n')[0] ?? end)

  keep('idle', await pane.until('idle', (screen) => sign.idle.test(screen.text) && calm(screen), signal))
  await pane.type(scenario.prompt)
  const next = await pane.until(
    'asking or done',
    (screen) => sign.asking.test(screen.text) || over(screen),
    signal,
  )
  if (sign.asking.test(next.text)) {
    keep('asking', next)
    await pane.key('Enter')
  }
  keep('done', await pane.until('done', over, signal))
  return files
}

/** The title in the first line, then the screen. */
function rendered({ title, text }: Screen, stabilise: (text: string) => string): string {
  const stable = stabilise(`title: ${title}\n\n${text}`)
  return chance.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), stable)
}

/** What a terminal interface leaves to the clock and to chance. */
const chance: readonly (readonly [RegExp, string])[] = [
  [/\b\d+(?:\.\d+)?m?s\b/g, '0s'],
  [/\b\d\d:\d\d\b/g, '00:00'],
  // Claude's word for the work done, OpenCode's example of a question, Codex's moving picture.
  [/✻ \S+ for/g, '✻ Worked for'],
  [/Ask anything… ".*"/g, 'Ask anything… "Fix broken tests"'],
  [/^[\s\u2800-\u28ff]*[\u2800-\u28ff]+$/gm, ''],
]
