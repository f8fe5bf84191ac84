import { defineAgent } from '../../contract/agent.ts'
import { acp } from './acp.ts'
import { features } from './features.ts'
import { headless } from './headless.ts'
import { profile } from './profile.ts'
import { startMode } from './start-mode.ts'
import { tested } from './tested.ts'
import { testkit } from './testkit.ts'
import { tools } from './tools.ts'
import { transcripts } from './transcripts.ts'

/** GitHub Copilot CLI. @example await detect(copilot, place) */
export const copilot = defineAgent({
  ...profile,
  detection: {
    variable: 'COPILOT_CLI_PATH',
    command: 'copilot',
    package: '@github/copilot',
    install: 'npm install -g @github/copilot',
  },
  features,
  headless,
  acp,
  transcripts,
  startMode,
  tools,
  tested,
  testkit,
})
