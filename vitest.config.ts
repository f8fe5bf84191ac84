import { readdirSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

// Tests read the sources, so that they need no build and coverage points at what people edit.
const source = (name: string) => new URL(`./packages/${name}.ts`, import.meta.url).pathname
const alias = [
  ...['protocol', 'sdk', 'ledger', 'intake', 'insights', 'scripted-model', 'cli'].map((name) => ({
    find: new RegExp(`^@remora/${name}$`),
    replacement: source(`${name}/src/index`),
  })),
  { find: '@remora/protocol/fold', replacement: source('protocol/src/folding') },
  { find: '@remora/protocol/plain', replacement: source('protocol/src/plain') },
  { find: '@remora/sdk/transcripts', replacement: source('sdk/src/transcripts') },
  { find: '@remora/sdk/acp', replacement: source('sdk/src/acp') },
  { find: '@remora/sdk/hooks', replacement: source('sdk/src/hooks') },
  { find: '@remora/sdk/prices', replacement: source('sdk/src/prices') },
]

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Vitest would leave one of two cores idle.
          maxWorkers: 2,
          include: ['packages/*/src/**/*.test.ts', 'testkit/src/**/*.test.ts', 'scripts/**/*.test.mjs'],
          exclude: ['**/*.real.test.ts', '**/node_modules/**'],
          // Some start processes of their own, which takes its time on a busy machine.
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        // The real CLIs: each test has a home of its own; two cores carry two of them at a time.
        extends: true,
        test: {
          name: 'real',
          include: ['packages/*/src/**/*.real.test.ts', 'testkit/src/**/*.real.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { shuffle: true, groupOrder: 1 },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.test-data.ts', '**/fixtures/**'],
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
