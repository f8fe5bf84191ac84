import type { SettingsPart } from '../../contract/settings.ts'

export const settings: SettingsPart = {
  allow: (_, prefix) =>
    prefix && {
      where: '~/.codex/rules/default.rules',
      paste: `prefix_rule(pattern=${JSON.stringify(prefix)}, decision="allow")`,
    },
  variable: (name) => ({
    where: '~/.codex/config.toml',
    paste: `[shell_environment_policy]\nset = { ${name} = "…" }`,
  }),
}
