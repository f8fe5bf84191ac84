import type { Screen } from '../../contract/agent.ts'

/** The input line and the rows below it. */
export interface Composer {
  /** Its first row. */
  readonly from: number
  readonly input: string
  readonly shell: boolean
  readonly plan: boolean
  readonly model?: string
}

const placeholder = 'Ask Codex to do anything'

/**
 * The input line at the bottom, with at most two rows of hints below.
 *
 * @example findComposer(screen)?.input // 'half typed'
 */
export function findComposer({ lines }: Screen): Composer | undefined {
  const shell = lines.some((line) => / {2}Shell mode(?: {2}| ·|$)/.test(line))
  const prompt = shell ? /^!(?: |$)/ : /^›(?: |$)/
  const from = lines.findLastIndex((line) => prompt.test(line))
  // Items of a list start with the same character.
  if (from === -1 || /^› \d+\. /.test(lines[from] ?? '')) return undefined
  const end = lines.findLastIndex((line) => line !== '')
  const gap = lines.lastIndexOf('', end)
  // Without hints no empty row separates a second block.
  const below = gap > from ? lines.slice(gap + 1, end + 1) : []
  if (below.length > 3) return undefined
  const rows = lines.slice(from, gap > from ? gap : end + 1)
  const input = rows
    .map((line) => line.slice(2))
    .join('\n')
    .trimEnd()
  const model = below.map(parseModel).find((name) => name !== undefined)
  return {
    from,
    input: input === placeholder ? '' : input,
    shell,
    plan: below.some((line) => / {2}Plan mode(?: \(| ·|$)/.test(line)),
    ...(model === undefined ? {} : { model }),
  }
}

const efforts = 'default|none|minimal|low|medium|high|xhigh|max|ultra'
const status = new RegExp(String.raw`^ {2}(\S.*?) (?:${efforts})(?: fast)? · `)

/** Codex shows its own models by their titles, which are their ids in upper case. */
function parseModel(line: string): string | undefined {
  const name = status.exec(line)?.[1]
  return name?.startsWith('GPT') ? name.toLowerCase().replaceAll(' ', '-') : name
}
