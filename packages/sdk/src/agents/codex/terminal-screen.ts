import { findMode, getModeName } from '@remora/protocol/plain'
import type { Mode, Screen, ScreenState } from '../../contract/agent.ts'
import { unwrapped } from '../../dialects/screen-text.ts'
import { findEntry, modes } from './modes.ts'
import { readAsk } from './terminal-dialogs.ts'
import { type Composer, findComposer } from './terminal-composer.ts'

/**
 * Reads the state of the screen. While an answer streams, only the spinner in the title shows that Codex is working.
 *
 * @example readScreen(screen).state // 'working'
 */
export function readScreen(screen: Screen): ScreenState {
  const ask = readAsk(screen)
  if (ask) return { state: 'asking', ask }
  const composer = findComposer(screen)
  const above = screen.lines.slice(0, composer?.from)
  const { status, text } = readTurn(above, screen.columns)
  const shown = { ...toFacts(composer, above), ...(text === undefined ? {} : { text }) }
  if (/^[⠁-⣿] /.test(screen.title) || status !== undefined) {
    const subject = status === undefined || /^(?:Working|Thinking)$/.test(status) ? {} : { subject: status }
    return { state: 'working', ...shown, ...subject }
  }
  if (!composer) return { state: above.some((line) => line !== '') ? 'working' : 'starting' }
  if (isLoading(above)) return { state: 'starting', ...shown }
  const error = readError(above, screen.columns)
  return error === undefined ? { state: 'idle', ...shown } : { state: 'error', ...shown, error }
}

/** Codex shows its input line before it accepts input. */
function isLoading(above: readonly string[]): boolean {
  const title = above.findIndex((line) => /^ {2}>_ OpenAI Codex/.test(line))
  return title !== -1 && /^\s+loading$/.test(above[title + 1] ?? '')
}

function toFacts(
  composer: Composer | undefined,
  above: readonly string[],
): Pick<ScreenState, 'input' | 'shell' | 'mode' | 'model'> {
  if (!composer) return {}
  const mode = findLastMode(above)
  return {
    input: composer.input,
    ...(composer.shell ? { shell: true as const } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...(composer.model === undefined ? {} : { model: composer.model }),
  }
}

/**
 * Permissions are not in the input line, but Codex reports each change and a start with full access above it. Codex's Plan
 * mode does not change permissions.
 */
function findLastMode(above: readonly string[]): Mode | undefined {
  for (const line of above.toReversed()) {
    const [, chosen] = /^• Permission selection requested: (.+)$/.exec(line) ?? []
    const mode = /^ {2}permissions: YOLO mode$/.test(line)
      ? findMode(modes, 'bypass')
      : findEntry(chosen ?? '')
    if (chosen !== undefined || mode) return mode && getModeName(modes, mode)
  }
  return undefined
}

/** The last message of the conversation, if it is an error. */
function readError(above: readonly string[], width: number): string | undefined {
  const from = above.findLastIndex((line) => /^[^\s⚠╭╰│]/.test(line))
  if (from === -1 || !above[from]!.startsWith('■ ')) return undefined
  const lines = above.slice(from).filter((line) => line !== '')
  const error = unwrapped(
    lines.map((line) => line.slice(2)),
    width - 2,
  )
  return error.startsWith('Conversation interrupted') ? undefined : error
}

/** The last turn above the input line. */
interface ShownTurn {
  /** The text beside the elapsed time: the subject that Codex thinks about before it answers. */
  readonly status?: string
  /** The answer. */
  readonly text?: string
}

const statusRow = /^[•◦] (.+?) \((?:\d+[hms] ?)+• esc to interrupt\)/

/** A block that starts like this reports an action and is no answer. */
const report =
  /^(?:Ran|Running|Added|Edited|Deleted|Moved|Renamed|Exited \(|Explored|Exploring|Called|Calling|Search(?:ed|ing)|Viewed|Updated Plan|Proposed Plan|Questions \d|Model changed to|Permission selection|Queued follow-up|Messages to be|Waited|Interacted|Generated|Spawned|Context compacted)/

/**
 * Reads the visible part of the last turn, without bullets, reports and hints.
 *
 * @example readTurn(['› Hi', '', '• Hello'], 120) // { text: 'Hello' }
 */
function readTurn(above: readonly string[], width: number): ShownTurn {
  const turn = above.slice(above.findLastIndex((line) => line.startsWith('› ')) + 1)
  const blocks = splitBlocks(turn)
  const status = turn.map((line) => statusRow.exec(line)?.[1]).find((found) => found !== undefined)
  const texts = blocks.filter(([first = '']) => !report.test(first) && !statusRow.test(`• ${first}`))
  const text = texts
    .map((lines) => unwrapped(lines, width - 2))
    .filter((each) => each !== '')
    .join('\n\n')
  return { ...(status === undefined ? {} : { status }), ...(text === '' ? {} : { text }) }
}

/** Splits a turn at its bullets, and removes them. */
function splitBlocks(turn: readonly string[]): string[][] {
  const blocks: string[][] = []
  let open: string[] | undefined
  for (const line of turn) {
    if (/^[•◦] /.test(line)) blocks.push((open = [line.slice(2)]))
    else if (/^(?:\S|  (?:└ Tip:|Worked for))/.test(line)) open = undefined
    else open?.push(line.slice(2))
  }
  return blocks
}
