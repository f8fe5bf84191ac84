import { defineAgent } from '../../contract/agent.ts'
import { acp } from './acp.ts'
import { title } from './arguments.ts'
import { commands } from './commands.ts'
import { getContextWindow, features } from './features.ts'
import { headless } from './headless.ts'
import { health } from './health.ts'
import { hooks } from './hooks.ts'
import { startMode } from './start-mode.ts'
import { terminal } from './terminal.ts'
import { tools } from './tools.ts'
import { transcripts } from './transcripts.ts'
import { since } from './versions.ts'

export const gemini = defineAgent({
  id: 'gemini',
  title,
  detection: {
    variable: 'GEMINI_CLI_PATH',
    command: 'gemini',
    package: '@google/gemini-cli',
    minimum: since.streamJson,
    install: 'npm install -g @google/gemini-cli',
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
