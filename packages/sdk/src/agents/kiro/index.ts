import { defineAgent } from '../../contract/agent.ts'
import { health } from './health.ts'
import { hooks } from './hooks.ts'
import { profile } from './profile.ts'
import { tools } from './tools.ts'

/** Kiro CLI. @example await detect(kiro, place) */
export const kiro = defineAgent({
  ...profile,
  detection: {
    variable: 'KIRO_CLI_PATH',
    command: 'kiro-cli',
    install: 'curl -fsSL https://cli.kiro.dev/install | bash',
    folders: ['/Applications/Kiro CLI.app/Contents/MacOS'],
  },
  // Hooks only report activity; they control nothing.
  features: () => ({
    interrupt: false,
    resume: false,
    fork: false,
    attach: false,
    statusLine: false,
    images: false,
    streaming: false,
    webSearch: false,
    thinking: false,
    slashCommands: false,
    models: [],
    effortLevels: [],
  }),
  hooks,
  health,
  tools,
})
