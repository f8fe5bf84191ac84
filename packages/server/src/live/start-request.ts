import { randomInt } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { RemoraError, type StartRequest } from '@remora/protocol'
import { type Agent, findAgent, modes, toMode } from '@remora/sdk'

/** The agent that a request names; throws for what nobody could start. */
export function agentOf({ agent: name, mode, fork, resume }: StartRequest): Agent {
  const agent = findAgent(name)
  if (!agent) throw new RemoraError('not_found', `Unknown agent "${name}"`, { hint: 'See: remora agents' })
  if (mode !== undefined && toMode(mode) === undefined)
    throw new RemoraError('usage', `Unknown mode "${mode}"`, { hint: `One of: ${modes.join(', ')}` })
  if (fork && resume === undefined)
    throw new RemoraError('usage', 'A fork needs a session', { hint: 'Pass it as `resume`.' })
  return agent
}

/** Where it really is. */
export function folderOf(cwd: string): string {
  try {
    const real = realpathSync(cwd)
    if (statSync(real).isDirectory()) return real
  } catch (cause) {
    throw new RemoraError('usage', `Folder ${cwd} does not exist`, {
      hint: 'Choose an existing folder.',
      cause,
    })
  }
  throw new RemoraError('usage', `${cwd} is not a folder`, { hint: 'Choose a folder.' })
}

// None that are mistaken for each other.
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Short enough to type. @example newId((id) => false) // 'l-7f3k9q' */
export function newId(isTaken: (id: string) => boolean, length = 6): string {
  for (;;) {
    const id = `l-${Array.from({ length }, () => letters[randomInt(letters.length)]).join('')}`
    if (!isTaken(id)) return id
  }
}
