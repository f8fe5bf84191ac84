import { duration } from './progress.mjs'

/** Minutes that each part of `npm test` may take on two cores. */
const minutes = {
  'static and unit': 5,
  headless: 4,
  transcripts: 2,
  hooks: 1,
  acp: 3,
  live: 5,
  web: 4,
  postgres: 1,
}

/** Prints the time and budget of each part. A part over its budget gets a warning, not a failure. */
export function printBudget(spent) {
  console.log('\n── time ──')
  for (const [part, allowed] of Object.entries(minutes)) {
    const taken = spent[part] ?? 0
    if (taken === 0) continue
    const warning = taken > allowed * 60_000 ? '   WARNING: over budget' : ''
    console.log(`  ${part.padEnd(16)} ${duration(taken).padStart(12)} of ${allowed} min${warning}`)
  }
}

/** The time of real-CLI test files by part. Files that run side by side share the time. */
export function timeByPart(files) {
  const spent = {}
  const moments = files.flatMap(({ started, ended }) => [started, ended]).toSorted((a, b) => a - b)
  for (const [index, until] of moments.slice(1).entries()) {
    const since = moments[index]
    const running = files.filter(({ started, ended }) => started <= since && ended >= until)
    for (const file of running)
      spent[getPart(file)] = (spent[getPart(file)] ?? 0) + (until - since) / running.length
  }
  return spent
}

/** A test file belongs to the channel in its path; all others are "live". */
export function getPart({ name }) {
  const path = name.replaceAll('\\', '/')
  if (path.includes('/apps/web/')) return 'web'
  if (path.includes('/ledger-postgres/src/')) return 'postgres'
  if (headlessTests.test(path)) return 'headless'
  return /\b(transcripts|hooks|acp)\b[^/]*(?:\/[^/]*)?$/.exec(path)?.[1] ?? 'live'
}

/** Safe resume, MCP servers and `remora run` belong to headless. */
const headlessTests =
  /\bheadless\b[^/]*(?:\/[^/]*)?$|\/agents\/[^/]+\/(?:safe-resume|mcp)\.|\/cli\/src\/run\/(?:run|examples)\./
