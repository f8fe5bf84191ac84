import { readFile, realpath } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname, join } from 'node:path'
import type { Event } from '@remora/protocol/plain'
import { findAgent } from '@remora/sdk'
import { findProgram } from '../find-program.ts'
import type { Io } from '../io.ts'
import type { Finding } from '../survey.ts'
import { version } from '../version.ts'

/** Who took part, each with its version. */
export async function versionsOf(
  agent: string,
  finding: Finding | undefined,
  events: readonly Event[],
  io: Pick<Io, 'env' | 'platform'>,
): Promise<object> {
  const told = events.flatMap((event) =>
    event.type === 'session' && event.version !== undefined ? [event.version] : [],
  )
  const invocation = findAgent(agent)?.acp?.invocation(finding?.version ?? undefined)
  return {
    remora: version,
    node: process.versions.node,
    platform: io.platform,
    architecture: process.arch,
    system: release(),
    agent: { id: agent, installed: finding?.version ?? null, path: finding?.path ?? null },
    /** What the agent said of itself during the session. */
    session: [...new Set(told)],
    ...(invocation?.command === undefined
      ? {}
      : { wrapper: await wrapper(invocation.command, invocation.package, io) }),
  }
}

/** The program that speaks ACP in the agent's place. */
async function wrapper(
  command: string,
  name: string | undefined,
  io: Pick<Io, 'env'>,
): Promise<{ command: string; package: string | null; version: string | null }> {
  const found = await findProgram(command, io.env['PATH'])
  return {
    command,
    package: name ?? null,
    version: found === undefined ? null : ((await packageVersion(found, name)) ?? null),
  }
}

/** The version of the package that a program belongs to, by the nearest package.json above it. */
async function packageVersion(program: string, name: string | undefined): Promise<string | undefined> {
  for (let folder = dirname(await realpath(program)); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const content = JSON.parse(text) as { name?: string; version?: string }
    if (name === undefined || content.name === name) return content.version
  }
  return undefined
}
