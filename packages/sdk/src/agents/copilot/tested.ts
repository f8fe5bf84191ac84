import type { TestedRanges } from '../../contract/tested.ts'

/** Written by `npm run fixtures`. Do not edit. */
export const tested = {
  transcripts: { oldest: '1.0.89', newest: '1.0.102' },
  acp: { oldest: '1.0.89', newest: '1.0.102' },
  headless: { oldest: '1.0.89', newest: '1.0.102' },
} as const satisfies TestedRanges
