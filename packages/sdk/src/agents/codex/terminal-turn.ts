import { unwrapped } from '../../dialects/screen-text.ts'

/** The last turn above the input line. */
export interface ShownTurn {
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
export function readTurn(above: readonly string[], width: number): ShownTurn {
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
