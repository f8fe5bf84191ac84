import { filterOptions } from '../args/filter-options.ts'
import type { Verb } from '../command/verb.ts'

export const restore: Verb = {
  name: 'restore',
  description: 'Restore a session that its agent deleted or damaged',
  positionals: [{ name: 'session', required: true, description: 'Session id or prefix, or name' }],
  options: {
    agent: filterOptions.agent,
    cwd: { value: 'folder', description: 'Working folder of the session, if unknown' },
    json: { description: 'Print the written files as a JSON object' },
  },
  examples: ['remora sessions restore 3f2a9c1e', 'remora sessions restore 3f2a9c1e --cwd ~/work'],
  async run(input, io) {
    const { restore: restoreSession } = await import('./restore-session.ts')
    return restoreSession(input, io)
  },
}
