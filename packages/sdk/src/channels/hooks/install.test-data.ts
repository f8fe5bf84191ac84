import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Agent, HookKind, HookScope, Place } from '../../contract/agent.ts'
import { findAgent } from '../../agents/registry.ts'
import { hookFolders } from './install-files.ts'
import { installHooks } from './install-hooks.ts'
import { hookStatus } from './hook-status.ts'
import { uninstallHooks } from './uninstall-hooks.ts'

type More = { events?: string[]; scope?: HookScope; kind?: HookKind; command?: string[] }

/** A person's home in which hooks are installed. */
export class HookHome implements Disposable {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'remora-hooks-')))
  readonly path: string
  readonly remoraHome: string
  readonly agent: Agent

  constructor(agent = 'gemini', name = 'me') {
    this.path = join(this.#root, name)
    this.remoraHome = join(this.path, '.remora')
    this.agent = findAgent(agent)!
    mkdirSync(join(this.path, 'work'), { recursive: true })
  }

  get place(): Place {
    return { env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' }, home: this.path, cwd: join(this.path, 'work') }
  }
  get script(): string {
    return hookFolders(this.remoraHome).script
  }
  /** The settings of the user, for agents that have one file of them. */
  get settings(): string {
    return join(this.path, `.${this.agent.id}`, 'settings.json')
  }

  write(file: string, content: string | Uint8Array): string {
    const path = join(this.path, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }
  read(file = this.settings): string {
    return readFileSync(file, 'utf8')
  }
  has(file: string): boolean {
    return existsSync(join(this.path, file))
  }
  install(more: More = {}) {
    return installHooks(this.agent, { place: this.place, remoraHome: this.remoraHome, ...more })
  }
  uninstall(more: { scope?: HookScope; kind?: HookKind | 'all' } = {}) {
    return uninstallHooks(this.agent, { place: this.place, remoraHome: this.remoraHome, ...more })
  }
  status(scope?: HookScope) {
    return hookStatus(this.agent, {
      place: this.place,
      remoraHome: this.remoraHome,
      ...(scope === undefined ? {} : { scope }),
    })
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true })
  }
}

/** Hooks of other tools, in settings that a person has written by hand. */
export const othersSettings = `{
  // Mine, do not touch
  "theme": "GitHub", /* light */
  "unknownKey": { "nested": [1, 2, 3], },
  "hooks": {
    "AfterTool": [
      // desire-path
      { "matcher": ".*", "hooks": [{ "name": "dp-ingest", "type": "command", "command": "dp ingest --source gemini-cli", "timeout": 5000 }] },
    ],
    "BeforeAgent": [
      {
        "hooks": [
          { "type": "command", "command": "bash ~/.clawtap/bridge.sh", "future": true }
        ]
      }
    ]
  },
}
`
