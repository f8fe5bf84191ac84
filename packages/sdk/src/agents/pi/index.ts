import { defineAgent } from '../../contract/agent.ts'
import { features } from './features.ts'
import { headless } from './headless.ts'
import { health } from './health.ts'
import { startMode } from './modes.ts'
import { profile } from './profile.ts'
import { tested } from './tested.ts'
import { testkit } from './testkit.ts'
import { tools } from './tools.ts'
import { transcripts } from './transcripts.ts'

/** pi. @example await detect(pi, place) */
export const pi = defineAgent({
  ...profile,
  detection: {
    variable: 'PI_CLI_PATH',
    command: 'pi',
    package: '@mariozechner/pi-coding-agent',
    install: 'npm install -g @mariozechner/pi-coding-agent',
  },
  features,
  headless,
  transcripts,
  startMode,
  health,
  tools,
  tested,
  testkit,
})
