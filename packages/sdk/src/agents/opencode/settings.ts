import { type SettingsPart, toJson } from '../../contract/settings.ts'

export const settings: SettingsPart = {
  allow: (native, prefix) => ({
    where: '~/.config/opencode/opencode.json',
    paste: toJson({
      permission:
        prefix === undefined ? { [native]: 'allow' } : { bash: { [`${prefix.join(' ')} *`]: 'allow' } },
    }),
  }),
  timeout: { where: 'shell', paste: 'export OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS=600000' },
}
