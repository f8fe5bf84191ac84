import { type Rule, shellTools } from './rule.ts'
import {
  buildRules,
  commandRules,
  demandedVariable,
  environmentRules,
  patchRules,
  suiteRule,
  testRules,
} from './shell-rules.ts'
import {
  argumentRules,
  networkRules,
  otherRules,
  pathRules,
  permissionRules,
  silentRules,
  timeoutRules,
} from './system-rules.ts'
import { toolRules, unknownToolRules } from './tool-rules.ts'

/** The status of a call is more reliable than its text. */
const statusRules: readonly Rule[] = [
  { id: 'denied', class: 'permission-denied', status: ['denied'] },
  { id: 'timed-out', class: 'timeout', status: ['timeout'] },
  { id: 'cancelled', class: 'other', status: ['cancelled'] },
]

/** The remaining failures, classified by the command line. */
const lastRules: readonly Rule[] = [
  demandedVariable,
  {
    id: 'test-command',
    class: 'test-failure',
    tools: shellTools,
    command:
      /(?:^|[;&|(]\s*|\b(?:npx|bunx|uv run|poetry run|pnpm exec|yarn)\s+)(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?test\b|pytest\b|jest\b|vitest\b|mocha\b|(?:go|cargo|deno|dotnet|mix|swift|zig build)\s+test\b|python[\d.]*\s+-m\s+(?:pytest|unittest)\b|node\s+(?:\S+\s+)*--test\b|rspec\b|phpunit\b|ctest\b|(?:mvn|gradle|\.\/gradlew|\.\/mvnw|make)\s+(?:\S+\s+)*(?:test|check)\b)/,
  },
  { id: 'assertion', class: 'test-failure', tools: shellTools, pattern: /\bAssertion(?:Error| failed)/ },
]

/** All rules, in the order in which they are tried. */
export const rules: readonly Rule[] = [
  ...statusRules,
  ...unknownToolRules,
  ...toolRules,
  ...commandRules,
  ...patchRules,
  suiteRule,
  ...testRules,
  ...buildRules,
  ...timeoutRules,
  ...environmentRules,
  ...permissionRules,
  ...networkRules,
  ...argumentRules,
  ...pathRules,
  ...silentRules,
  ...lastRules,
  ...otherRules,
]
