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

export const claude = defineAgent({
  id: 'claude',
  title: 'Claude Code',
  detection: {
    variable: 'CLAUDE_CLI_PATH',
    command: 'claude',
    package: '@anthropic-ai/claude-code',
    install: 'npm install -g @anthropic-ai/claude-code',
    folders: ['~/.claude/local'],
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
