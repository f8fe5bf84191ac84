import { testInstalledHooks } from '../installed-hooks.test-data.ts'
import { gemini } from './index.ts'

testInstalledHooks(gemini)
