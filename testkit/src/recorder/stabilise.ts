/** What differs from run to run and is known by name: paths, ports, hosts. */
export interface Volatile {
  /** Texts to replace, and by what; longer ones first wins. */
  readonly literals: Readonly<Record<string, string>>
}

/**
 * Makes recordings of the same run equal, byte by byte: paths, ids, times and durations become constants or numbers in
 * the order of their first appearance. One stabiliser serves one scenario, so that an id is the same in all of its files.
 * What was made stable stays as it is.
 *
 * @example
 * const stabilise = createStabiliser({ literals: { [home.cwd]: '/home/user/work' } })
 * stabilise.jsonLines(stream)
 */
export function createStabiliser(volatile: Volatile) {
  const literals = Object.entries(volatile.literals)
    .filter(([from]) => from !== '')
    .toSorted(([a], [b]) => b.length - a.length)
  const numbered = new Map<string, string>()
  const counters = new Map<string, number>()
  const shorts = new Map<string, string>()

  /** The same id gives the same replacement; a new one takes the next number of its kind. */
  function number(kind: string, id: string, render: (n: number) => string): string {
    const key = `${kind} ${id}`
    const known = numbered.get(key)
    if (known !== undefined) return known
    const next = (counters.get(kind) ?? 0) + 1
    counters.set(kind, next)
    const replacement = render(next)
    numbered.set(key, replacement)
    return replacement
  }

  function text(value: string): string {
    let result = value
    for (const [from, to] of literals) result = result.replaceAll(from, to)
    result = result.replaceAll(uuid, (id) => {
      const stable = number('uuid', id.toLowerCase(), (n) => `${padded(n, 8)}-0000-4000-8000-000000000000`)
      // Gemini names its session files by the first eight characters.
      shorts.set(id.slice(0, 8), stable.slice(0, 8))
      return stable
    })
    result = result.replaceAll(sessionFile, (_, stem: string, short: string) => {
      return `${stem}${shorts.get(short) ?? number('short', short, (n) => padded(n, 8))}`
    })
    result = result.replaceAll(prefixedId, (id, prefix: string, body: string) =>
      // A word with an underscore is no id: ids have digits and capitals.
      /\d/.test(body) ? number(prefix, id, (n) => `${prefix}_${padded(n, body.length)}`) : id,
    )
    result = result.replaceAll(longHex, (hex) =>
      number(`hex${hex.length}`, hex, (n) => padded(n, hex.length)),
    )
    for (const [pattern, replacement] of times) result = result.replaceAll(pattern, replacement)
    // Gemini up to 0.2x ends the ids of its tools with a clock and a random number.
    result = result.replaceAll(clockAndChance, (_, digits: string, chance: string) =>
      number('clock', `${digits}-${chance}`, (n) => `-${instant + n}-${padded(n, 13)}`),
    )
    return result.replaceAll(epochInText, (digits) =>
      number(`epoch${digits.length}`, digits, (n) => String(epoch(digits.length) + n)),
    )
  }

  function value(input: unknown, key = ''): unknown {
    if (typeof input === 'string') {
      if (idKey.test(key) && shortId.test(input)) return number('short', input, (n) => padded(n, 8))
      return key === 'slug' ? 'a-slug' : trim(text(input))
    }
    if (typeof input === 'number') return numeric(input, key)
    if (Array.isArray(input)) return input.map((item) => value(item, key))
    if (typeof input === 'object' && input !== null) {
      return Object.fromEntries(Object.entries(input).map(([name, item]) => [text(name), value(item, name)]))
    }
    return input
  }

  return {
    text,
    value,
    /** One JSON record per line; a line that is none is treated as text. */
    jsonLines: (lines: string): string =>
      lines
        .split('\n')
        .map((line) => {
          const record = line.trim() === '' ? undefined : parsed(line)
          return record === undefined ? text(line) : JSON.stringify(value(record))
        })
        .join('\n'),
    json: (document: string): string => `${JSON.stringify(value(JSON.parse(document)), null, 2)}\n`,
  }
}

