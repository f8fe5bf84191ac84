import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { McpClient, serve } from './tool-server.test-data.ts'

async function expecting(schema: z.ZodType) {
  const server = await serve({ structuredOutput: true })
  const client = await McpClient.connect(server)
  const expectation = server.expect(schema)
  return { server, expectation, give: (input: unknown) => client.callText('structured_output', input) }
}

const point = z.object({ x: z.number(), label: z.string().default('none') })

describe('structured output', () => {
  it('is returned to the model until it is valid, and the last valid value wins', async () => {
    const { expectation, give } = await expecting(point)
    expect(await give({ data: { x: 'one' } })).toMatch(
      /^! The data does not fit:\n.*expected number.*→ at x/s,
    )
    expect(expectation).toMatchObject({
      value: undefined,
      lastProblem: expect.stringContaining('expected number'),
    })
    expect(await give({ data: { x: 1 } })).toBe('The data was taken.')
    await give({ data: { x: 2, label: 'b' } })
    await give({ data: { x: 'three' } })
    expect(expectation.value).toEqual({ value: { x: 2, label: 'b' } })
    expect(expectation.lastProblem).toContain('expected number')
  })

  it('adds instructions to the prompt', async () => {
    const { expectation } = await expecting(point)
    expect(expectation.instruction).toContain('`structured_output` of the MCP server `remora`')
    // Fields with a default are optional.
    expect(expectation.instruction).toContain('"required":["x"]')
    expect((await expecting(z.array(z.string()))).expectation.instruction).toContain('field `items`')
    expect((await expecting(z.number())).expectation.instruction).toContain('field `value`')
  })

  it.each([
    ['as a text', point, { data: '{"x": 1}' }, { x: 1, label: 'none' }],
    ['as a text with mistakes', point, { data: "{x: 1, label: 'a',}" }, { x: 1, label: 'a' }],
    ['without `data`', point, { x: 1 }, { x: 1, label: 'none' }],
    ['in a field that has that name itself', z.object({ data: z.number() }), { data: 5 }, { data: 5 }],
    ['twice in that field', z.object({ data: z.number() }), { data: { data: 5 } }, { data: 5 }],
    ['wrapped', z.array(z.number()), { data: { items: [1, 2] } }, [1, 2]],
    ['unwrapped', z.array(z.number()), { data: [1, 2] }, [1, 2]],
    ['wrapped in a text', z.array(z.number()), { data: '{"items": [1]}' }, [1]],
    ['wrapped without `data`', z.array(z.number()), { items: [1] }, [1]],
    ['as a number', z.number(), { data: { value: 3 } }, 3],
    ['as a bare number', z.number(), { data: 3 }, 3],
    ['as a text that is one', z.string(), { data: '{"x": 1}' }, '{"x": 1}'],
    ['as null', z.null(), { data: null }, null],
    ['as anything', z.unknown(), { data: '{"x": 1}' }, { x: 1 }],
    ['with what Gemini adds', z.strictObject({ x: z.number() }), { x: 1, wait_for_previous: true }, { x: 1 }],
  ])('is accepted %s', async (_, schema, input, value) => {
    const { expectation, give } = await expecting(schema)
    expect(await give(input)).toBe('The data was taken.')
    expect(expectation.value).toEqual({ value })
  })

  it('is not accepted by a loose schema without data', async () => {
    const { expectation, give } = await expecting(z.object({ x: z.number().optional() }))
    expect(await give({ data: { x: 'one' } })).toContain('expected number')
    expect(expectation.value).toBeUndefined()
  })

  it('survives a schema that throws', async () => {
    const thrower = z.string().transform(() => {
      throw new Error('Broken transform')
    })
    const { expectation, give } = await expecting(thrower)
    expect(await give({ data: 'x' })).toContain('Broken transform')
    expect(expectation.value).toBeUndefined()
  })

  it('is accepted for one prompt at a time, and only while it is requested', async () => {
    const { server, expectation, give } = await expecting(point)
    expect(() => server.expect(point)).toThrow('Another prompt')
    await give({ data: { x: 1 } })
    expectation.end()
    expect(await give({ data: { x: 2 } })).toMatch(/^! No structured output is requested/)
    expect(expectation.value).toEqual({ value: { x: 1, label: 'none' } })
    const next = server.expect(point)
    expectation.end()
    await give({ data: { x: 3 } })
    expect(next.value).toEqual({ value: { x: 3, label: 'none' } })
  })

  it('is not offered if it is not requested', async () => {
    const server = await serve({})
    expect(() => server.expect(point)).toThrow(expect.objectContaining({ code: 'usage' }))
    const client = await McpClient.connect(server)
    expect(await client.request('tools/list', {})).toMatchObject({ tools: [] })
    expect(await client.callText('structured_output', {})).toContain('There is no tool')
  })
})
