import { readdirSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Tests read the sources, so they need no build and coverage refers to the sources.
const source = (name: string) => new URL(`./packages/${name}.ts`, import.meta.url).pathname
const alias = [
  ...[
    'protocol',
    'sqlite',
    'sdk',
    'ledger',
    'ledger-postgres',
    'intake',
    'insights',
    'server',
    'scripted-model',
  ].map((name) => ({
    find: new RegExp(`^@remora/${name}$`),
    replacement: source(`${name}/src/index`),
  })),
  { find: '@remora/ledger/internal', replacement: source('ledger/src/internal') },
  { find: '@remora/protocol/api', replacement: source('protocol/src/api/index') },
  { find: '@remora/protocol/client', replacement: source('protocol/src/client') },
  { find: '@remora/protocol/fold', replacement: source('protocol/src/fold/index') },
  { find: '@remora/protocol/plain', replacement: source('protocol/src/plain') },
  { find: '@remora/sdk/transcripts', replacement: source('sdk/src/transcripts') },
  { find: '@remora/sdk/agent', replacement: source('sdk/src/agent') },
  { find: '@remora/sdk/acp', replacement: source('sdk/src/acp') },
  { find: '@remora/sdk/plugins', replacement: source('sdk/src/plugins') },
  { find: '@remora/sdk/terminal', replacement: source('sdk/src/terminal') },
  { find: '@remora/server/client', replacement: source('server/src/client') },
  { find: '@remora/server/host', replacement: source('server/src/host') },
  { find: '@remora/sdk/hooks', replacement: source('sdk/src/hooks') },
  { find: '@remora/sdk/prices', replacement: source('sdk/src/prices') },
  { find: '@remora/sdk/profiles', replacement: source('sdk/src/profiles') },
]

/**
 * Starts the slowest files of a project first, so that the workers end together. Vitest alone sorts by file size. One
 * project after the other, because a worker that changes the project is replaced and loads all sources again.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const found = longest.findIndex((pattern) => pattern.test(moduleId))
      return (project.name === 'web' ? longest.length + 1 : 0) + (found === -1 ? longest.length : found)
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

const longest = [
  /\/(?:fleet|terminal-pty|terminal|races|edges)\.test\./,
  /\/acp\/(?:session|timeouts|stops|conformance)\.test\.|\/headless\/run\.test\./,
  /\/(?:stall|manager|terminal-asks|ending|plugins|end)\.test\./,
  /\/opencode\.(?:headless|joined|live|transcripts)\.real\./,
  /\/(?:session-loss|run|safe-resume|chat|machines)\.real\./,
  /\.(?:headless|acp|joined|live)\.real\./,
  /\/(?:fleet-postgres|compose|agents|mcp|host|scroll|probe|plan|added)\.real\.|\.transcripts\.real\./,
]

/** Folders whose tests run elsewhere: `npm test` collects the coverage of some in a run of their own. */
const elsewhere = (process.env['REMORA_TESTED_ELSEWHERE'] ?? '')
  .split(',')
  .filter(Boolean)
  .map((folder) => `${folder}**`)

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Four times the cores that CI has: most of the time a test waits for a process, or for a time to pass.
          maxWorkers: 8,
          // A worker loads the sources once and not again for each file, which took as long as the tests themselves. So a
          // test puts back what it changes of the process, and leaves nothing running.
          isolate: false,
          include: [
            '{packages,apps}/*/src/**/*.test.ts',
            'testkit/src/**/*.test.ts',
            'scripts/**/*.test.mjs',
          ],
          exclude: ['**/*.real.test.ts', '**/node_modules/**', ...elsewhere],
          // Some tests start processes, which is slow on a busy machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A long timeout costs nothing when the value exists already.
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        // The real CLIs: each test has a home of its own. Four at a time keep two cores busy, since each waits often.
        extends: true,
        test: {
          name: 'real',
          include: ['packages/*/src/**/*.real.test.ts', 'testkit/src/**/*.real.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: 4,
          // As above: to load the sources for each file took more than two minutes of a core.
          isolate: false,
          expect: { poll: { timeout: 60_000 } },
          sequence: { shuffle: true, groupOrder: 1 },
        },
      },
      {
        // The phone app in a real browser, on the built packages: to load all of their sources would take most of the time.
        test: {
          name: 'web',
          include: ['apps/web/test/*.real.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          maxWorkers: 4,
          // Beside the real CLIs, so that no worker is idle at the end of a project.
          sequence: { shuffle: true, groupOrder: 1 },
          // A worker loads the packages and starts a browser once, not for each file.
          isolate: false,
          expect: { poll: { timeout: 60_000 } },
          server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
        },
      },
    ],
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      // What has a threshold below: to trace all the rest back to its sources takes a good part of the time of the tests.
      include: ['packages/protocol/src/**/*.ts', 'packages/sdk/src/agents/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.test-data.ts', '**/testkit.ts', '**/fixtures/**'],
      reporter: ['text', 'text-summary'],
      // A red run shows its coverage too.
      reportOnFailure: true,
      thresholds: {
        'packages/protocol/src/**': { lines: 90 },
        // Each agent by itself: a well-tested one must not make up for another.
        ...Object.fromEntries(
          readdirSync(new URL('./packages/sdk/src/agents', import.meta.url), { withFileTypes: true })
            .filter((entry) => entry.isDirectory())
            .map(({ name }) => [`packages/sdk/src/agents/${name}/**`, { lines: 90 }]),
        ),
      },
    },
  },
})
