// Command lines of the group Server. The implementation of a verb is in another file, loaded when it runs, so that help stays fast.
import { roleNames } from '../args/roles.ts'
import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'
import { addressOptions } from './address-options.ts'

export const serve: Verb = {
  name: 'serve',
  description: 'Run the server and the app, until Ctrl+C',
  options: {
    ...addressOptions,
    background: { description: 'Run in the background' },
    json: { description: 'Print the address as a JSON object' },
  },
  examples: [
    'remora',
    'remora serve',
    'remora serve --lan',
    'remora serve --tailscale --port 8443',
    'remora serve --background',
  ],
  async run(input, io) {
    const { serve: run } = await import('./start-server.ts')
    return run(input, io)
  },
}

export const stop: Verb = {
  name: 'stop',
  description: 'Stop the server. Agents keep running',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora stop'],
  async run(input, io) {
    const { stop: run } = await import('./stop-server.ts')
    return run(input, io)
  },
}

export const status: Verb = {
  name: 'status',
  description: 'Show the server status. Exits with 1 if it is not running',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora status', 'remora status --json | jq -r .url'],
  async run(input, io) {
    const { status: run } = await import('./read-status.ts')
    return run(input, io)
  },
}

const serviceActions = ['install', 'uninstall', 'status']

export const service: Verb = {
  name: 'service',
  description: 'Start Remora at login (systemd, launchd)',
  positionals: [{ name: 'action', required: true, description: `One of: ${serviceActions.join(', ')}` }],
  options: {
    ...addressOptions,
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora service install', 'remora service install --tailscale', 'remora service uninstall'],
  async run(input, io) {
    const [action] = input.positionals
    if (!serviceActions.includes(action!))
      throw new UsageError(
        `Unknown action "${action}" for remora service`,
        `One of: ${serviceActions.join(', ')}`,
      )
    const { service: run } = await import('./manage-service.ts')
    return run(input, io)
  },
}

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

export const people: Verb = {
  name: 'people',
  description: 'List people, change a role, or remove a person',
  positionals: [
    { name: 'action', description: 'role: change a role; remove: remove a person and all their devices' },
    { name: 'name', description: 'Name of the person' },
    { name: 'role', description: 'owner (full access), member (prompts and answers), viewer (read only)' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora people', 'remora people role Bob member', 'remora people remove Bob'],
  async run(input, io) {
    const [action, name, role] = input.positionals
    if (action !== undefined && action !== 'role' && action !== 'remove')
      throw new UsageError(
        `Unknown action "${action}" for remora people`,
        'Usage: remora people role <name> <role>, remora people remove <name>',
      )
    if (action !== undefined && name === undefined)
      throw new UsageError(`remora people ${action} needs <name>`, 'List them: remora people')
    if (action === 'role' && !roleNames.some((each) => each === role))
      throw new UsageError(
        role === undefined ? 'remora people role needs <role>' : `Unknown role "${role}"`,
        `One of: ${roleNames.join(', ')}`,
      )
    if (action === 'remove' && role !== undefined)
      throw new UsageError(
        `Unexpected argument "${role}" for remora people remove`,
        'Quote a name that contains spaces.',
      )
    const { people: run } = await import('./manage-people.ts')
    return run(input, io)
  },
}

const nodeActions = ['name', 'remove']

export const nodes: Verb = {
  name: 'nodes',
  description: 'List machines that share the ledger, rename this one, or remove one',
  positionals: [
    { name: 'action', description: 'name: rename this machine; remove: remove a machine' },
    { name: 'machine', description: 'New name; for remove, the name or id of a machine' },
  ],
  options: { json: { description: 'Print JSON' } },
  examples: ['remora nodes', 'remora nodes name "the laptop"', 'remora nodes remove old-desktop'],
  async run(input, io) {
    const [action, machine] = input.positionals
    if (action !== undefined && !nodeActions.includes(action))
      throw new UsageError(
        `Unknown action "${action}" for remora nodes`,
        'Usage: remora nodes name <new name>, remora nodes remove <machine>',
      )
    if (action !== undefined && machine === undefined)
      throw new UsageError(
        `remora nodes ${action} needs ${action === 'name' ? 'a new name' : '<machine>'}`,
        action === 'name' ? 'For example: remora nodes name "the laptop"' : 'List them: remora nodes',
      )
    const { nodes: run } = await import('./manage-nodes.ts')
    return run(input, io)
  },
}

export const cert: Verb = {
  name: 'cert',
  description: 'Create a certificate that phones can trust, with install instructions',
  options: {
    json: { description: 'Print a JSON object' },
  },
  examples: ['remora serve cert', 'remora serve --lan', 'remora serve cert --json | jq -r .fingerprint'],
  async run(input, io) {
    const { certificate } = await import('./certificate.ts')
    return certificate(input, io)
  },
}
