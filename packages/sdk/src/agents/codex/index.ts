import { defineAgent } from '../../contract/agent.ts'
import { acp } from './acp.ts'
import { commands } from './commands.ts'
import { getContextWindow, features } from './features.ts'
import { headless } from './headless.ts'
import { health } from './health.ts'
import { hooks } from './hooks.ts'
import { profile } from './profile.ts'
import { settings } from './settings.ts'
import { startMode } from './start-mode.ts'
import { terminal } from './terminal.ts'
import { tested } from './tested.ts'
import { testkit } from './testkit.ts'
import { listHookNames, tools } from './tools.ts'
import { transcripts } from './transcripts.ts'

/** Codex CLI. @example await detect(codex, place) */
export const codex = defineAgent({
  ...profile,
  detection: {
    variable: 'CODEX_CLI_PATH',
    command: 'codex',
    package: '@openai/codex',
    install: 'npm install -g @openai/codex',
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
  commands,
  settings,
  pave: { dialect: 'refusal', names: listHookNames },
  getContextWindow,
})
