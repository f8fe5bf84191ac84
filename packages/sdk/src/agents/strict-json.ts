import { readFile } from 'node:fs/promises'
import type { Problem } from '../agent.ts'

/** What a CLI ignores as a whole, without a word, for a comment or a comma too many. */
export async function strictnessProblems(title: string, file: string): Promise<Problem[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  try {
    if (text !== undefined) JSON.parse(text.replace(/^\uFEFF/, ''))
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