export type Stabiliser = ReturnType<typeof createStabiliser>

const instant = Date.UTC(2026, 0, 1)
// Also behind an underscore, as in Codex's `msg_<uuid>`.
const uuid = /(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/gi
const sessionFile = /(session-\d{4}-\d\d-\d\dT\d\d-\d\d-)([0-9a-f]{8})\b/g
const prefixedId =
  /\b(ses|msg|prt|evt|per|que|req|call|toolu|resp|item|rs|fc|chatcmpl|tool)_([A-Za-z0-9]{12,})\b/g
/** Too short to be recognised in a text. */
const shortId = /^[0-9a-f]{8}$/
const idKey = /^(?:id|parentId)$/
const longHex = /\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b/g
const clockAndChance = /(?<=[a-z])-(1[789]\d{11})-([0-9a-f]{10,14})\b/g
const epochInText = /(?<![\d.])1[789]\d{11}(?!\d)/g

/** Constants rather than a clock: a record more in the next version must not shift every line after it. */
const times: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '2026-01-01T00:00:00.000Z'],
  [/\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\b/g, 'Thu, 01 Jan 2026 00:00:00 GMT'],
  // In names of files; the seconds where there are any.
  [/\b\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z/g, '2026-01-01T00-00-00-000Z'],
  [/\b\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?=[-_.\s]|$)/g, '2026-01-01T00-00-00'],
  [/\b\d{4}-\d\d-\d\dT\d\d-\d\d(?=[-_.\s]|$)/g, '2026-01-01T00-00'],
  [/\b20\d\d-\d\d-\d\d\b/g, '2026-01-01'],
  [/\b20\d\d([/.])\d\d\1\d\d\b/g, '2026$101$101'],
  [
    /\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}/g,
    'Thursday, January 1, 2026',
  ],
  [/\brun=[0-9a-f]{8}\b/g, 'run=00000000'],
  // Kimi names the folder of a project by a hash of its path.
  [/\bwd_(\w+)_[0-9a-f]{12}\b/g, 'wd_$1_000000000000'],
  // A folder of one run.
  [/[\w/.-]*\/remora-run-\d+-[\da-f]*-\w{6}(?=\/)/g, '/tmp/remora-run'],
  [/\bduration: \d+ms/g, 'duration: 1ms'],
  [/\bWall time: [\d.]+ seconds/g, 'Wall time: 0.0 seconds'],
  [/\bChunk ID: [0-9a-f]{6}\b/g, 'Chunk ID: 000000'],
]

const durationKey =
  /^(?:.*duration.*|.*latency.*|.*elapsed.*|secs|nanos|time_to_.*|timeTo.*|.*ttft.*|.*retry_delay.*|delay_?ms|uptime.*|.*_wall_time.*)$/i

/** What a process, a clock or a machine decides. */
const volatileKey = /^(?:pid|ppid|inode|mtime|mtimeMs|rss|heapUsed|memory.*)$/

function numeric(input: number, key: string): number {
  if (durationKey.test(key) || volatileKey.test(key)) return Number.isInteger(input) ? 1 : 0.5
  if (input > 1.7e12 && input < 2.2e12) return instant
  if (input > 1.7e9 && input < 2.2e9) return instant / 1000
  if (input > 1.7e15 && input < 2.2e15) return instant * 1000
  return input
}

const longest = 2000
const kept = 400

/** System prompts and tool lists are not what a fixture is for. */
function trim(value: string): string {
  return value.length > longest ? `${value.slice(0, kept)}…[${value.length} characters]` : value
}

function epoch(digits: number): number {
  return digits === 13 ? instant : instant / 1000
}

function padded(n: number, length: number): string {
  return String(n).padStart(length, '0')
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
