import { constants } from 'node:os'
import { RemoraError } from '@remora/protocol/plain'
import type { Screen } from '../../contract/agent.ts'
import type { Batch, ControlClient } from './control-client.ts'

/** A snapshot of a pane. */
export interface Captured {
  readonly columns: number
  readonly rows: number
  readonly title: string
  /** The output that draws it on an empty terminal. */
  readonly bytes: string
  readonly screen: Screen
  /** The row above the screen. tmux scrolls a dead pane by one row for its message. */
  readonly rowAbove?: string
  readonly about: PaneFacts
}

/** A snapshot by tmux, with the ids that only its driver needs. */
export interface TmuxCaptured extends Captured {
  readonly tmux: { readonly window: string; readonly session: string; readonly run: string | undefined }
}

/** Properties of a pane besides its screen. */
export interface PaneFacts {
  readonly pid: number
  readonly dead: boolean
  readonly code: number | undefined
  readonly signal: string | undefined
  /** The id of the run, for panes that Remora started. */
  readonly run: string | undefined
}

// No field contains a space. The title, which may, has a command of its own.
const fields = [
  'pane_id',
  'pane_width',
  'pane_height',
  'history_size',
  'cursor_x',
  'cursor_y',
  'alternate_on',
  'scroll_region_upper',
  'scroll_region_lower',
  'origin_flag',
  'wrap_flag',
  'insert_flag',
  'cursor_flag',
  'pane_pid',
  'window_id',
  'session_id',
  'pane_dead',
  'pane_dead_status',
  'pane_dead_signal',
  '@remora-run',
  'host',
] as const

/**
 * Takes a consistent snapshot of a pane, in order with the output that tmux streams. `before` runs just before it, and
 * `seen` is called at that position of the stream. Undefined if the pane does not exist.
 *
 * @example const captured = await capture(client, '%1')
 */
export async function capture(
  client: ControlClient,
  pane: string,
  options: { readonly before?: readonly string[]; readonly seen?: (captured: TmuxCaptured) => void } = {},
): Promise<TmuxCaptured | undefined> {
  const { before, seen } = options
  const skip = before ? 1 : 0
  const batch: Batch = {
    commands: [
      ...(before ? [before] : []),
      ['display-message', '-p', '-t', pane, fields.map((name) => `#{${name}}`).join(' ')],
      ['display-message', '-p', '-t', pane, '#{pane_title}'],
      ['capture-pane', '-p', '-N', '-S', '-1', '-t', pane],
      ['capture-pane', '-p', '-e', '-N', '-t', pane],
      ['capture-pane', '-p', '-P', '-C', '-t', pane],
    ],
    lines: (answers) => {
      const index = answers.length - skip
      if (index === 1) return 1
      const [, , rows, history] = (answers[skip]?.[0] ?? '').split(' ')
      if (index === 2) return (Number(rows) || 0) + (Number(history) > 0 ? 1 : 0)
      return index === 3 ? Number(rows) || 0 : undefined
    },
  }
  let captured: TmuxCaptured | undefined
  try {
    await client.batch({
      ...batch,
      seen: (answers) => {
        captured = read(answers.slice(skip), pane)
        if (captured) seen?.(captured)
      },
    })
  } catch (error) {
    // A missing pane is a valid result.
    if (!RemoraError.is(error) || error.code !== 'not_found') throw error
  }
  return captured
}

function read([facts, title, plain, drawn, incomplete]: string[][], pane: string): TmuxCaptured | undefined {
  const values = (facts?.[0] ?? '').split(' ')
  const value = (name: (typeof fields)[number]): string => values[fields.indexOf(name)] ?? ''
  if (value('pane_id') !== pane) return undefined
  const columns = Number(value('pane_width'))
  const rows = Number(value('pane_height'))
  const cursor = { x: Number(value('cursor_x')), y: Number(value('cursor_y')) }
  // tmux sets the host name as title until the program sets one.
  const shown = title?.[0] === value('host') ? '' : (title?.[0] ?? '')
  const run = value('@remora-run') || undefined
  const above = Number(value('history_size')) > 0 ? 1 : 0
  const lines = Array.from({ length: rows }, (_, row) => (plain?.[row + above] ?? '').trimEnd())
  return {
    columns,
    rows,
    title: shown,
    screen: { title: shown, lines, columns, cursor },
    ...(above === 0 ? {} : { rowAbove: plain?.[0]?.trimEnd() ?? '' }),
    bytes: toDrawing(drawn ?? [], incomplete ?? [], cursor, value),
    about: {
      pid: Number(value('pane_pid')),
      dead: value('pane_dead') === '1',
      code: value('pane_dead_status') === '' ? undefined : Number(value('pane_dead_status')),
      signal: getSignalName(value('pane_dead_signal')),
      run,
    },
    tmux: { window: value('window_id'), session: value('session_id'), run },
  }
}

function getSignalName(number: string): string | undefined {
  if (number === '') return undefined
  return Object.entries(constants.signals).find(([, value]) => String(value) === number)?.[0] ?? number
}

/** The rows, then the terminal modes that the program's next output relies on. */
function toDrawing(
  rows: readonly string[],
  incomplete: readonly string[],
  cursor: { readonly x: number; readonly y: number },
  value: (name: (typeof fields)[number]) => string,
): string {
  const upper = Number(value('scroll_region_upper'))
  const lower = Number(value('scroll_region_lower'))
  const origin = value('origin_flag') === '1'
  return [
    value('alternate_on') === '1' ? '\u001B[?1049h' : '',
    ...rows.map((row, index) => `\u001B[${index + 1};1H${row}\u001B[m`),
    `\u001B[${upper + 1};${lower + 1}r`,
    value('wrap_flag') === '0' ? '\u001B[?7l' : '',
    value('insert_flag') === '1' ? '\u001B[4h' : '',
    value('cursor_flag') === '0' ? '\u001B[?25l' : '',
    origin ? '\u001B[?6h' : '',
    `\u001B[${cursor.y + 1 - (origin ? upper : 0)};${cursor.x + 1}H`,
    // The start of an incomplete escape sequence.
    incomplete
      .join('')
      .replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8))),
  ].join('')
}
