import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { expect, it } from 'vitest'
import type { HookTarget, OurHook } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import { agentFile } from '../../agents/kiro/hooks.ts'
import { createNestedHooks } from '../../dialects/nested-hooks.ts'
import { type Plan, planInstall, planUninstall } from './install-plan.ts'
import type { InstallRecord } from './install-record.ts'

const events = ['AfterTool', 'Stop', 'SessionStart', 'Other']
const targets: readonly HookTarget[] = [
  createNestedHooks('/home/me/settings.json', () => ({ timeout: 5 })),
  agentFile('/home/me/agent.json'),
]

// Settings with hooks of other tools and whatever else people have, written as people write.
const handler = fc.record({
  type: fc.constant('command'),
  command: fc.constantFrom('dp ingest', 'bridge.sh "$X"'),
})
const group = fc.record({ matcher: fc.constantFrom('', '.*'), hooks: fc.array(handler, { maxLength: 2 }) })
const lists = fc.dictionary(fc.constantFrom(...events), fc.array(fc.oneof(group, handler), { maxLength: 2 }))
const settings = fc
  .tuple(
    fc.dictionary(fc.constantFrom('a', 'ui', '// no', 'ä'), fc.jsonValue()),
    fc.option(lists),
    fc.boolean(),
  )
  .map(([rest, hooks, first]) => {
    const own = hooks === null ? {} : { hooks }
    return first ? { ...own, ...rest } : { ...rest, ...own }
  })
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
const texts = fc
  .record({
    value: settings,
    indent: fc.constantFrom('', '  ', '\t', '    '),
    eol: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('', '\uFEFF'),
    comment: fc.constantFrom('', ' // mine, "a": {', ' /* x */'),
    trailing: fc.boolean(),
    end: fc.constantFrom('', '\n', ' // end\n'),
  })
  .map(({ value, indent, eol, mark, comment, trailing, end }) => {
    let text = JSON.stringify(value, undefined, indent)
    if (indent !== '') {
      if (trailing) text = text.replaceAll(/([\]}"\dle])(\n\s*[\]}])/g, '$1,$2')
      text = text.replaceAll('\n', `${comment}\n`)
    }
    return mark + (text + end).replaceAll('\n', eol)
  })
const absent = fc.constantFrom(undefined, '', '// nothing\n', '{ }', '{\r\n}')
const chosen = fc.uniqueArray(fc.constantFrom(...events), { minLength: 1 })

const toHooks = (wanted: readonly string[], kind: OurHook['kind']): OurHook[] =>
  wanted.map((event) => ({
    kind,
    event,
    command: [`/home/me/.remora/hooks/remora-${kind === 'pave' ? 'pave.mjs' : 'hook'}`, 'x'],
  }))
const toRecord = ({ text, ...plan }: Plan, { file }: HookTarget): InstallRecord => ({
  ...plan,
  agent: 'x',
  file,
  scope: 'user',
  cwd: '/home/me',
  folders: [],
  after: computeDigest(text ?? ''),
})
const read = (text: string): unknown =>
  parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true }) ?? {}

it('restores the bytes of any settings after any sequence of installs', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...targets),
      fc.oneof({ weight: 5, arbitrary: texts }, { weight: 1, arbitrary: absent }),
      chosen,
      chosen,
      fc.boolean(),
      (target, text, first, second, paveFirst) => {
        const kinds = paveFirst ? (['pave', 'record'] as const) : (['record', 'pave'] as const)
        const one = planInstall(target, text, undefined, toHooks(first, kinds[0]), kinds[0])
        const record = toRecord(one, target)
        const again = planInstall(target, one.text, record, toHooks(first, kinds[0]), kinds[0])
        expect(again).toEqual({ ...one, untouched: true })
        expect(planUninstall(target, one.text!, record, undefined).text).toBe(text)

        const both = planInstall(target, one.text, record, toHooks(second, kinds[1]), kinds[1])
        const wanted = [
          ...first.map((event) => `${kinds[0]} ${event}`),
          ...second.map((event) => `${kinds[1]} ${event}`),
        ]
        const ours = target
          .entries(both.text!)
          .flatMap(({ kind, event }) => (kind ? [`${kind} ${event}`] : []))
        expect(ours.toSorted()).toEqual(wanted.toSorted())
        const others = target.entries(both.text!).filter(({ kind }) => kind === undefined)
        expect(others.toSorted(byEvent)).toEqual(target.entries(text ?? '').toSorted(byEvent))

        const left = planUninstall(target, both.text!, toRecord(both, target), kinds[0])
        expect(planUninstall(target, left.text!, toRecord(left, target), kinds[1]).text).toBe(text)
      },
    ),
    { numRuns: 400 },
  )
})

it('removes only our entries from a text that others have changed', () => {
  fc.assert(
    fc.property(fc.constantFrom(...targets), texts, chosen, (target, text, wanted) => {
      const { text: installed } = planInstall(target, text, undefined, toHooks(wanted, 'record'), 'record')
      const back = target.removed(installed!, undefined, text)
      expect(read(back)).toEqual(read(text))
      // Only the white space in what was empty is not known any more.
      if (!/[[{]\s*[\]}]/.test(text)) expect(back).toBe(text)
    }),
    { numRuns: 400 },
  )
})

function byEvent(a: { event: string }, b: { event: string }): number {
  return a.event < b.event ? -1 : a.event > b.event ? 1 : 0
}
