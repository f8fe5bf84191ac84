import type { Mode, Screen, ScreenState } from '../../contract/agent.ts'
import { unwrapped } from '../../dialects/screen-text.ts'
import { askOn } from './terminal-dialogs.ts'
import { type Composer, composerOn } from './terminal-composer.ts'
import { wordsAbove } from './terminal-words.ts'

/**
 * What the screen of Codex says. The title comes first: while an answer streams, its turning sign is the only one.
 *
 * @example readScreen(screen).state // 'working'
 */
export function readScreen(screen: Screen): ScreenState {
  const ask = askOn(screen)
  if (ask) return { state: 'asking', ask }
  const composer = composerOn(screen)
  const said = screen.lines.slice(0, composer?.from)
  const { status, text } = wordsAbove(said, screen.columns)
  const shown = { ...facts(composer, said), ...(text === undefined ? {} : { text }) }
  if (/^[⠁-⣿] /.test(screen.title) || status !== undefined) {
    const subject = status === undefined || /^(?:Working|Thinking)$/.test(status) ? {} : { subject: status }
    return { state: 'working', ...shown, ...subject }
  }
  if (!composer) return { state: said.some((line) => line !== '') ? 'working' : 'starting' }
  if (loads(said)) return { state: 'starting', ...shown }
  const error = errorAtEnd(said, screen.columns)
  return error === undefined ? { state: 'idle', ...shown } : { state: 'error', ...shown, error }
}

/** The input line is there before it takes anything. */
function loads(said: readonly string[]): boolean {
  const title = said.findIndex((line) => /^ {2}>_ OpenAI Codex/.test(line))
  return title !== -1 && /^\s+loading$/.test(said[title + 1] ?? '')
}

function facts(
  composer: Composer | undefined,
  said: readonly string[],
): Pick<ScreenState, 'input' | 'shell' | 'mode' | 'model'> {
  if (!composer) return {}
  const mode = lastModeIn(said)
  return {
    input: composer.input,
    ...(composer.shell ? { shell: true as const } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...(composer.model === undefined ? {} : { model: composer.model }),
  }
}

/**
 * The input line shows no permissions, but each change of them is reported above it, and so is a start without limits. The
 * Plan mode of Codex says nothing about them.
 */
function lastModeIn(said: readonly string[]): Mode | undefined {
  for (const line of said.toReversed()) {
    const [, chosen] = /^• Permission selection requested: (.+)$/.exec(line) ?? []
    if (chosen !== undefined) return permissions[chosen]
    if (/^ {2}permissions: YOLO mode$/.test(line)) return 'bypassPermissions'
  }
  return undefined
}

const permissions: Readonly<Record<string, Mode>> = {
  'Ask for approval': 'default',
  'Approve for me': 'auto',
  'Full Access': 'bypassPermissions',
  'Read Only': 'plan',
}

/** The last thing that was said, if it says that something failed. */
function errorAtEnd(said: readonly string[], width: number): string | undefined {
  const from = said.findLastIndex((line) => /^[^\s⚠╭╰│]/.test(line))
  if (from === -1 || !said[from]!.startsWith('■ ')) return undefined
  const lines = said.slice(from).filter((line) => line !== '')
  const error = unwrapped(
    lines.map((line) => line.slice(2)),
    width - 2,
  )
  return error.startsWith('Conversation interrupted') ? undefined : error
}
