import { readFileSync } from 'node:fs'
import type { RecordedFailure } from './failures.ts'

/**
 * Failures that no run of ours can provoke, in the words that stand in the programs of the CLIs; `from` names the
 * program. The names of files and the numbers in them are ours.
 */
export const generatedFailures: readonly RecordedFailure[] = readFileSync(
  new URL('failures-generated.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedFailure)
