import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

export const devices: Verb = {
  name: 'devices',
  description: 'List paired devices, or revoke one',
  positionals: [
    { name: 'action', description: 'revoke: remove a device and its access' },
    { name: 'device', description: 'Device id or prefix, or name' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora devices', 'remora devices revoke d-3f9c21a07b'],
  async run(input, io) {
    const [action, device] = input.positionals
    if (action !== undefined && action !== 'revoke')
      throw new UsageError(
        `Unknown action "${action}" for remora devices`,
        'Usage: remora devices revoke <device>',
      )
    if (action !== undefined && device === undefined)
      throw new UsageError('remora devices revoke needs <device>', 'List them: remora devices')
    const { devices: run } = await import('./manage-devices.ts')
    return run(input, io)
  },
}
