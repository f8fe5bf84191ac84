import { roleNames } from '../args/roles.ts'
import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

export const pair: Verb = {
  name: 'pair',
  description: 'Pair a phone or browser. Prints a link, code and QR code, valid once for two minutes',
  options: {
    person: {
      short: 'p',
      value: 'name',
      description: 'Owner of the device (default: you). A new person is a viewer unless --role is set',
    },
    role: {
      value: 'role',
      choices: roleNames,
      description: 'Role of the person, on all their devices: owner, member or viewer',
    },
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora pair', 'remora pair --person Bob --role member', 'remora pair --json | jq -r .link'],
  async run(input, io) {
    const { person, role } = input.values
    if (role !== undefined && person === undefined)
      throw new UsageError('--role needs --person', 'For example: remora pair --person Bob --role member')
    const { pair: run } = await import('./pairing.ts')
    return run(input, io)
  },
}
