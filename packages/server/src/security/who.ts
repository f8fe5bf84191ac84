import type { Device } from './devices.ts'
import type { Role } from './roles.ts'

interface Known {
  /** Under which commands are kept: the device, or the user of this machine. */
  readonly client: string
  /** The device in words. */
  readonly label: string
  /** Whose device it is, and what this person may do. */
  readonly person: string
  readonly role: Role
  /** Person and device, as the audit log has it. */
  readonly signature: string
  /** The interface through which another agent acts for this person. */
  readonly via?: 'mcp'
}

/** Who speaks: the user on this machine, or a device that was paired. */
export type Who =
  | (Known & { readonly kind: 'user' })
  | (Known & { readonly kind: 'device'; readonly device: Device })

const here = 'this machine'

/** Whoever can open the unix socket is the user, and an owner. @example theUser('ann').signature // 'ann, this machine' */
export function theUser(person: string): Who {
  const signature = `${person}, ${here}`
  return { kind: 'user', client: 'local', label: here, person, role: 'owner', signature }
}

/** @example ofDevice(device, 'member').signature // "ann, Ann's phone (d-7f3k9q)" */
export function ofDevice(device: Device, role: Role): Who {
  const { id, person } = device
  const label = labelOf(device)
  return { kind: 'device', client: id, label, person, role, signature: `${person}, ${label}`, device }
}

/** @example labelOf(device) // "Ann's phone (d-7f3k9q)" */
export function labelOf({ id, name }: Pick<Device, 'id' | 'name'>): string {
  return `${name} (${id})`
}

/** Another agent that acts for a person through MCP. Its commands have a client of their own. */
export function viaMcp(who: Who): Who {
  return { ...who, client: 'mcp', via: 'mcp', signature: `${who.signature}, through MCP` }
}
