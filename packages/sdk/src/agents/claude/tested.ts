import type { TestedRanges } from '../../contract/tested.ts'

/** Written by `npm run fixtures`. Do not edit. */
export const tested = {
  transcripts: { oldest: '2.1.197', newest: '2.1.326' },
  acp: { oldest: '2.1.197', newest: '2.1.326' },
  headless: { oldest: '2.1.197', newest: '2.1.326' },
  hooks: { oldest: '2.1.197', newest: '2.1.326' },
  terminal: { oldest: '2.1.197', newest: '2.1.326' },
} as const satisfies TestedRanges
