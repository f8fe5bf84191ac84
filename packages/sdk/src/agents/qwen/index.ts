import { defineAgent } from '../../contract/agent.ts'
import { acp } from './acp.ts'
import { features } from './features.ts'
import { headless } from './headless.ts'
import { health } from './health.ts'
import { hooks } from './hooks.ts'
import { profile } from './profile.ts'
import { settings } from './settings.ts'
import { startMode } from './start-mode.ts'
import { terminal } from './terminal.ts'
import { tested } from './tested.ts'
import { testkit } from './testkit.ts'
import { tools } from './tools.ts'
import { transcripts } from './transcripts.ts'

/** Qwen Code. @example await detect(qwen, place) */
export const qwen = defineAgent({
  ...profile,
  detection: {
    variable: 'QWEN_CLI_PATH',
    command: 'qwen',
    package: '@qwen-code/qwen-code',
    install: 'npm install -g @qwen-code/qwen-code',
  },
  features,
  headless,
  acp,
  hooks,
  transcripts,
  terminal,
  startMode,
  health,
  tools,
  tested,
  testkit,
  settings,
})
