import { describe, expect, it } from 'vitest'
import { compareOpinions, contradicts, scoreMatch } from './agreement.ts'
import type { Finding, Opinion } from '@remora/protocol/api'

type Place = readonly [file: string, line: number | undefined, text: string]

/** Pairs of findings in the words of reviewers, labelled by hand as the same problem or not. */
const same: readonly (readonly [Place, Place])[] = [
  [
    ['src/db.ts', 12, 'SQL injection: the name is concatenated into the query'],
    ['src/db.ts', 12, 'User input goes into the SQL query unescaped'],
  ],
  [
    ['src/db.ts', 12, 'The query is built by string concatenation, which allows SQL injection'],
    ['b/src/db.ts', 13, 'Possible injection; use a parameterized query'],
  ],
  [
    ['src/a.ts', 40, 'user may be undefined here and this will crash'],
    ['src/a.ts', 41, 'Missing null check for user'],
  ],
  [
    ['src/a.ts', 40, 'The promise returned by save() is never awaited'],
    ['./src/a.ts', 40, 'save() is async but not awaited, errors are lost'],
  ],
  [
    ['src/loop.ts', 7, 'Off-by-one error: the loop runs one past the end of the array'],
    ['src/loop.ts', 7, 'Loop condition should be < instead of <=, index out of bounds'],
  ],
  [
    ['src/auth.ts', 3, 'API key is hardcoded in the source'],
    ['src/auth.ts', 3, 'Hard-coded credential committed to the repository'],
  ],
  [
    ['src/auth.ts', 3, 'Hardcoded secret'],
    ['src/auth.ts', undefined, 'The file contains a hardcoded API token'],
  ],
  [
    ['src/files.ts', 55, 'The file handle is not closed when reading fails, leaking descriptors'],
    ['src/files.ts', 52, 'Resource leak: handle is never closed on error'],
  ],
  [
    ['src/cache.ts', 20, 'Race condition between check and write of the cache entry'],
    ['src/cache.ts', 22, 'Two concurrent calls can both write the entry, not atomic'],
  ],
  [
    ['src/list.ts', 9, 'Nested loop makes this quadratic for large lists'],
    ['src/list.ts', 9, 'O(n^2) performance: slow for large lists'],
  ],
  [
    ['src/x.ts', 5, 'Typo in the error message: "recieve"'],
    ['src/x.ts', 5, 'Misspelled word in message, should be receive'],
  ],
  [
    ['src/x.ts', 100, 'Unused import of readFile'],
    ['src/x.ts', 1, 'The import readFile is unused'],
  ],
  [
    ['parse.py', 30, 'json.loads is not wrapped in try/except and raises on bad input'],
    ['lib/parse.py', 31, 'Unhandled exception when the JSON input is invalid'],
  ],
  [
    ['src/pay.ts', 18, 'Amount is not validated; negative amounts are accepted'],
    ['src/pay.ts', 17, 'No check that the amount is positive'],
  ],
  [
    ['src/log.ts', 4, 'The password is written to the log'],
    ['src/log.ts', 4, 'Logs credentials in plain text'],
  ],
  [
    ['', undefined, 'There are no tests for the new retry behaviour'],
    ['', undefined, 'Retry behaviour is untested'],
  ],
  [
    ['src/date.ts', 8, 'Months are zero-based, so the date is wrong by one month'],
    ['src/date.ts', 8, 'Wrong month: Date uses zero-based months'],
  ],
  [
    ['src/http.ts', 61, 'The request has no timeout and can hang for ever'],
    ['src/http.ts', 58, 'Add a timeout, otherwise the request may hang'],
  ],
  [
    ['src/merge.ts', 33, 'Object spread mutates nothing but loses nested defaults'],
    ['src/merge.ts', 33, 'Shallow merge: nested defaults are lost'],
  ],
  [
    ['src/path.ts', 14, 'Path traversal: "../" in the name leaves the folder'],
    ['src/path.ts', 15, 'The name is not checked for path traversal'],
  ],
]

const different: readonly (readonly [Place, Place])[] = [
  [
    ['src/db.ts', 12, 'SQL injection through the name'],
    ['src/db.ts', 12, 'Missing await on the transaction commit'],
  ],
  [
    ['src/db.ts', 12, 'SQL injection through the name'],
    ['src/users.ts', 12, 'SQL injection through the name'],
  ],
  [
    ['src/a.ts', 40, 'user may be undefined'],
    ['src/a.ts', 140, 'options may be undefined'],
  ],
  [
    ['src/a.ts', 40, 'The variable name is unclear'],
    ['src/a.ts', 41, 'This leaks the file handle on error'],
  ],
  [
    ['src/a.ts', 10, 'Unused parameter'],
    ['src/a.ts', 12, 'Timeout is too short for slow networks'],
  ],
  [
    ['src/a.ts', 10, 'Hardcoded port number'],
    ['src/a.ts', 14, 'The server does not close idle sockets'],
  ],
  [
    ['src/a.ts', undefined, 'Consider splitting this file'],
    ['src/a.ts', undefined, 'Off-by-one error in pagination'],
  ],
  [
    ['src/a.ts', 5, 'Import order'],
    ['src/a.ts', 5, 'Circular dependency with b.ts'],
  ],
  [
    ['home/ann.ts', 5, 'Null dereference of user'],
    ['home/joann.ts', 5, 'Null dereference of user'],
  ],
  [
    ['', undefined, 'Commit message is too long'],
    ['', undefined, 'The change lacks a migration for old data'],
  ],
  [
    ['src/a.ts', 3, 'Password is logged'],
    ['src/a.ts', 60, 'Token is compared in non-constant time'],
  ],
  [
    ['src/a.ts', 8, 'Regex is vulnerable to catastrophic backtracking'],
    ['src/a.ts', 9, 'Default export should be named'],
  ],
]

