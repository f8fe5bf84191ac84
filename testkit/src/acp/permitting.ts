import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { AcpContractOptions } from './options.ts'
import type { Stage } from './stage.ts'
import { getEnds, say } from './taken.ts'

/** What an agent asks before it writes a file, and what comes of the answers. */
export function testPermitting(
  stage: () => Stage,
  { cannot, core = false, always: kind = 'command' }: AcpContractOptions,
) {
  it('writes a file when it is allowed to', async () => {
    await using session = await stage().open()
    const { events, result } = await say(session, 'WRITE: allowed.txt hello')
    expect(result).toMatchObject({ ok: true, toolCalls: 1 })
    expect([...getEnds(events).values()]).toEqual(['success'])
    expect(await stage().home.files()).toContain('allowed.txt')
    const [ask, ...more] = stage().people.askedIn(session)
    expect(more).toEqual([])
    const [call] = getEnds(events).keys()
    expect(events.find((event) => event.type === 'ask')).toMatchObject({ entity: ask!.id, ask })
    expect(events.find((event) => event.type === 'answer')).toMatchObject({
      entity: ask!.id,
      answer: { by: 'person' },
    })
    expect(ask!.toolUse).toBe(call)
    expect(events.find((event) => event.type === 'tool_use')).toMatchObject({ name: 'Write' })
  })

  it('writes nothing when it is refused', async () => {
    await using session = await stage().open({}, () => 'deny')
    const { events, result } = await say(session, 'WRITE: denied.txt hello')
    expect([...getEnds(events).values()]).toEqual(['denied'])
    expect(await stage().home.files()).not.toContain('denied.txt')
    const after = cannot.includes('go on after a refusal') ? [] : [/^Done/]
    expect(
      after.every((words) => words.test(result.text)),
      result.text,
    ).toBe(true)
    if (after.length === 0) expect(result.text).toBe('')
    expect((await say(session, 'SAY: still here')).result).toMatchObject({ ok: true, text: 'still here' })
  })
  if (core) return

  it('asks no more once a kind of call is allowed for ever', async () => {
    const always = !cannot.includes('always')
    // Commands where it may: what is allowed for all edits, some agents allow in every session.
    const ask = (name: string) =>
      always && kind === 'command' ? `RUN: cp allowed-once.txt ${name}` : `WRITE: ${name} hello`
    const names = kind === 'file' ? ['always-1.txt', 'always-1.txt'] : ['always-1.txt', 'always-2.txt']
    await writeFile(join(stage().home.cwd, 'allowed-once.txt'), 'hello')
    await using session = await stage().open({}, ({ options }) =>
      options.some(({ effect }) => effect === 'allow_always') ? 'allow_always' : 'allow',
    )
    await say(session, ask(names[0]!))
    const { events, result } = await say(session, ask(names[1]!))
    expect(result.ok).toBe(true)
    expect([...getEnds(events).values()]).toEqual(['success'])
    expect(await stage().home.files()).toEqual(expect.arrayContaining(names))
    expect(stage().people.askedIn(session)).toHaveLength(always ? 1 : 2)
    const offered = stage()
      .people.askedIn(session)
      .flatMap(({ options }) => options.map(({ effect }) => effect))
    expect(offered.includes('allow_always')).toBe(always)
  })
}
