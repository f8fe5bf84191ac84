import type { ErrorText } from './error-text.ts'

/** What programs say in the end whatever happened. */
const noise =
  /^(?:at .+[:)]|Node\.js v[\d.]+|npm (?:ERR!|error) (?:A complete log|\s|code |errno |Lifecycle script|\/)|make(?:\[\d+\])?: \*\*\* .*Error \d+|error Command failed with|info Visit |For more information|Try .*--help|note: |[^\p{L}]*$)/iu
const bad =
  /\b(?:error|fatal|fail(?:ed|ure)?|cannot|can't|could not|unable|not found|no such|denied|refused|invalid|missing|panic|exception|\w+(?:Error|Exception))\b/i

/**
 * The line of an error that says most: of a short one the first, of long output the last that tells of a failure, and
 * of nothing at all the code with which the command ended.
 *
 * @example tellingLine({ text: '', exit: 7 }) // 'exit code 7'
 */
export function tellingLine({ text, exit }: ErrorText): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) return exit === undefined ? '' : `exit code ${exit}`
  if (exit === undefined || lines.length < 3) return lines[0]!
  const telling = lines.filter((line) => !noise.test(line))
  return telling.findLast((line) => bad.test(line)) ?? telling.at(-1) ?? lines.at(-1)!
}
