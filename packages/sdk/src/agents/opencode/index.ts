import { defineAgent } from '../../contract/agent.ts'
import { acp } from './acp.ts'
import { commands } from './commands.ts'
import { features } from './features.ts'
import { headless } from './headless.ts'
import { health } from './health.ts'
import { hooks } from './hooks.ts'
import { startMode } from './start-mode.ts'
import { terminal } from './terminal.ts'
import { tools } from './tools.ts'
import { transcripts } from './transcripts.ts'

export const opencode = defineAgent({
  id: 'opencode',
  title: 'OpenCode',
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
  commands,
})
