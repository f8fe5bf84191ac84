import { release } from 'node:os'
import type { Event } from '@remora/protocol/plain'
import type { Io } from '../../command/io.ts'
import type { Finding } from '../../detection/survey.ts'
import { version } from '../../command/version.ts'

/** Who took part, each with its version. */
export async function versionsOf(
  agent: string,
  finding: Finding | undefined,
  events: readonly Event[],
  io: Pick<Io, 'platform'>,
): Promise<object> {
  const told = events.flatMap((event) =>
    event.type === 'session' && event.version !== undefined ? [event.version] : [],
  )
  const wrapper = finding?.wrapper
  return {
    remora: version,
    node: process.versions.node,
    platform: io.platform,
    architecture: process.arch,
    system: release(),
    agent: { id: agent, installed: finding?.version ?? null, path: finding?.path ?? null },
    /** What the agent said of itself during the session. */
    session: [...new Set(told)],
    ...(wrapper
      ? { wrapper: { command: wrapper.name, package: wrapper.package, version: wrapper.version } }
      : {}),
  }
}
