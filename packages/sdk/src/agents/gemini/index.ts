import { defineAgent } from '../../contract/agent.ts'
import { listPaveNames } from '../../contract/tools.ts'
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
import { since } from './versions.ts'

/** Gemini CLI. @example await detect(gemini, place) */
export const gemini = defineAgent({
  ...profile,
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
  tested,
  testkit,
  commands,
  settings,
  pave: {
    dialect: 'tool-input',
    // MCP tools have one underscore where other CLIs use two.
    names: (tool) => listPaveNames(tools, tool.replace(/^mcp__(.+?)__/, 'mcp_$1_')),
  },
  getContextWindow,
})
