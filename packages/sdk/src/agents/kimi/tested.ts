import type { TestedRanges } from '../../contract/tested.ts'

/** Written by `npm run fixtures`. Do not edit. */
export const tested = {
  transcripts: { oldest: '2.0.2', newest: '2.1.0' },
  acp: { oldest: '2.0.2', newest: '2.1.0' },
  headless: { oldest: '2.0.2', newest: '2.1.0' },
} as const satisfies TestedRanges
