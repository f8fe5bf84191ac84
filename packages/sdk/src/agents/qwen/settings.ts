import { type SettingsPart, toJson } from '../../contract/settings.ts'

const where = '~/.qwen/settings.json'

export const settings: SettingsPart = {
  allow: (native, prefix) => ({
    where,
    paste: toJson({
      permissions: { allow: [prefix === undefined ? native : `Bash(${prefix.join(' ')} *)`] },
    }),
  }),
  variable: (name) => ({ where, paste: toJson({ env: { [name]: '…' } }) }),
}
