import type { TestedRanges } from '../../contract/tested.ts'

/** Written by `npm run fixtures`. Do not edit. */
export const tested = {
  transcripts: { oldest: '0.24.4', newest: '0.24.4' },
  acp: { oldest: '0.24.4', newest: '0.24.4' },
  headless: { oldest: '0.24.4', newest: '0.24.4' },
  hooks: { oldest: '0.24.4', newest: '0.24.4' },
  terminal: { oldest: '0.24.4', newest: '0.24.4' },
} as const satisfies TestedRanges
