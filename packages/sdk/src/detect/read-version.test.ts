import { describe, expect, it } from 'vitest'
import { versionInPath } from './read-version.ts'

describe('versionInPath', () => {
  it.each([
    ['/home/me/.local/share/claude/versions/2.1.197', '2.1.197'],
    ['/opt/homebrew/Cellar/codex/0.166.0/bin/codex', '0.166.0'],
    ['/opt/homebrew/Cellar/codex/0.166.0_1/bin/codex', '0.166.0'],
    ['/opt/homebrew/Caskroom/codex/0.166.0/codex-aarch64-apple-darwin', '0.166.0'],
    ['/home/me/.local/share/mise/installs/opencode/1.18.33/bin/opencode', '1.18.33'],
    ['C:\\Users\\me\\claude\\versions\\2.1.197\\claude.exe', '2.1.197'],
    ['/home/me/.local/share/mise/installs/node/22.1.0/bin/codex', undefined],
    ['/home/me/.nvm/versions/node/v20.19.0/bin/codex', undefined],
    ['/usr/local/bin/codex', undefined],
  ])('%s says %s', (path, version) => {
    expect(versionInPath(path)).toBe(version)
  })
})
