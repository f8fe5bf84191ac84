import { constants } from 'node:os'
import { RemoraError } from '@remora/protocol/plain'
import type { Screen } from '../../contract/agent.ts'
import type { Batch, ControlClient } from './control-client.ts'

/** A pane as tmux has it at one moment. */
export interface Captured {
  readonly columns: number
  readonly rows: number
  readonly title: string
  /** What draws it on an empty terminal. */
  readonly bytes: string
  readonly screen: Screen
  /** The row above the screen. tmux scrolls a dead pane by one row to say that it is dead. */
  readonly rowAbove?: string
  readonly about: PaneFacts
}

/** What tmux knows of a pane besides its screen. */
export interface PaneFacts {
  readonly pid: number
  readonly window: string
  readonly session: string
  readonly dead: boolean
  readonly code: number | undefined
  readonly signal: string | undefined
  /** The mark of the run, for panes that we started. */
  readonly run: string | undefined
}

// Fields that cannot hold a space come first; the title may hold anything but a line end.
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
 * Looks at the pane itself. All of it is one moment, and stands in tmux's stream exactly where that moment was.
 * `before` runs just ahead of it, and `seen`
 * is called at that place of the stream. Undefined where there is no such pane.
 *
 * @example const captured = await capture(client, '%1')
 */
export async function capture(
  client: ControlClient,
  pane: string,
  options: { readonly before?: readonly string[]; readonly seen?: (captured: Captured) => void } = {},
): Promise<Captured | undefined> {
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
  let captured: Captured | undefined
  try {
    await client.batch({
      ...batch,
      seen: (answers) => {
        captured = read(answers.slice(skip), pane)
        if (captured) seen?.(captured)
      },
    })
  } catch (error) {
    // A pane that has gone is an answer too.
    if (!RemoraError.is(error) || error.code !== 'not_found') throw error
  }
  return captured
}

function read([facts, title, plain, drawn, torn]: string[][], pane: string): Captured | undefined {
  const values = (facts?.[0] ?? '').split(' ')
  const value = (name: (typeof fields)[number]): string => values[fields.indexOf(name)] ?? ''
  if (value('pane_id') !== pane) return undefined
  const columns = Number(value('pane_width'))
  const rows = Number(value('pane_height'))
  const cursor = { x: Number(value('cursor_x')), y: Number(value('cursor_y')) }
  // tmux gives a new pane the name of the machine; the program has said nothing then.
  const shown = title?.[0] === value('host') ? '' : (title?.[0] ?? '')
  const above = Number(value('history_size')) > 0 ? 1 : 0
  const lines = Array.from({ length: rows }, (_, row) => (plain?.[row + above] ?? '').trimEnd())
  return {
    columns,
    rows,
    title: shown,
    screen: { title: shown, lines, columns, cursor },
    ...(above === 0 ? {} : { rowAbove: plain?.[0]?.trimEnd() ?? '' }),
    bytes: drawing(drawn ?? [], torn ?? [], cursor, value),
    about: {
      pid: Number(value('pane_pid')),
      window: value('window_id'),
      session: value('session_id'),
      dead: value('pane_dead') === '1',
      code: value('pane_dead_status') === '' ? undefined : Number(value('pane_dead_status')),
      signal: signalName(value('pane_dead_signal')),
      run: value('@remora-run') || undefined,
    },
  }
}

function signalName(number: string): string | undefined {
  if (number === '') return undefined
  return Object.entries(constants.signals).find(([, value]) => String(value) === number)?.[0] ?? number
}

/** Rows first, then the settings under which the program will go on drawing. */
function drawing(
  rows: readonly string[],
  torn: readonly string[],
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
    // The beginning of a sequence whose end is still to come.
    torn
      .join('')
      .replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8))),
  ].join('')
}
