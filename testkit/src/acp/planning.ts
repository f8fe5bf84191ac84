import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { getEnds, say } from './taken.ts'

/** Plan mode is read-only, even if every request is allowed. */
export function testPlanning(stage: () => Stage, { cannot, commandMode }: AcpContractOptions) {
  if (cannot.includes('modes')) return
  it.each(['ask', 'auto'] as const)(
    'changes nothing in plan mode, with permissions: %s',
    async (permissions) => {
      const { home, people } = stage()
      await writeFile(join(home.cwd, 'plan-note.txt'), 'the note of the plan')
      // Claude Code takes this for a user who is not root, for whom its plan mode is weaker.
      const options = permissions === 'ask' ? { asks: people } : { permissions }
      await using connection = await stage().connect({ ...options, env: { IS_SANDBOX: '1' } })
      await using session = await connection.open({ cwd: home.cwd, mode: 'plan' })
      people.answerBy(session, () => 'allow')
      await say(session, `WRITE: planned-${permissions}.txt hello`)
      await say(session, `RUN: touch ran-${permissions}.txt`)
      const files = await home.files()
      expect(files).not.toContain(`planned-${permissions}.txt`)
      expect(files).not.toContain(`ran-${permissions}.txt`)
      // Its sandbox does not work here, and without it no command runs in this mode.
      if (commandMode !== undefined) return
      const { events } = await say(session, 'READ: plan-note.txt')
      expect([...getEnds(events).values()]).toEqual(['success'])
    },
  )
}
