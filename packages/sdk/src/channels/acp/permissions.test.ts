import type { Answer, AskBroker } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect } from '../../api/connect.ts'
import { fakeAgent } from './fake-agent/command.test-data.ts'
import type { ConnectOptions, OpenOptions, PromptOptions } from './options.ts'
import { collectEvents, talk } from './session.test-data.ts'
import { tool } from './tools/tool.ts'

describe('a refusal', () => {
  it('is in the result', async () => {
    await using talking = await talk({ permissions: 'deny' })
    const { permissionDenials } = await talking.say('tool write /tmp/a.txt')
    expect(permissionDenials).toEqual([expect.objectContaining({ name: 'Write' })])
  })

  it('is not a cancel, although some agents report it as one', async () => {
    await using talking = await talk({ permissions: 'deny' })
    expect(await talking.say('tool write\nstop cancelled')).toMatchObject({
      ok: true,
      stopReason: 'end_turn',
    })
    expect(await talking.say('say one\nstop cancelled')).toMatchObject({ ok: false })
  })
})

describe('a broker', () => {
  const wrong: Record<string, AskBroker['ask']> = {
    throws: () => Promise.reject(new Error('The screen is off')),
    'answers nothing': () => Promise.resolve(undefined as unknown as Answer),
    'chooses what is not there': async ({ id, digest }) => ({
      ask: id,
      digest,
      option: 'maybe',
      by: 'person',
    }),
    'answers something else': async ({ id }) => ({
      ask: id,
      digest: 'x',
      option: 'proceed_once',
      by: 'person',
    }),
  }
  it.each(Object.entries(wrong))('that %s is reported, and nothing is allowed', async (_, ask) => {
    await using talking = await talk({ asks: { ask } })
    const events = await collectEvents(talking.session.prompt('tool write'))
    expect(events.filter(({ type }) => type === 'error')).toMatchObject([{ severity: 'warning' }])
    expect(events.filter((event) => event.type === 'tool_result')).not.toMatchObject([{ status: 'success' }])
  })
})

it('refuses a host tool by its own name, even if the agent does not ask', async () => {
  const secret = tool({ name: 'secret', description: 'A secret', input: z.object({}), run: () => '42' })
  for (const name of ['secret', 'mcp__remora__secret', 'Sec*']) {
    const permissions = { rules: [{ decide: 'deny', tool: name }] } as const
    await using talking = await talk({ permissions }, { tools: [secret] })
    expect((await talking.say('call-tool secret {}')).text).toContain('refuses the tool secret')
  }
})

describe('options', () => {
  const bad: [unknown, string][] = [
    [{ permission: 'auto' }, 'there is no option permission'],
    [{ asks: () => 'yes' }, 'asks is not an object with a method ask'],
    [{ sink: {} }, 'sink is not an object with a method write'],
    [{ files: true }, 'files is not an object'],
    [{ terminals: 'yes' }, 'terminals is not true or false, or an object'],
    [{ mode: '' }, 'mode is not a text'],
    [{ permissions: { rules: [], otherwise: 'ask' } }, 'permissions that ask need the option asks'],
    [{ stuck: { afterMs: 0 } }, 'afterMs is not a number above zero'],
  ]
  it.each(bad)('of connect: %j', async (options, words) => {
    await expect(connect(fakeAgent(), options as ConnectOptions)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(words) as string,
    })
  })

  it('of an unknown agent', async () => {
    await expect(connect(undefined as unknown as string)).rejects.toMatchObject({ code: 'usage' })
    await expect(connect({ command: 'false' })).rejects.toMatchObject({
      code: 'crashed',
      hint: expect.stringContaining('Start it by hand') as string,
    })
  })

  it('of open and prompt', async () => {
    await using talking = await talk()
    const { connection, session, cwd } = talking
    for (const options of [
      undefined,
      {},
      { cwd, budget: 1 },
      { cwd, fork: true },
      { cwd, mcpServers: { x: {} } },
    ])
      await expect(connection.open(options as OpenOptions)).rejects.toMatchObject({ code: 'usage' })
    for (const options of [
      { deadline: '5m' },
      { deadline: Number.NaN },
      { until: 'x' },
      { output: { a: 1 } },
    ])
      expect(() => session.prompt('say one', options as unknown as PromptOptions)).toThrow(
        expect.objectContaining({ code: 'usage' }),
      )
    for (const content of [undefined, [{ type: 'image', data: 'x' }]])
      expect((await session.prompt(content as unknown as string).result).error).toMatchObject({
        code: 'usage',
      })
  })
})
