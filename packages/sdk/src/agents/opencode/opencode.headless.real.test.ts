import { pinnedVersions, testHeadless } from '@remora/testkit'
import { opencode } from './index.ts'

for (const version of pinnedVersions('opencode')) testHeadless(opencode, { version })