describe('agreement of reviewers', () => {
  it('recognises the same problem in other words, by a labelled set', () => {
    const found = same.filter(([left, right]) => scoreMatch(toRemark(left), toRemark(right)) > 0)
    const missed = same
      .filter((pair) => !found.includes(pair))
      .map(([left, right]) => `${left[2]} | ${right[2]}`)
    // The comparison of words finds most pairs, and has no false matches.
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(2)
    expect(different.filter(([left, right]) => scoreMatch(toRemark(left), toRemark(right)) > 0)).toEqual([])
  })

  it('does not depend on the order of the opinions', () => {
    for (const [left, right] of [...same, ...different])
      expect(scoreMatch(toRemark(left), toRemark(right))).toBe(scoreMatch(toRemark(right), toRemark(left)))
  })

  it('marks a finding agreed when two found it, single when one did, and disputed when another checked it', () => {
    const one = createOpinion('changes', [
      createFinding('src/db.ts', 12, 'major', 'SQL injection: the name is concatenated into the query'),
      createFinding('src/a.ts', 3, 'minor', 'Unused import of readFile'),
      createFinding('src/cache.ts', 20, 'major', 'Race condition between check and write of the cache entry'),
    ])
    const two = createOpinion(
      'changes',
      [
        createFinding(
          'b/src/db.ts',
          13,
          'critical',
          'User input goes into the SQL query unescaped',
          'Use a placeholder',
        ),
      ],
      [{ file: 'src/cache.ts', line: 21, text: 'No race here: the cache entry is written under a lock' }],
    )
    const { groups, verdict, agreement } = compareOpinions([
      { reviewer: 0, opinion: one },
      { reviewer: 1, opinion: two },
    ])
    expect(
      groups.map(({ id, file, severity, standing, score }) => [id, file, severity, standing, score]),
    ).toEqual([
      ['g1', 'b/src/db.ts', 'critical', 'agreed', 1],
      ['g2', 'src/cache.ts', 'major', 'disputed', 0],
      ['g3', 'src/a.ts', 'minor', 'single', 0.5],
    ])
    expect(groups[0]).toMatchObject({
      text: 'User input goes into the SQL query unescaped',
      suggestion: 'Use a placeholder',
      line: 12,
    })
    expect(groups[0]!.by.map(({ reviewer }) => reviewer)).toEqual([0, 1])
    expect(groups[1]!.against).toMatchObject([{ reviewer: 1 }])
    expect(verdict).toBe('changes')
    expect(agreement).toBeGreaterThan(0.5)
    expect(agreement).toBeLessThan(1)
  })

  it('reports a disputed verdict when one approves and another wants changes', () => {
    const three = (...verdicts: Opinion['verdict'][]) =>
      compareOpinions(
        verdicts.map((verdict, reviewer) => ({ reviewer, opinion: createOpinion(verdict, []) })),
      )
    expect(three('approve', 'approve', 'approve')).toEqual({ groups: [], verdict: 'approve', agreement: 1 })
    expect(three('approve', 'unsure')).toMatchObject({ verdict: 'approve', agreement: 0.75 })
    expect(three('approve', 'changes')).toMatchObject({ verdict: 'disputed' })
    expect(three('changes')).toEqual({ groups: [], verdict: 'changes' })
    expect(compareOpinions([])).toEqual({ groups: [] })
  })

  it('never joins two findings of one reviewer', () => {
    const text = 'The promise is never awaited'
    const { groups } = compareOpinions([
      {
        reviewer: 0,
        opinion: createOpinion('changes', [
          createFinding('a.ts', 5, 'major', text),
          createFinding('a.ts', 6, 'major', text),
        ]),
      },
      { reviewer: 1, opinion: createOpinion('changes', [createFinding('a.ts', 5, 'major', text)]) },
    ])
    expect(groups.map(({ standing }) => standing).toSorted()).toEqual(['agreed', 'single'])
  })

  it('ignores praise of other code when it looks for contradictions', () => {
    const problem = toRemark(['src/a.ts', 10, 'user may be undefined'])
    expect(contradicts(toRemark(['src/a.ts', 90, 'The types are well chosen']), problem)).toBe(false)
    expect(contradicts(toRemark(['src/a.ts', undefined, 'Good naming']), problem)).toBe(false)
    expect(
      contradicts(toRemark(['src/a.ts', 10, 'user cannot be undefined, it is checked above']), problem),
    ).toBe(true)
  })
})

function toRemark([file, line, text]: Place) {
  return { file, line, text }
}

function createFinding(
  file: string,
  line: number,
  severity: Finding['severity'],
  text: string,
  suggestion?: string,
): Finding {
  return { file, line, severity, text, ...(suggestion ? { suggestion } : {}) }
}

function createOpinion(
  verdict: Opinion['verdict'],
  findings: Finding[],
  fine: Opinion['fine'] = [],
): Opinion {
  return { verdict, summary: '', findings, fine }
}
