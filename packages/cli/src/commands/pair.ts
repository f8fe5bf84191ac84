import { roleNames } from '../role-names.ts'
import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

export const pair: Verb = {
  name: 'pair',
  description: 'Let a phone or a browser in: a link, a code and a QR code, good once and for two minutes',
  options: {
    person: {
      short: 'p',
      value: 'name',
      description:
        'Whose device it is; without it, yours. Somebody new is made a viewer, unless --role says more',
    },
    role: {
      value: 'role',
      choices: roleNames,
      description: 'What that person may do, from now on and on every device: owner, member or viewer',
    },
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora pair', 'remora pair --person Bob --role member', 'remora pair --json | jq -r .link'],
  async run(input, io) {
    const { person, role } = input.values
    if (role !== undefined && person === undefined)
      throw new UsageError('--role needs --person', 'For example: remora pair --person Bob --role member')
    const { pair: run } = await import('../live/pairing.ts')
    return run(input, io)
  },
}
