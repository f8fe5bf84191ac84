import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestHome } from '../../sessions/home.test-data.ts'

/** What a person has written. */
export const settings = '{\n  // mine\n  "model": "x"\n}\n'

/** A home in which Gemini CLI and Claude Code are installed, as far as one can see. */
export class HookHome extends TestHome {
  readonly gemini = join(this.path, '.gemini/settings.json')
  readonly claude = join(this.path, '.claude/settings.json')

  constructor() {
    super()
    for (const name of ['gemini', 'claude']) {
      const program = join(this.path, 'bin', name)
      this.write(program, '#!/bin/sh\necho 99.0.0\n')
      chmodSync(program, 0o755)
    }
    this.write(this.gemini, settings)
    this.write(
      join(this.path, '.gemini/trustedFolders.json'),
      JSON.stringify({ [this.path]: 'TRUST_FOLDER' }),
    )
  }

  read(file: string): string {
    return readFileSync(file, 'utf8')
  }
}
