/** The fields and types of every kind of record, as `kind` → `path` → types. */
export type Shape = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

/** One difference between two shapes, ready to be read. */
export interface Drift {
  readonly kind: string
  /** Where in the record; empty for the record itself. */
  readonly path: string
  readonly text: string
}

/**
 * The shape of many records, taken together: a field that only some of them have belongs to it all the same.
 *
 * @example getShape([{ type: 'init', model: 'auto' }]).get('init')?.get('model') // Set { 'string' }
 */
export function getShape(records: Iterable<unknown>): Shape {
  const shape = new Map<string, Map<string, Set<string>>>()
  for (const record of records) {
    const kind = getKind(record)
    const fields = shape.get(kind) ?? new Map<string, Set<string>>()
    shape.set(kind, fields)
    walk(record, '', fields)
  }
  return shape
}

/** What `now` has that `before` has not, and the other way round. @example compareShapes(committed, recorded) */
export function compareShapes(before: Shape, now: Shape): Drift[] {
  const drifts: Drift[] = []
  for (const kind of union(before.keys(), now.keys())) {
    const [old, fresh] = [before.get(kind), now.get(kind)]
    if (!fresh) drifts.push({ kind, path: '', text: 'this kind of record is gone' })
    else if (!old) drifts.push({ kind, path: '', text: `new kind of record with ${fieldsOf(fresh)}` })
    else drifts.push(...compareFields(kind, old, fresh))
  }
  return drifts
}

/** One line per difference. @example formatDrift('gemini@0.45.2 stream', drift) */
export function formatDrift(where: string, drift: Drift): string {
  return `${where}: ${drift.path ? `${drift.kind}.${drift.path}` : drift.kind} ${drift.text}`
}

function compareFields(
  kind: string,
  before: ReadonlyMap<string, ReadonlySet<string>>,
  now: ReadonlyMap<string, ReadonlySet<string>>,
): Drift[] {
  return union(before.keys(), now.keys()).flatMap((path) => {
    const [old, fresh] = [before.get(path), now.get(path)]
    const parent = getParent(path)
    // A field inside a new or lost object is told by that object.
    if (!old && parent !== '' && !before.has(parent)) return []
    if (!fresh && parent !== '' && !now.has(parent)) return []
    const name = path.slice(parent === '' ? 0 : parent.length).replace(/^\./, '')
    if (!old) return [{ kind, path: parent, text: `new field "${name}" (${listed(fresh ?? new Set())})` }]
    if (!fresh) return [{ kind, path: parent, text: `field "${name}" is gone` }]
    if (listed(old) === listed(fresh)) return []
    return [{ kind, path, text: `changed from ${listed(old)} to ${listed(fresh)}` }]
  })
}

function walk(value: unknown, path: string, fields: Map<string, Set<string>>): void {
  if (path !== '') fields.set(path, (fields.get(path) ?? new Set()).add(typeOf(value)))
  if (Array.isArray(value)) {
    for (const item of value) walk(item, `${path}[${getLabel(item)}]`, fields)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const name = isData(key) ? '*' : key
      walk(item, path === '' ? name : `${path}.${name}`, fields)
    }
  }
}

/** Where the words stand that say what a record is, outermost first. */
const discriminators = [
  ['type'],
  ['subtype'],
  ['method'],
  ['answers'],
  ['hook_event_name'],
  ['table'],
  ['role'],
  ['item', 'type'],
  ['payload', 'type'],
  ['payload', 'item', 'type'],
  ['part', 'type'],
  ['data', 'type'],
  ['event', 'type'],
  ['attachment', 'type'],
  ['params', 'update', 'sessionUpdate'],
]

function getKind(record: unknown): string {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return typeOf(record)
  const words = discriminators
    .map((path) => path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), record))
    .filter((word): word is string => typeof word === 'string' && /^[\w$./:-]{1,60}$/.test(word))
  if (words.length > 0) return words.join('/')
  const operator = Object.keys(record).find((key) => key.startsWith('$'))
  return operator ?? 'record'
}

/** Items of a list are told apart by their type, as content blocks are. */
function getLabel(item: unknown): string {
  return isObject(item) && typeof item['type'] === 'string' ? item['type'] : ''
}

/** Keys that are data, such as names of models and paths, stand for each other. */
function isData(key: string): boolean {
  return !/^[A-Za-z_$][\w$]*$/.test(key) || /\d{3,}/.test(key)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function getParent(path: string): string {
  const cut = path.endsWith(']') ? path.lastIndexOf('[') : path.lastIndexOf('.')
  return cut < 0 ? '' : path.slice(0, cut)
}

function union(left: Iterable<string>, right: Iterable<string>): string[] {
  return [...new Set([...left, ...right])].toSorted()
}

function listed(types: ReadonlySet<string>): string {
  return [...types].toSorted().join(' or ')
}

function fieldsOf(fields: ReadonlyMap<string, unknown>): string {
  const top = [...fields.keys()].filter((path) => !/[.[]/.test(path))
  return top.length === 0 ? 'no fields' : top.map((name) => `"${name}"`).join(', ')
}
