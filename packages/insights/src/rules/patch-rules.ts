import { type Rule, shellTools } from '../rule.ts'

/** Patches that are put in place by a command. */
export const patchRules: readonly Rule[] = [
  {
    id: 'patch-does-not-apply',
    class: 'edit-mismatch',
    tools: shellTools,
    pattern: /(?:patch does not apply|^Hunk #\d+ FAILED|hunks? FAILED|corrupt patch at line|patch failed: )/m,
  },
]
