import { defineAgent } from '../../contract/agent.ts'
import { acp } from './acp.ts'
import { features } from './features.ts'
import { headless } from './headless.ts'
import { health } from './health.ts'
import { startMode } from './modes.ts'
import { profile } from './profile.ts'
import { tested } from './tested.ts'
import { testkit } from './testkit.ts'
import { tools } from './tools.ts'
import { transcripts } from './transcripts.ts'

/** Kimi Code. @example await detect(kimi, place) */
export const kimi = defineAgent({
  ...profile,
  detection: {
    variable: 'KIMI_CLI_PATH',
    command: 'kimi',
    package: '@moonshot-ai/kimi-code',
    install: 'npm install -g @moonshot-ai/kimi-code',
    minimumNode: '22.19.0',
  },
  features,
  headless,
  acp,
  transcripts,
  startMode,
  health,
  tools,
  tested,
  testkit,
})
