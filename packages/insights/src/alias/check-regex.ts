import { RemoraError } from '@remora/protocol/plain'

const longest = 200

/**
 * Rejects a regular expression that is invalid or can backtrack without end: it runs on every call of an agent and
 * blocks it. Throws `usage`.
 *
 * @example checkRegex('(a+)+$') // throws: a repetition within a repetition
 */
export function checkRegex(pattern: string): void {
  if (pattern.length > longest) throw wrong(`is longer than ${longest} characters`, 'Make it shorter.')
  let regex: RegExp
  try {
    regex = new RegExp(pattern, 'g')
  } catch (cause) {
    throw wrong(`is not valid: ${(cause as Error).message}`, 'It is written as in JavaScript.', cause)
  }
  if (regex.test(''))
    throw wrong('matches the empty text, which is everywhere', 'Make it match at least one character.')
  if (repeatsRepetition(pattern))
    throw wrong(
      'holds a repetition within a repetition, which can take for ever',
      'Write (a+)+ as a+, or give the repetition an upper bound such as {1,9}.',
    )
}

/** Whether a group with an unbounded repetition contains another one. */
function repeatsRepetition(pattern: string): boolean {
  const groups: { repeats: boolean }[] = [{ repeats: false }]
  // Escapes and classes are single tokens; the other tokens are groups and repetitions.
  for (const [token] of pattern.matchAll(
    /\\.|\[(?:\\.|[^\]\\])*\]|\(|\)(?:[*+]|\{\d+,\})?|[*+]|\{\d+,\}/gs,
  )) {
    if (token === '(') groups.push({ repeats: false })
    else if (token.startsWith(')')) {
      const group = groups.pop()!
      const repeated = token.length > 1
      if (repeated && group.repeats) return true
      if (repeated || group.repeats) groups.at(-1)!.repeats = true
    } else if (/^[*+{]/.test(token)) groups.at(-1)!.repeats = true
  }
  return false
}

function wrong(what: string, hint: string, cause?: unknown): RemoraError {
  return new RemoraError('usage', `The regular expression ${what}`, {
    hint,
    ...(cause === undefined ? {} : { cause }),
  })
}
