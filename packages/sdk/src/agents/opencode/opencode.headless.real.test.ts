import { pinnedVersions, testHeadless } from '@remora/testkit'
import { opencode } from './index.ts'

// It sometimes does not notice a connection that breaks mid-answer, and keeps waiting.
for (const version of pinnedVersions('opencode'))
  testHeadless(opencode, { version, unnoticed: ['fault-cut'], wholeTexts: true, denial: { endsTurn: true } })
