import type { Features, Mode } from '../../contract/agent.ts'
import { atLeast } from '../../versions/version.ts'
import { models } from './models.ts'
import { since } from './versions.ts'

export function features(version: string | undefined): Features {
  const permissionModes: Mode[] = ['default', 'acceptEdits']
  if (atLeast(version, since.plan)) permissionModes.push('plan')
  permissionModes.push('bypassPermissions')
  return {
    permissionModes,
    interrupt: true,
    resume: atLeast(version, since.resume),
    fork: atLeast(version, since.resume),
    attach: false,
    statusLine: false,
    images: true,
    streaming: atLeast(version, since.streamJson),
    webSearch: true,
    thinking: true,
    slashCommands: true,
    models: models(version),
    effortLevels: [],
    contextWindow: 1_048_576,
  }
}
