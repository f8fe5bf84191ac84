import { defineAgent } from '../../contract/agent.ts'
import { isWriting, listTools } from '../../contract/tools.ts'
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
import { tools } from './tools.ts'
import { transcripts } from './transcripts.ts'

/** Claude Code. @example await detect(claude, place) */
export const claude = defineAgent({
  ...profile,
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
  tested,
  testkit,
  commands,
  settings,
  pave: { dialect: 'updated-input' },
  // MCP servers bring tools that cannot be classified, and an always-allowed command would run in plan mode.
  reviewArguments: ['--strict-mcp-config', `--disallowedTools=${listTools(tools, isWriting).join(',')}`],
  // Includes backups with other extensions.
  secretFiles: /^\.claude\.json/,
  getContextWindow,
})
