import { type SettingsPart, toJson } from '../../contract/settings.ts'

const where = '~/.claude/settings.json'

export const settings: SettingsPart = {
  allow: (native, prefix) => ({
    where,
    paste: toJson({
      permissions: { allow: [prefix === undefined ? native : `Bash(${prefix.join(' ')}:*)`] },
    }),
  }),
  timeout: {
    where,
    paste: toJson({ env: { BASH_DEFAULT_TIMEOUT_MS: '600000', BASH_MAX_TIMEOUT_MS: '1800000' } }),
  },
  variable: (name) => ({ where, paste: toJson({ env: { [name]: '…' } }) }),
}
