import fc from 'fast-check'
import { type Node, parse, parseTree } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { type JsoncPath, removeJsonc, setJsonc } from './jsonc-edit.ts'

const read = (text: string): unknown => parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })

describe('setting a value', () => {
  it.each<[string, string, JsoncPath, unknown, string]>([
    [
      'replaces it',
      '{\n  "a": 1, // one\n  "b": 2\n}\n',
      ['a'],
      false,
      '{\n  "a": false, // one\n  "b": 2\n}\n',
    ],
    [
      'adds it in the indentation of the others',
      '{\n\t"a": 1\n}',
      ['b'],
      [1],
      '{\n\t"a": 1,\n\t"b": [\n\t\t1\n\t]\n}',
    ],
    [
      'adds it after a comment, which stays with its entry',
      '{\n  "a": 1 // one\n  // end\n}',
      ['b'],
      2,
      '{\n  "a": 1, // one\n  "b": 2\n  // end\n}',
    ],
    [
      'keeps trailing commas',
      '{\r\n    "a": 1, // one\r\n}\r\n',
      ['b'],
      2,
      '{\r\n    "a": 1, // one\r\n    "b": 2,\r\n}\r\n',
    ],
    [
      'makes what is missing on the way',
      '{\n    "general": {\n        "vim": true\n    }\n}',
      ['general', 'sessionRetention', 'enabled'],
      false,
      '{\n    "general": {\n        "vim": true,\n        "sessionRetention": {\n            "enabled": false\n        }\n    }\n}',
    ],
    ['stays on one line', '{ "a": 1 }', ['b', 'c'], [1, {}], '{ "a": 1, "b": { "c": [1, {}] } }'],
    ['stays tight', '{"a":{}}', ['a', 'b'], { c: [1] }, '{"a":{"b":{"c":[1]}}}'],
    ['does not run into a comment', '{ "a": 1 // one\n}', ['b'], 2, '{ "a": 1, // one\n  "b": 2\n}'],
    ['fills what is empty', '{}\n', ['a'], 1, '{\n  "a": 1\n}\n'],
    [
      'fills what is empty but for a comment',
      '{\n  "a": { // none yet\n  }\n}',
      ['a', 'b'],
      1,
      '{\n  "a": { // none yet\n    "b": 1\n  }\n}',
    ],
    [
      'fills an empty object between others',
      '{ "a": {}, "b": 1 }',
      ['a', 'c'],
      1,
      '{ "a": { "c": 1 }, "b": 1 }',
    ],
    ['keeps a comment in braces', '{/* c */}', ['a'], 1, '{/* c */\n  "a": 1\n}'],
    ['appends to a list', '{"a": [\n  1\n]}', ['a', 1], 2, '{"a": [\n  1,\n  2\n]}'],
    [
      'makes a list',
      '{}',
      ['hooks', 'Stop', 0, 'command'],
      'x',
      '{\n  "hooks": {\n    "Stop": [\n      {\n        "command": "x"\n      }\n    ]\n  }\n}',
    ],
    ['replaces an element', '[{"a": 1}, 2]', [0, 'a'], 3, '[{"a": 3}, 2]'],
    ['takes the last of two', '{"a": 1, "a": 2}', ['a'], 3, '{"a": 1, "a": 3}'],
    ['makes an object of nothing', '', ['a', 'b'], 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['keeps the comments of a file without an object', '// mine', ['a'], 1, '// mine\n{\n  "a": 1\n}\n'],
    ['keeps a byte order mark', '\uFEFF{"a":1}', ['b'], 2, '\uFEFF{"a":1,"b":2}'],
    [
      'changes nothing where it is so already',
      '{ "a" :  { "b":1 } }',
      ['a'],
      { b: 1 },
      '{ "a" :  { "b":1 } }',
    ],
  ])('%s', (_, text, path, value, expected) => {
    expect(setJsonc(text, path, value)).toBe(expected)
  })

  it.each<[string, JsoncPath]>([
    ['{"a": }', ['a']],
    ['{"a": 1', ['a']],
    ['{"a": 1} x', ['a']],
    ['[1]', ['a']],
    ['{"a": "text"}', ['a', 'b']],
    ['{"a": null}', ['a', 'b']],
    ['{"a": {}}', ['a', 0]],
    ['{"a": []}', ['a', 1]],
    ['{}', ['a', 1]],
    ['{}', []],
  ])('refuses %s at %j', (text, path) => {
    expect(() => setJsonc(text, path, 1)).toThrow(expect.objectContaining({ name: 'RemoraError' }))
  })

  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3: a comma is missing'],
    ['{\n  a: 1\n}', 'line 2: a word is not valid JSON'],
    ['{\n  1: 1\n}', 'line 2: the name of a property, in double quotes, is missing'],
    ['{"a": }', 'line 1: a value is missing'],
    ['{"a": 1', 'line 1: a closing brace } is missing'],
    ['{"a": [1', 'line 1: a closing bracket ] is missing'],
    ['{"a" 1}', 'line 1: a colon is missing after the name of a property'],
    ['{"a": "b}', 'line 1: a string is not closed'],
    ['{} {}', 'line 1: there is text after the end of the value'],
  ])('says what is wrong in %j, and where', (text, words) => {
    expect(() => setJsonc(text, ['a'], 1)).toThrow(`It is not JSON: ${words}`)
  })
})

