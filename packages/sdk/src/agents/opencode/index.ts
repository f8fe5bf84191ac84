import { defineAgent } from '../../contract/agent.ts'
import { acp } from './acp.ts'
import { commands } from './commands.ts'
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

/** OpenCode. @example await detect(opencode, place) */
export const opencode = defineAgent({
  ...profile,
  detection: {
    variable: 'OPENCODE_CLI_PATH',
    command: 'opencode',
    package: 'opencode-ai',
    install: 'npm install -g opencode-ai',
    folders: ['~/.opencode/bin'],
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
})
