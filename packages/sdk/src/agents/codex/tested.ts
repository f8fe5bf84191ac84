import type { TestedRanges } from '../../contract/tested.ts'

/** Written by `npm run fixtures`. Do not edit. */
export const tested = {
  transcripts: { oldest: '0.166.0', newest: '0.169.0' },
  acp: { oldest: '0.166.0', newest: '0.169.0' },
  headless: { oldest: '0.166.0', newest: '0.169.0' },
  hooks: { oldest: '0.166.0', newest: '0.169.0' },
  terminal: { oldest: '0.166.0', newest: '0.169.0' },
} as const satisfies TestedRanges
