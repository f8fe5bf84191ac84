import { describe, expect, it } from 'vitest'
import { createWorld } from '../run/world.test-data.ts'

// With a prompt as argument, these CLIs answer it and exit instead of waiting for the user.
describe.each(['gemini', 'claude'])('a session of %s', (agent) => {
  it('is listed, shown, found and resumed', async () => {
    await using world = await createWorld([agent])
    expect(await world.remora(['run', agent, 'SAY: the first answer', '-q'])).toMatchObject({ code: 0 })
    const listed = await world.remora(['sessions', '--json', '--cwd', '.'])
    const [session, ...others] = JSON.parse(listed.out) as {
      id: string
      agent: string
      firstPrompt: string
    }[]
    expect(others).toEqual([])
    expect(session).toMatchObject({ agent, firstPrompt: 'SAY: the first answer' })
    const { id } = session!

    const resumed = await world.remora(['resume', 'latest', '--', '-p', 'SAY: the second answer'])
    expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining('the second answer') })
    const shown = await world.remora(['show', id.slice(0, 8)])
    expect(shown.out).toMatch(
      /the first answer[\s\S]*› You[^\n]*\nSAY: the second answer\n[\s\S]*the second answer\n$/,
    )
    const found = await world.remora(['search', 'second answer', '--json'])
    expect(JSON.parse(found.out)).toMatchObject({
      hits: expect.arrayContaining([expect.objectContaining({ session: id })]),
    })
    expect(await world.home.leftovers()).toEqual([])
  })
})
