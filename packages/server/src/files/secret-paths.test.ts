import { describe, expect, it } from 'vitest'
import { isSecretPath } from './secret-paths.ts'

describe('a file that may contain secrets', () => {
  it.each([
    '.local/share/fish/fish_history',
    '.claude.json',
    '.claude.json.backup',
    '.claude/backups/.claude.json.backup.1794820291113',
    '.config/gh/hosts.yml',
    '.config/chromium/Default/Cookies',
    'Library/Application Support/Google/Chrome/Default/Login Data',
    'snap/firefox/common/x',
    '.config/Code/User/globalStorage/state.vscdb',
    'project/prod.env',
    'project/terraform.tfstate.backup',
    '.remora/vapid.json',
    '.remora/ledger.db',
    '.remora/certificates/ca.key',
  ])('%s is known by its name', (path) => {
    expect(isSecretPath(`/home/ann/${path}`)).toBe(true)
  })

  it.each([
    'project/src/signal/hub.ts',
    'project/gh/age.ts',
    'project/.env.example',
    'project/environment.ts',
    '.config/nvim/init.lua',
    '.remora/worktrees/project-4f2a/fix/readme.md',
    '.remora/uploads/picture.png',
  ])('%s is none', (path) => {
    expect(isSecretPath(`/home/ann/${path}`)).toBe(false)
  })
})
