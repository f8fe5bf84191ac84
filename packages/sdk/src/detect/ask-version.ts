import { text } from 'node:stream/consumers'
import type { Place } from '../contract/agent.ts'
import { spawnTree } from '../process/spawn-tree.ts'
import { findVersion } from '../versions/version.ts'

const timeout = 3000

/** What the CLI itself says, within three seconds. The last resort: some take two seconds to answer. */
export async function askVersion(path: string, env: Place['env']): Promise<string | undefined> {
  try {
    const tree = await spawnTree({ command: path, args: ['--version'], env })
    const output = Promise.all([text(tree.stdout), text(tree.stderr)])
    output.catch(() => {})
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((done) => (timer = setTimeout(done, timeout, undefined)))
    const answer = await Promise.race([output, late])
    clearTimeout(timer)
    await tree.kill({ grace: 200 })
    return answer === undefined ? undefined : findVersion(answer.join('\n'))
  } catch {
    return undefined // It cannot be started; whoever runs it will be told why.
  }
}
