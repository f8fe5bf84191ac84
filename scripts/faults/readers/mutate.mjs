import { parseJson } from '@remora/protocol/plain'

/** Stands for raw JSON text in a value that is written with `stringify`. */
class Raw {
  constructor(text) {
    this.text = text
  }

  toString() {
    return this.text
  }
}

/** Writes a value as JSON and inserts its raw parts: numbers out of range, duplicate keys, deep nesting. */
function stringify(value) {
  const raws = []
  const text = JSON.stringify(value, (_, each) =>
    each instanceof Raw ? `\u0001${raws.push(each.text) - 1}\u0001` : each,
  )
  return text.replaceAll(/"\\u0001(\d+)\\u0001"/g, (_, index) => raws[index])
}

const strangeTexts = [
  '',
  '\u0000',
  '\uD800',
  'a\uDC00b',
  '\u202Egnp.exe\u202C',
  '\u2066hidden\u2069',
  '\u001B]52;c;ZXZpbA==\u0007',
  '\u001B[2J\u001B[31mred',
  '\u009B31m',
  '\r\rover',
  'a\u0008\u0008b',
  '__proto__',
  'constructor',
  'toString',
  '../../../../etc/passwd',
  '<script>alert(1)</script>',
  '</details></article>',
  '```\n# x\n```',
  '👩‍👩‍👧‍👦 é नमस्ते',
  '[Request interrupted by user]',
  '<command-name>x</command-name>',
  'Output: x\nExit Code: 1\nSignal: 9',
  '{"error":',
  '%s%n%d',
  "'; DROP TABLE events; --",
  '$& $1 $$',
]
const strangeDates = [
  '',
  'yesterday',
  '+275760-09-13T00:00:00.001Z',
  '0000-00-00T00:00:00Z',
  '-000001-01-01',
  '9999-99-99',
  '1969-12-31T23:59:59Z',
]
const strangeNumbers = [
  '1e999',
  '-1e999',
  '9007199254740993',
  '-1',
  '-0',
  '0.1e-400',
  '8640000000000001',
  '1e308',
  '253402300800000',
  '12345678901234567890',
]
const fillings = [
  'a',
  '`',
  '\\',
  '\n',
  ' ',
  '"',
  '<',
  '\u0301',
  '🙂',
  '\u001B[0m',
  '\u0000',
  'ab ',
  '- [ ] ',
  '\t',
  '\u202E',
  '0',
  'aaaa-',
  '/',
  '*',
  '{"a":',
  '(',
]

const pick = (random, list) => list[Math.floor(random() * list.length)]
const between = (random, low, high) => low + Math.floor(random() * (high - low))

function nested(random) {
  const levels = pick(random, [50, 400, 505, 3_000, 6_000, 20_000])
  return new Raw(
    random() < 0.5
      ? `${'['.repeat(levels)}${']'.repeat(levels)}`
      : `${'{"a":'.repeat(levels)}"x"${'}'.repeat(levels)}`,
  )
}

function hugeText(random) {
  const filling = pick(random, fillings)
  return filling.repeat(Math.ceil(pick(random, [1_000, 70_000, 300_000, 1_200_000]) / filling.length))
}

/** Draws a value of an unexpected type. */
function strangeValue(random, old) {
  switch (between(random, 0, 12)) {
    case 0:
      return nested(random)
    case 1:
      return hugeText(random)
    case 2:
      return new Raw(pick(random, strangeNumbers))
    case 3:
      return pick(random, strangeDates)
    case 4:
      return pick(random, [null, true, false, [], {}, [[]], [null], { type: 'text' }])
    case 5:
      return Array.from(
        { length: Math.min(longest / getSize(old), pick(random, [3, 1_000, 150_000])) },
        () => old,
      )
    case 6:
      return [old]
    case 7:
      return { ['__proto__']: old, type: old, text: old }
    case 8:
      return new Raw(`{"__proto__":{"type":"text","text":"x"},"constructor":null,"a":1,"a":2}`)
    case 9:
      return typeof old === 'string' ? old.repeat(2) : String(old)
    default:
      return pick(random, strangeTexts)
  }
}

/** Lists every position in a value: the containing object or array, and the key. */
function placesIn(value, found = []) {
  if (typeof value !== 'object' || value === null) return found
  for (const key of Object.keys(value)) {
    found.push([value, key])
    placesIn(value[key], found)
  }
  return found
}

function mutateStructure(random, line) {
  let value
  try {
    value = parseJson(line.toString('utf8'))
  } catch {
    return mutateBytes(random, line)
  }
  for (let count = between(random, 1, 4); count > 0 && getSize(value) < longest; count--) {
    const places = placesIn(value)
    if (places.length === 0) break
    const [holder, key] = pick(random, places)
    const way = random()
    if (way < 0.6) set(holder, key, strangeValue(random, holder[key]))
    else if (way < 0.75) delete holder[key]
    else if (way < 0.85) {
      const [other, otherKey] = pick(random, places)
      if (typeof other[otherKey] !== 'object') set(holder, key, other[otherKey])
    } else if (!Array.isArray(holder)) {
      const text = stringify(holder[key] ?? null)
      delete holder[key]
      const name = pick(random, ['__proto__', 'constructor', 'hasOwnProperty', '', '0', `${key} `])
      set(holder, name, new Raw(text))
    }
  }
  return Buffer.from(stringify(value))
}

/** Assigns also special keys, such as `__proto__`. */
function set(holder, key, value) {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

/** The approximate length of a value as JSON. */
function getSize(value) {
  if (value instanceof Raw) return value.text.length
  return (JSON.stringify(value, (_, each) => (each instanceof Raw ? each.text : each)) ?? '').length + 1
}

/** Lines do not grow beyond this length. */
const longest = 4_000_000

function mutateBytes(random, line) {
  const bytes = Buffer.from(line)
  const at = between(random, 0, bytes.length + 1)
  const end = Math.min(bytes.length, at + between(random, 1, 40))
  const insert = (text) => Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at)])
  switch (between(random, 0, 9)) {
    case 0:
      for (let count = between(random, 1, 9); count > 0 && bytes.length > 0; count--)
        bytes[between(random, 0, bytes.length)] = between(random, 0, 256)
      return bytes
    case 1:
      return insert([0])
    case 2:
      return insert([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80])
    case 3:
      return bytes.subarray(0, at)
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
    case 5:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)])
    case 6:
      return insert('\n')
    case 7:
      return insert('\uFEFF')
    default:
      return insert('['.repeat(between(random, 1, 30_000)))
  }
}

/** Changes, duplicates and moves lines of a recording, or replaces them by lines of another one. */
export function mutate(random, lines, others) {
  const mutated = [...lines]
  for (let count = between(random, 1, 4); count > 0 && mutated.length > 0; count--) {
    const index = between(random, 0, mutated.length)
    const way = random()
    if (way < 0.62) mutated[index] = mutateStructure(random, mutated[index])
    else if (way < 0.8) mutated[index] = mutateBytes(random, mutated[index])
    else if (way < 0.85) mutated.splice(index, 1)
    else if (way < 0.9) mutated.splice(between(random, 0, mutated.length), 0, mutated[index])
    else if (way < 0.95) mutated.unshift(...mutated.splice(index, 1))
    else mutated.splice(index, 0, pick(random, others))
  }
  return mutated
}
