import { tsImport } from 'tsx/esm/api'

const agents = [
  ['claude', '2.1.326'],
  ['claude', '2.1.197'],
  ['codex', '0.169.0'],
  ['codex', '0.166.0'],
  ['gemini', '0.61.0'],
  ['opencode', '1.18.33'],
  ['qwen', '0.24.4'],
]

/**
 * Answers real dialogs of the CLIs from clients, the keyboard and rules, alone and against each other. Each request must
 * have one ask and one true audit entry.
 */
export async function breakApprovals({ count, seed, agent }) {
  const { runApprovals } = await tsImport(
    '../../packages/server/src/approvals/approval-run.test-data.ts',
    import.meta.url,
  )
  const [wanted, wantedVersion] = agent?.split('@') ?? []
  const chosen = agents.filter(
    ([name, version]) =>
      (wanted === undefined || name === wanted) && (wantedVersion === undefined || version === wantedVersion),
  )
  if (chosen.length === 0)
    return [`Unknown agent ${agent}. Use one of ${agents.map((each) => each.join('@')).join(', ')}`]
  const problems = []
  for (const [index, [name, version]] of chosen.entries()) {
    const share = Math.floor(count / chosen.length) + (index < count % chosen.length ? 1 : 0)
    if (share === 0) continue
    const began = Date.now()
    const result = await runApprovals({
      agent: name,
      version,
      count: share,
      seed: seed + index,
      report: process.env.REMORA_VERBOSE ? (line) => console.log(`  ${line}`) : undefined,
    })
    const seconds = Math.round((Date.now() - began) / 1000)
    console.log(
      `${name} ${version}: ${result.requests} requests in ${seconds} s, ${JSON.stringify(result.outcomes)}`,
    )
    for (const problem of result.problems)
      problems.push(`${name} ${version}, seed ${seed + index}, ${problem}`)
  }
  return problems
}
