// `npm run matrix [-- --agent x] [--version v] [--suite y]`: runs the real tests of every pinned version of the agents, and
// writes the results to the table in docs/agents.md.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './lib/build.mjs'
import { listPins, readTable, renderTable } from './lib/matrix.mjs'
import { checkNodeVersion } from './lib/node-version.mjs'
import { cache, readJson, root } from './lib/paths.mjs'
import { prepareTests } from './lib/prepare.mjs'
import { duration } from './lib/progress.mjs'
import { loopbackOnly, runTests } from './lib/vitest.mjs'

const usage = `Usage: npm run matrix -- [--agent name] [--version v] [--suite name]

  --agent name     Only this agent
  --version v      Only this pinned version
  --suite name     Only this suite: agent, headless, acp, hooks, transcripts, live, live-pty, joined
                   or other`

/** Tests of all agents, which take the version from the same variable as the suites. */
const shared = ['packages/sdk/src/agents/flags.real.test.ts', 'testkit/src/plan/plan.real.test.ts']
/** Tests of single agents that use a server, of agents with a terminal, or those that compare ACP wrappers. */
const own = {
  terminal: ['packages/server/src/approvals/approval-run.real.test.ts'],
  claude: ['packages/server/src/live/claude-modes.real.test.ts'],
  wrappers: ['packages/sdk/src/channels/acp/session-mode.real.test.ts'],
}

checkNodeVersion()
const options = readOptions()
await prepareTests()
const { agents } = await build().then(() => import('@remora/sdk'))
const { dependencies } = readJson(join(root, 'testkit', 'clis', 'package.json'))
const pins = listPins(agents(), dependencies).filter(
  ({ agent, version }) => (options.agent ?? agent) === agent && (options.version ?? version) === version,
)
if (pins.length === 0) {
  console.error(`No such version is pinned in testkit/clis/package.json.\n\n${usage}`)
  process.exit(2)
}

const page = join(root, 'docs', 'agents.md')
const today = new Date().toISOString().slice(0, 10)
let failures = 0
for (const { agent, version } of pins)
  for (const [suite, files] of Object.entries(listFiles(agent))) {
    if ((options.suite ?? suite) !== suite || files.length === 0) continue
    const started = performance.now()
    const log = join(cache, 'logs', `matrix-${agent}-${version}-${suite}.log`)
    const env = {
      REMORA_MATRIX: `${agent}@${version}`,
      REMORA_TERMINAL: suite === 'live-pty' ? 'pty' : 'tmux',
    }
    const { passed, failed } = await runTests(['real'], { args: files, env, guard: loopbackOnly, log })
    failures += failed
    const result = failed === 0 ? `${passed} passed` : `${failed} of ${passed + failed} failed`
    console.log(`${agent} ${version} ${suite}: ${result} (${duration(performance.now() - started)})`)
    const text = readFileSync(page, 'utf8')
    const results = readTable(text)
    results.set(`${agent} ${version} ${suite}`, `${result}, ${today}`)
    writeFileSync(page, renderTable(text, listPins(agents(), dependencies), results))
  }
process.exitCode = failures === 0 ? 0 : 1

/** The test files of each suite of an agent. */
function listFiles(agent) {
  const folder = join(root, 'packages', 'sdk', 'src', 'agents', agent)
  const names = readdirSync(folder).filter((name) => name.endsWith('.real.test.ts'))
  const suites = {
    agent: [`${agent}.real.test.ts`],
    ...Object.fromEntries(
      ['headless', 'acp', 'hooks', 'transcripts', 'live', 'joined'].map((suite) => [
        suite,
        names.filter((name) => name === `${agent}.${suite}.real.test.ts`),
      ]),
    ),
  }
  // The same tests in a PTY host.
  suites['live-pty'] = suites.live
  const known = new Set(Object.values(suites).flat())
  const found = Object.entries({ ...suites, other: names.filter((name) => !known.has(name)) })
  const paths = Object.fromEntries(
    found.map(([suite, list]) => [suite, list.map((name) => relative(root, join(folder, name)))]),
  )
  const { acp, terminal } = agents().find(({ id }) => id === agent)
  const more = [...(terminal ? own.terminal : []), ...(acp?.wrappers ? own.wrappers : [])]
  paths.other.push(...shared, ...(own[agent] ?? []), ...more)
  return paths
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        agent: { type: 'string' },
        version: { type: 'string' },
        suite: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    return values
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`)
    return process.exit(2)
  }
}