describe('removing a value', () => {
  it.each<[string, JsoncPath, string]>([
    ['{ "a": 1, "b": 2 }', ['b'], '{ "a": 1 }'],
    ['{ "a": 1, "b": 2 }', ['a'], '{ "b": 2 }'],
    ['{\n  "a": 1, // one\n  "b": 2, // two\n}', ['b'], '{\n  "a": 1, // one // two\n}'],
    ['{ // c\n  "a": 1, "b": 2 }', ['a'], '{ // c\n "b": 2 }'],
    ['{ "a": 1, // c\n "b": 2 }', ['b'], '{ "a": 1 // c\n }'],
    ['{\n  "a": [1]\n}', ['a', 0], '{\n  "a": []\n}'],
    ['{ /* c */ "a": 1 }', ['a'], '{ /* c */ }'],
    ['{ "a": 1 }', ['b'], '{ "a": 1 }'],
    ['', ['b'], ''],
  ])('from %j at %j', (text, path, expected) => {
    expect(removeJsonc(text, path)).toBe(expected)
  })
})

/** An object written as a person might: comments and white space anywhere, two properties of one name. */
const spaces = fc
  .array(fc.constantFrom(' ', '\t', '\n', '\r\n', '// a "b": {\n', '/* , } */', '/**/', '/* x\n */'), {
    maxLength: 3,
  })
  .map((parts) => parts.join(''))
const key = fc.constantFrom('a', 'b', 'c"\\', 'ä', '')
const document = fc.letrec<{ value: string; object: string; list: string }>((tie) => {
  const list = (item: fc.Arbitrary<string>, [open, close]: readonly [string, string]) =>
    fc
      .tuple(spaces, fc.array(fc.tuple(item, spaces), { maxLength: 4 }), spaces, fc.boolean())
      .map(([start, items, end, comma]) => {
        const texts = items.map(([each, space]) => each + space)
        return `${open}${start}${texts.join(',')}${comma && texts.length > 0 ? `,${end}` : ''}${close}`
      })
  const property = fc
    .tuple(spaces, key, spaces, spaces, tie('value'))
    .map(([before, name, a, b, value]) => `${before}${JSON.stringify(name)}${a}:${b}${value}`)
  const element = fc.tuple(spaces, tie('value')).map((pair) => pair.join(''))
  return {
    object: list(property, ['{', '}']),
    list: list(element, ['[', ']']),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('1', 'null', '"// text"', 'false', '-2.5e3'),
      tie('object'),
      tie('list'),
    ),
  }
})
const file = fc
  .tuple(fc.constantFrom('', '\uFEFF'), spaces, document.object, spaces)
  .map((parts) => parts.join(''))
const way = fc.array(key, { minLength: 1, maxLength: 4 })

describe('any file', () => {
  it('keeps everything but the new value, and removing the value restores the same bytes', () => {
    fc.assert(
      fc.property(file, way, fc.jsonValue(), (text, path, value) => {
        const before = read(text)
        const missing = firstMissing(before, path)
        // The parser of the check, and not the one that edits, drops this name.
        fc.pre(missing !== undefined && !JSON.stringify(value).includes('__proto__'))
        const after = setJsonc(text, path, value)
        expect(read(after)).toEqual(withValue(before, path, value))
        if (missing === 'nothing') {
          const { offset, length } = nodeAt(text, path)
          expect(after.startsWith(text.slice(0, offset))).toBe(true)
          expect(after.slice(offset).endsWith(text.slice(offset + length))).toBe(true)
          return
        }
        expect(isWithin(text, after)).toBe(true)
        const back = removeJsonc(after, path.slice(0, missing))
        if (Object.keys(valueAt(before, path.slice(0, missing - 1)) as object).length > 0)
          expect(back).toBe(text)
        else expect(read(back)).toEqual(before)
      }),
      { numRuns: 500 },
    )
  })
})

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** How many steps lead to what is missing first; `nothing` if all is there, undefined if something is in the way. */
function firstMissing(tree: unknown, path: readonly string[]): number | 'nothing' | undefined {
  let current = tree
  for (const [index, step] of path.entries()) {
    if (!isTree(current)) return undefined
    if (!Object.hasOwn(current, step)) return index + 1
    current = current[step]
  }
  return 'nothing'
}

/** Finds a value in a text with or without a byte order mark. */
function nodeAt(text: string, path: readonly string[]): { offset: number; length: number } {
  const mark = text.startsWith('\uFEFF') ? 1 : 0
  const root = parseTree(text.slice(mark), [], { allowTrailingComma: true })!
  const { offset, length } = path.reduce<Node>(
    (node, step) => node.children!.findLast(({ children }) => children![0]!.value === step)!.children![1]!,
    root,
  )
  return { offset: offset + mark, length }
}

function valueAt(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((current, step) => (current as Tree)[step], tree)
}

function withValue(tree: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return JSON.parse(JSON.stringify(value))
  const fields = isTree(tree) ? tree : {}
  return { ...fields, [step]: withValue(fields[step], rest, value) }
}

/** Whether a text is another one with something left out. White space in an empty object may go. */
function isWithin(part: string, whole: string): boolean {
  let at = 0
  for (const letter of part.replace(/\s/g, '')) {
    at = whole.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}
