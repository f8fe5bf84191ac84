import { expect, it } from 'vitest'
import { checkScenario } from './check-scenario.ts'
import { loadScenario, loadScenarios } from './load-scenarios.ts'

it('ships valid scenarios', async () => {
  const scenarios = await loadScenarios()
  const names = scenarios.map((scenario) => scenario.name)
  expect(names).toEqual(
    expect.arrayContaining(['hello', 'write-file', 'parallel', 'fault-quota', 'retry-then-ok']),
  )
  expect(names).toHaveLength(23)
  expect(new Set(scenarios.map((scenario) => scenario.title)).size).toBe(23)
})

it('lists the scenarios if the name is unknown', async () => {
  await expect(loadScenario('nope')).rejects.toThrow(
    /No scenario is called nope\. There are: edit, .*write-file/,
  )
})

const sound = { name: 'n', title: 't', prompt: 'p' }

it.each<[string, unknown, string]>([
  ['not an object', [], 'f.json: it must be an object'],
  ['no title', { ...sound, title: undefined, turns: [[{}]] }, 'f.json: title must be text'],
  [
    'a wrong mode',
    { ...sound, mode: 'yolo', turns: [[{}]] },
    'f.json: mode must be one of default, acceptEdits',
  ],
  ['no turns', { ...sound, turns: [] }, 'f.json: turns must be a list that is not empty'],
  ['an empty turn', { ...sound, turns: [[]] }, 'f.json: turns[0] must be a list'],
  ['a misspelt field', { ...sound, turns: [[{ texts: 'a' }]] }, 'f.json: turns[0][0] has no field texts'],
  ['a wrong chunk', { ...sound, turns: [[{ text: ['a', 1] }]] }, 'turns[0][0].text[1] must be text'],
  [
    'a thought without a subject',
    { ...sound, turns: [[{ thoughts: [{ description: 'd' }] }]] },
    'thoughts[0].subject',
  ],
  [
    'a tool without input',
    { ...sound, turns: [[{}], [{ tools: [{ name: 'Bash' }] }]] },
    'turns[1][0].tools[0].input',
  ],
  [
    'a tool with two names',
    { ...sound, turns: [[{ tools: [{ name: 'a', native: 'b', input: {} }] }]] },
    'not both',
  ],
  ['a negative delay', { ...sound, turns: [[{ delayMs: -1 }]] }, 'delayMs must be a whole number'],
  ['a wrong count', { ...sound, turns: [[{ usage: { input: '1' } }]] }, 'usage.input must be a whole number'],
  [
    'a wrong status',
    { ...sound, turns: [[{ fault: { kind: 'status', status: 418 } }]] },
    'fault.status must be one of',
  ],
  [
    'a wrong kind of fault',
    { ...sound, turns: [[{ fault: { kind: 'boom' } }]] },
    'fault.kind must be one of',
  ],
  ['a wrong stop', { ...sound, turns: [[{ stop: 'end' }]] }, 'stop must be one of safety, length'],
])('refuses %s', (_what, value, message) => {
  expect(() => checkScenario(value, 'f.json')).toThrow(message)
})
