import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHookScript, createSpool } from '@remora/sdk/hooks'

/** Runs the hook like a CLI, each time with another payload. */
export class Hooks {
  /** The number of hooks that reported success. */
  succeeded = 0
  #count = 0
  #name
  #script

  constructor(remoraHome, name = '') {
    this.#name = name
    mkdirSync(join(remoraHome, 'hooks'))
    this.#script = join(remoraHome, 'hooks', 'remora-hook')
    writeFileSync(this.#script, createHookScript(), { mode: 0o755 })
    createSpool(remoraHome)
  }

  async run() {
    const number = ++this.#count
    const child = spawn('sh', [this.#script, 'gemini'], { stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.on('error', () => {})
    child.stdin.end(
      JSON.stringify({
        session_id: `hooked-${this.#name}${number % 3}`,
        cwd: '/somewhere',
        hook_event_name: 'AfterTool',
        timestamp: new Date().toISOString(),
        tool_name: 'run_shell_command',
        tool_input: { command: `command ${this.#name}${number}` },
        tool_response: { llmContent: `Output: ${number}\nExit Code: 1` },
      }),
    )
    const [code] = await once(child, 'close')
    if (code === 0) this.succeeded++
  }
}
