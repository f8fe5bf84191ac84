import { defineAgent } from '../../contract/agent.ts'
import { acp } from './acp.ts'
import { commands } from './commands.ts'
import { getContextWindow, features } from './features.ts'
import { headless } from './headless.ts'
import { health } from './health.ts'
import { hooks } from './hooks.ts'
import { startMode } from './start-mode.ts'
import { terminal } from './terminal.ts'
import { tools } from './tools.ts'
import { transcripts } from './transcripts.ts'

export const codex = defineAgent({
  id: 'codex',
  title: 'Codex',
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
  commands,
  getContextWindow,
})
