import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

export const devices: Verb = {
  name: 'devices',
  description: 'List the devices that may come in, or shut one out',
  positionals: [
    { name: 'action', description: 'revoke shuts one out' },
    { name: 'device', description: 'Its id, the beginning of it, or its name' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora devices', 'remora devices revoke d-3f9c21a07b'],
  async run(input, io) {
    const [action, device] = input.positionals
    if (action !== undefined && action !== 'revoke')
      throw new UsageError(`remora devices cannot "${action}"`, 'It can: remora devices revoke <device>')
    if (action !== undefined && device === undefined)
      throw new UsageError('remora devices revoke needs <device>', 'See them: remora devices')
    const { devices: run } = await import('../live/devices.ts')
    return run(input, io)
  },
}
