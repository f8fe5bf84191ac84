import { pinnedVersions, testHeadless } from '@remora/testkit'
import { opencode } from './index.ts'

// Of a connection that breaks in mid-answer it sometimes hears nothing, and waits on.
for (const version of pinnedVersions('opencode'))
  testHeadless(opencode, { version, unnoticed: ['fault-cut'], wholeTexts: true, denial: { endsTurn: true } })
