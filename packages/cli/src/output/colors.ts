import { existsSync } from 'node:fs'
import { createColors } from 'picocolors'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { configPath } from '../home/remora-home.ts'

export type Colors = ReturnType<typeof createColors>

/** Colours by --color, then the setting, then NO_COLOR and whether it is a terminal. */
export async function colors(input: Pick<Input, 'values'>, io: Io): Promise<Colors> {
  const when = input.values['color'] ?? (await setting(io))
  const coloured = when === 'always' || (when !== 'never' && io.terminal && !io.env['NO_COLOR'])
  if (coloured) io.allowColours?.()
  return createColors(coloured)
}

/** Without a settings file, the settings module and the SDK are not loaded. */
async function setting(io: Io): Promise<string | undefined> {
  if (!io.env['REMORA_COLOR'] && !existsSync(configPath(io))) return undefined
  const { loadConfig } = await import('../home/config.ts')
  return (await loadConfig(io)).get('color')
}
