import { join } from 'node:path'
import { run } from './children.mjs'
import { install } from './install.mjs'
import { cache, root } from './paths.mjs'
import { SetupError } from './setup-error.mjs'
import { withTemporaryFolder } from './temporary.mjs'

/** Installs the real agent CLIs of the tests. They are large, so the first install takes minutes. */
export function installPinnedClis() {
  return install(join(root, 'testkit', 'clis'), {
    title: 'installing the pinned agent CLIs (4.6 GB, some minutes)',
    name: 'clis',
    scripts: true,
    // Not every registry has the packages of opencode and codex for every platform.
    lenient: true,
    verify: verifyInstallScripts,
  })
}

/** The install scripts of these packages create the executable, and npm may be configured not to run them. */
async function verifyInstallScripts(folder) {
  const programs = {
    claude: '@anthropic-ai/claude-code/bin/claude.exe',
    'claude-2.1.326': 'claude-2.1.326/bin/claude.exe',
    opencode: '.bin/opencode',
    'opencode-1.17.20': 'opencode-1.17.20/bin/opencode.exe',
  }
  for (const [command, program] of Object.entries(programs)) {
    const log = join(cache, 'logs', `verify-${command}.log`)
    const code = await withTemporaryFolder((home) =>
      run(join(folder, 'node_modules', program), ['--version'], {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home },
        log,
      }).catch(() => 1),
    )
    if (code !== 0) {
      throw new SetupError(`The installed ${command} failed to start.`, {
        log,
        hint: 'Its install script may have been blocked: see `npm config get ignore-scripts` and allowScripts in testkit/clis.',
      })
    }
  }
}
