import type { Device } from './devices.ts'
import type { Role } from './roles.ts'

interface Identity {
  /** The client id of commands: the device, or `local` for the user of this machine. */
  readonly client: string
  /** The device as shown to users. */
  readonly label: string
  /** The owner of the device, and their role. */
  readonly person: string
  readonly role: Role
  /** Person and device, as written to the audit log. */
  readonly signature: string
  /** The interface through which another agent acts for this person. */
  readonly via?: 'mcp'
}

/** The author of a request: the user on this machine, or a paired device. */
export type Who =
  | (Identity & { readonly kind: 'user' })
  | (Identity & { readonly kind: 'device'; readonly device: Device })

const localLabel = 'this machine'

/** The user of this machine is always an owner. @example createUserIdentity('ann').signature // 'ann, this machine' */
export function createUserIdentity(person: string): Who {
  const signature = `${person}, ${localLabel}`
  return { kind: 'user', client: 'local', label: localLabel, person, role: 'owner', signature }
}

/** @example createDeviceIdentity(device, 'member').signature // "ann, Ann's phone (d-7f3k9q)" */
export function createDeviceIdentity(device: Device, role: Role): Who {
  const { id, person } = device
  const label = formatDeviceLabel(device)
  return { kind: 'device', client: id, label, person, role, signature: `${person}, ${label}`, device }
}

/** @example formatDeviceLabel(device) // "Ann's phone (d-7f3k9q)" */
export function formatDeviceLabel({ id, name }: Pick<Device, 'id' | 'name'>): string {
  return `${name} (${id})`
}

/** Returns the identity of an agent that acts for a person through MCP, with its own client id. */
export function toMcpIdentity(who: Who): Who {
  return { ...who, client: 'mcp', via: 'mcp', signature: `${who.signature}, through MCP` }
}
