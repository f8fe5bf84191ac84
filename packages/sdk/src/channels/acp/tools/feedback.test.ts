import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FeedbackRun, deadlineFeedback } from './feedback.ts'
import type { Feedback } from './tool-rules.ts'

/** A state with a manual clock. */
function startFeedback(feedback: Feedback[], cwd = '/home/me/work') {
  let now = 1_000_000
  const feedbackRun = new FeedbackRun(feedback, cwd, () => now)
  return {
    due: (calls: number, deadlineInMs?: number) =>
      feedbackRun.due(calls, deadlineInMs === undefined ? undefined : new Date(now + deadlineInMs)),
    pass: (seconds: number) => void (now += seconds * 1000),
  }
}

describe('feedback', () => {
  it('comes after every n calls', async () => {
    const { due } = startFeedback([{ after: { calls: 3 }, say: ({ calls }) => `${calls} calls` }])
    const feedbackRun = await Promise.all([1, 2, 3, 4, 5, 6].map((calls) => due(calls)))
    expect(feedbackRun).toEqual([[], [], ['3 calls'], [], [], ['6 calls']])
  })

  it('comes after every n seconds, with the next call', async () => {
    const { due, pass } = startFeedback([{ after: { seconds: 60 }, say: ({ seconds }) => `${seconds} s` }])
    expect(await due(1)).toEqual([])
    pass(61)
    expect(await due(2)).toEqual(['61 s'])
    expect(await due(3)).toEqual([])
    pass(59)
    expect(await due(4)).toEqual([])
    pass(1)
    expect(await due(5)).toEqual(['121 s'])
  })

  it('comes once when a file exists', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'remora-feedback-'))
    onTestFinished(() => rm(cwd, { recursive: true, force: true }))
    const { due } = startFeedback([{ after: { file: 'report.md' }, say: 'Now check it.' }], cwd)
    expect(await due(1)).toEqual([])
    await writeFile(join(cwd, 'report.md'), '')
    // Two calls that end together get it once.
    const both = await Promise.all([due(2), due(3)])
    expect(both.flat()).toEqual(['Now check it.'])
    expect(await due(4)).toEqual([])
  })

  it('sends several texts, and skips empty ones', async () => {
    const every = { calls: 1 }
    const { due } = startFeedback([
      { after: every, say: 'one' },
      { after: every, say: () => undefined },
      {
        after: every,
        say: () => {
          throw new Error('Broken')
        },
      },
      { after: every, say: 'two' },
    ])
    expect(await due(1)).toEqual(['one', 'two'])
  })

  it('warns when little time is left', async () => {
    const { due } = startFeedback([deadlineFeedback()])
    expect(await due(1)).toEqual([])
    expect(await due(2, 121_000)).toEqual([])
    expect(await due(3, 119_500)).toEqual(['Only 120 seconds are left. Finish what matters most.'])
    expect(await due(4, 0)).toEqual(['The time is up. Finish at once.'])
    expect(await startFeedback([deadlineFeedback(1000)]).due(1, 2000)).toEqual([])
  })

  it.each([{ calls: 0 }, { calls: 1.5 }, { seconds: 0 }, { seconds: Number.NaN }, { file: '' }])(
    'that never comes is a mistake: %o',
    (after) => {
      expect(() => startFeedback([{ after, say: 'x' }])).toThrow('never comes')
    },
  )
})
