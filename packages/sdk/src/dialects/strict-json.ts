import { readFile } from 'node:fs/promises'
import type { Problem } from '../contract/agent.ts'

/** What a CLI ignores as a whole, without a word, for a comment, a comma too many or, unless it takes one, a byte order mark. */
export async function checkStrictJson(
  title: string,
  file: string,
  { byteOrderMark = true } = {},
): Promise<Problem[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  try {
    if (text !== undefined) JSON.parse(byteOrderMark ? text.replace(/^\uFEFF/, '') : text)
    return []
  } catch {
    return [
      {
        code: 'bad_settings',
        message: `${title} ignores ${file}: it is not strictly JSON`,
        hint: `Take comments and trailing commas out of it; ${title} allows none there.`,
      },
    ]
  }
}
