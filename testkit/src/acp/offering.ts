import { type Event } from '@remora/protocol'
import { type HostTool, tool } from '@remora/sdk'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Stage } from './stage.ts'
import { getEnds, say } from './taken.ts'

/** Tools of the program, and data as an answer. */
export function testOffering(stage: () => Stage) {
  it('calls a tool of the program', async () => {
    const calls: unknown[] = []
    await using session = await stage().open({ tools: [adding(calls)] })
    const { events, result } = await say(session, 'SCENARIO: host-tool')
    expect(result).toMatchObject({ ok: true, text: 'Added.', toolCalls: 1 })
    expect(calls).toEqual([{ left: 40, right: 2 }])
    expect([...getEnds(events).values()]).toEqual(['success'])
    // The model has read what the tool gave back.
    expect(stage().turns('SCENARIO: host-tool').at(-1)?.toolResults.at(-1)?.content).toContain(
      'The sum is 42.',
    )
    // Nobody was asked: the program has offered the tool itself.
    expect(stage().people.askedIn(session)).toEqual([])
  })

  it('lets nobody else call it', async () => {
    await using session = await stage().open({ tools: [adding([])] })
    const { url, headers, type } = lastServer(stage().heard)
    expect(type).toBe('http')
    expect(new URL(url).hostname).toBe('127.0.0.1')
    const knock = async (bearer: string | undefined) => {
      const { status } = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(bearer === undefined ? {} : { authorization: bearer }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      return status
    }
    const [{ value: right } = { value: '' }] = headers
    expect(right).toMatch(/^Bearer .{20,}$/)
    expect(await knock(undefined)).toBe(401)
    expect(await knock(`${right.slice(0, -1)}?`)).toBe(401)
    expect(await knock(right)).not.toBe(401)
    await session.close()
    await expect(knock(right)).rejects.toThrow()
  })

  it('answers with data, after it was told what did not fit', async () => {
    await using session = await stage().open()
    const { events, result } = await say(session, 'SCENARIO: structured', {
      output: z.object({ stars: z.number() }),
    })
    expect(result).toMatchObject({ ok: true, data: { stars: 4 }, toolCalls: 2 })
    const ends = [...getEnds(events).values()]
    expect(ends).toHaveLength(2)
    expect(ends.at(-1)).toBe('success')
    const told = stage()
      .turns('SCENARIO: structured')
      .at(-1)!
      .toolResults.map(({ content }) => content)
    expect(told.at(-2)).toContain('does not fit')
    expect(told.at(-1)).toContain('taken')
  })
}

function adding(calls: unknown[]): HostTool {
  return tool({
    name: 'add',
    description: 'Adds two numbers',
    input: z.object({ left: z.number(), right: z.number() }),
    run: (input) => {
      calls.push(input)
      return `The sum is ${input.left + input.right}.`
    },
  })
}

/** The server of our tools as the agent was last told of it, which stands in the raw message. */
function lastServer(heard: readonly Event[]) {
  const opening = heard.findLast(
    ({ raw }) => (raw as { method?: string } | undefined)?.method === 'session/new',
  )
  const { params } = opening!.raw as {
    params: { mcpServers: { type: string; url: string; headers: { name: string; value: string }[] }[] }
  }
  return params.mcpServers[0]!
}
