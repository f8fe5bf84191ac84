import { pinnedVersions, testHeadless } from '@remora/testkit'
import { codex } from './index.ts'

for (const version of pinnedVersions('codex'))
  testHeadless(codex, { version, wholeTexts: true, denial: { mode: 'plan', isUnseen: true } })
