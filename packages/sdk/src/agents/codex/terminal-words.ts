import { unwrapped } from '../../dialects/screen-text.ts'

/** What the last turn shows above the input line. */
export interface TurnWords {
  /** What stands beside the time: what it thinks about, while it has said nothing yet. */
  readonly status?: string
  /** The words of the answer. */
  readonly text?: string
}

const statusRow = /^[•◦] (.+?) \((?:\d+[hms] ?)+• esc to interrupt\)/

/** What begins with these is no answer but a report of what was done. */
const report =
  /^(?:Ran|Running|Added|Edited|Deleted|Moved|Renamed|Exited \(|Explored|Exploring|Called|Calling|Search(?:ed|ing)|Viewed|Updated Plan|Proposed Plan|Questions \d|Model changed to|Permission selection|Queued follow-up|Messages to be|Waited|Interacted|Generated|Spawned|Context compacted)/

/**
 * The answer of the last turn, as far as it is on the screen: its words, without marks, reports and hints.
 *
 * @example wordsAbove(['› Hi', '', '• Hello'], 120) // { text: 'Hello' }
 */
export function wordsAbove(said: readonly string[], width: number): TurnWords {
  const turn = said.slice(said.findLastIndex((line) => line.startsWith('› ')) + 1)
  const blocks = blocksIn(turn)
  const status = turn.map((line) => statusRow.exec(line)?.[1]).find((found) => found !== undefined)
  const texts = blocks.filter(([first = '']) => !report.test(first) && !statusRow.test(`• ${first}`))
  const text = texts
    .map((lines) => unwrapped(lines, width - 2))
    .filter((words) => words !== '')
    .join('\n\n')
  return { ...(status === undefined ? {} : { status }), ...(text === '' ? {} : { text }) }
}

/** Everything from one bullet to the next, without the bullet. */
function blocksIn(turn: readonly string[]): string[][] {
  const blocks: string[][] = []
  let open: string[] | undefined
  for (const line of turn) {
    if (/^[•◦] /.test(line)) blocks.push((open = [line.slice(2)]))
    else if (/^(?:\S|  (?:└ Tip:|Worked for))/.test(line)) open = undefined
    else open?.push(line.slice(2))
  }
  return blocks
}
