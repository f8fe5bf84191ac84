import { describe, expect, it } from 'vitest'
import { builtInAgents } from '../agents/built-in.ts'
import { createAcpAgent } from '../channels/acp/command-agent.ts'
import type { Agent } from '../contract/agent.ts'
import { checkAgent } from './check-agent.ts'

const simple = createAcpAgent({ id: 'mine', command: 'mine' })

/** A definition that the compiler would refuse. */
const define = (fields: object): unknown => ({ ...simple, ...fields })

describe('checkAgent', () => {
  it.each(builtInAgents.map((agent) => [agent.id, agent] as const))('accepts %s', async (_, agent) => {
    expect(await checkAgent(agent)).toEqual([])
  })

  it('accepts an agent that is known only by its ACP command', async () => {
    expect(await checkAgent(simple)).toEqual([])
  })

  it.each([
    ['nothing', undefined, 'agent'],
    ['an id with capitals', define({ id: 'Mine' }), 'id'],
    ['no title', define({ title: '' }), 'title'],
    ['no detection', define({ detection: undefined }), 'detection'],
    ['no features', define({ features: {} }), 'features'],
    ['incomplete features', define({ features: () => ({ models: [] }) }), 'features.interrupt'],
    ['no part', define({ acp: undefined, terminals: {} }), 'agent'],
    ['half a part', define({ terminal: {} }), 'terminal.invocation'],
    ['a color that is code', define({ brand: { hue: { light: 'red;', dark: '#fff' } } }), 'brand.hue.light'],
    [
      'an icon that is markup',
      define({ brand: { hue: { light: '#000', dark: '#fff' }, icon: { path: '"><script>' } } }),
      'brand.icon.path',
    ],
  ])('names the field of a definition with %s', async (_, agent, part) => {
    expect(await checkAgent(agent)).toContainEqual(
      expect.objectContaining({ part, message: expect.any(String) as string }),
    )
  })

  it('names a part that throws or returns something else', async () => {
    const broken: Partial<Agent> = {
      health: async () => {
        throw new Error('no health')
      },
      headless: {
        invocation: () => ({ args: 'text' as unknown as string[] }),
        reader: () => ({
          read: (line) => (line === '' ? [] : [{ type: 'text' } as never]),
          end: () => ({ ok: true }),
        }),
      },
      transcripts: {
        root: () => 'sessions',
        isSession: () => true,
        isOwnRecord: () => false,
        format: () => 'lines',
        resume: () => ({ args: [] }),
      },
    }
    const faults = await checkAgent({ ...simple, ...broken })
    expect(faults).toContainEqual({ part: 'health', message: 'throws: no health' })
    expect(faults).toContainEqual({ part: 'headless.invocation.args', message: 'must be a list of texts' })
    expect(faults).toContainEqual({
      part: 'headless.reader.end',
      message: 'reports success for exit code 1',
    })
    expect(faults.map(({ part }) => part)).toContain('headless.reader.read.0.agent')
    expect(faults.map(({ part }) => part)).toContain('transcripts.root')
    expect(faults).toContainEqual({ part: 'transcripts', message: 'needs a reader, or a database' })
  })

  it('refuses a reader that drops unknown lines', async () => {
    const headless: Agent['headless'] = {
      invocation: () => ({ args: [] }),
      reader: () => ({ read: () => [], end: ({ code }) => ({ ok: code === 0 }) }),
    }
    expect(await checkAgent({ ...simple, headless })).toEqual([
      expect.objectContaining({ part: 'headless.reader.read' }),
    ])
  })
})
