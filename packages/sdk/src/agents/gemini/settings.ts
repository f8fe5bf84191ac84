import { type SettingsPart, toJson } from '../../contract/settings.ts'

export const settings: SettingsPart = {
  allow: (native, prefix) => ({
    where: '~/.gemini/policies/allowed.toml',
    paste: [
      '[[rule]]',
      `toolName = ${JSON.stringify(native)}`,
      ...(prefix === undefined ? [] : [`commandPrefix = ${JSON.stringify(prefix.join(' '))}`]),
      'decision = "allow"',
      'priority = 100',
    ].join('\n'),
  }),
  // Seconds without output; 300 by default.
  timeout: {
    where: '~/.gemini/settings.json',
    paste: toJson({ tools: { shell: { inactivityTimeout: 900 } } }),
  },
  variable: (name) => ({ where: '~/.gemini/.env', paste: `${name}=…` }),
}
