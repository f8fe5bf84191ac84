import type { TestedRanges } from '../../contract/tested.ts'

/** Written by `npm run fixtures`. Do not edit. */
export const tested = {
  transcripts: { oldest: '0.70.6', newest: '0.73.1' },
  headless: { oldest: '0.70.6', newest: '0.73.1' },
} as const satisfies TestedRanges
