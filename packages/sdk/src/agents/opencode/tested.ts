import type { TestedRanges } from '../../contract/tested.ts'

/** Written by `npm run fixtures`. Do not edit. */
export const tested = {
  transcripts: { oldest: '1.18.33', newest: '1.18.33' },
  acp: { oldest: '1.18.33', newest: '1.18.33' },
  headless: { oldest: '1.18.33', newest: '1.18.33' },
  hooks: { oldest: '1.18.33', newest: '1.18.33' },
  terminal: { oldest: '1.18.33', newest: '1.18.33' },
} as const satisfies TestedRanges
