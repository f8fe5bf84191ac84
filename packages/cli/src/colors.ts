import { createColors } from 'picocolors'
import { loadConfig } from './config-file.ts'
import type { Io } from './io.ts'
import type { Input } from './verb.ts'

export type Colors = ReturnType<typeof createColors>

/** Colours by flag, then setting, then NO_COLOR and whether anybody can see them. */
export async function colors(input: Input, io: Io): Promise<Colors> {
  const when = input.values['color'] ?? (await loadConfig(io)).get('color')
  return createColors(when === 'always' || (when !== 'never' && io.terminal && !io.env['NO_COLOR']))
}
