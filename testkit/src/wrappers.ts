import { mkdir, rm, symlink } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { RemoraError } from '@remora/protocol'
import type { AcpPart, Agent } from '@remora/sdk'
import { pinnedPackage } from './clis.ts'
import type { Home } from './home.ts'
import { findNodeFor } from './nodes.ts'

type Wrapper = NonNullable<AcpPart['wrappers']>[number]

/** The wrapper of an agent with this package. @example getWrapper(codex, '@zed-industries/codex-acp').minimumNode */
export function getWrapper(agent: Agent, name: string): Wrapper {
  const wrapper = agent.acp?.wrappers?.find((each) => each.package === name)
  if (!wrapper) throw new RemoraError('not_found', `${agent.title} has no wrapper ${name}`)
  return wrapper
}

/**
 * Links a pinned wrapper beside the home as npm links the command of a global package, and returns the PATH in which
 * that command and a Node that runs it come first. Two wrappers share their command, so no folder can have both.
 *
 * @example const PATH = await installWrapper(home, getWrapper(codex, '@agentclientprotocol/codex-acp'))
 */
export async function installWrapper(home: Home, wrapper: Wrapper): Promise<string> {
  const bin = join(dirname(home.path), 'bin')
  await mkdir(bin, { recursive: true })
  const link = join(bin, wrapper.command)
  await rm(link, { force: true })
  await symlink(pinnedPackage(wrapper.package).path, link)
  return [dirname(findNodeFor(wrapper.minimumNode)), bin, home.env['PATH']].join(delimiter)
}
