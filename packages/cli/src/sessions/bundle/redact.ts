import { mask } from '@remora/ledger'

/** How often each kind was removed. */
export interface Removed {
  secrets: number
  homePaths: number
  names: number
  environment: number
  attachments: number
}

/** Private data that must not leave the machine. */
export interface Private {
  readonly home: string
  /** The names of the user and of the machine. */
  readonly user?: string | undefined
  readonly host?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Rule {
  readonly pattern: RegExp
  readonly kind: keyof Removed
  readonly instead: string
}

const masked = '[secret]'
/** Common words that identify no person. */
const impersonal = new Set([
  'root',
  'user',
  'users',
  'admin',
  'home',
  'node',
  'ubuntu',
  'runner',
  'localhost',
])
const secretName = /key|token|secret|passw|credential|auth|cookie/i
const base64 = /^[A-Za-z0-9+/_\r\n-]{2000,}={0,2}$/

/** Removes private data from texts and values, and counts it. */
export class Redactor {
  readonly removed: Removed = { secrets: 0, homePaths: 0, names: 0, environment: 0, attachments: 0 }
  readonly #values: readonly Rule[]
  readonly #places: readonly Rule[]

  constructor({ home, user, host, env }: Private) {
    // Values of variables that are named like secrets are removed whatever they look like.
    this.#values = Object.entries(env).flatMap(([name, value]) =>
      secretName.test(name) && value !== undefined && value.length >= 8 && !/^[/~.]/.test(value)
        ? [{ pattern: new RegExp(quote(value), 'g'), kind: 'secrets', instead: masked }]
        : [],
    )
    this.#places = [
      ...homeForms(home).map((form): Rule => {
        const pattern = new RegExp(`${quote(form)}(?![A-Za-z0-9_])`, 'gi')
        return { pattern, kind: 'homePaths', instead: '~' }
      }),
      // Home folders of other users, in sessions of other machines.
      {
        pattern: /(?<=\/home\/|\/Users\/|[A-Z]:\\{1,2}Users\\{1,2})(?!\[)[^\s/\\"'`:,;)\]}]+/g,
        kind: 'names',
        instead: '[user]',
      },
      ...nameRule(user, '[user]'),
      ...nameRule(host, '[host]'),
    ]
  }

  text(text: string): string {
    if (text.length < 3) return text
    const before = this.#apply(this.#values, text)
    const after = mask(before)
    if (after !== before) this.removed.secrets += count(after) - count(before)
    return this.#apply(this.#places, after)
  }

  /**
   * Redacts chunks of one text. If private data is split between chunks, the first one gets the whole text.
   */
  texts(pieces: readonly string[]): string[] {
    const together = this.text(pieces.join(''))
    const counted = { ...this.removed }
    const apart = pieces.map((piece) => this.text(piece))
    // Both passes counted it.
    Object.assign(this.removed, counted)
    return apart.join('') === together ? apart : pieces.map((_, index) => (index === 0 ? together : ''))
  }

  /** Redacts every string in a value, including keys. Values of environments and headers are removed completely. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.#whole(value)
    if (Array.isArray(value)) return value.map((each) => this.value(each))
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(([name, each]) => [
      this.text(name),
      settingNames.has(name.toLowerCase()) ? this.#settings(each) : this.value(each),
    ])
    return Object.fromEntries(fields) as unknown
  }

  #whole(text: string): string {
    if (!base64.test(text)) return this.text(text)
    this.removed.attachments++
    return `[${text.length} characters of base64]`
  }

  #settings(settings: unknown): unknown {
    if (Array.isArray(settings))
      return settings.map((each: unknown) =>
        typeof each === 'object' && each !== null && 'value' in each
          ? { ...(this.value({ ...each, value: '' }) as object), value: this.#taken() }
          : this.value(each),
      )
    if (typeof settings !== 'object' || settings === null) return this.value(settings)
    return Object.fromEntries(Object.keys(settings).map((name) => [this.text(name), this.#taken()]))
  }

  #taken(): string {
    this.removed.environment++
    return '[removed]'
  }

  #apply(rules: readonly Rule[], text: string): string {
    let result = text
    for (const { pattern, kind, instead } of rules)
      result = result.replaceAll(pattern, () => {
        this.removed[kind]++
        return instead
      })
    return result
  }
}

const settingNames = new Set(['env', 'environment', 'headers'])

function nameRule(name: string | undefined, instead: string): Rule[] {
  if (name === undefined || name.length < 3 || impersonal.has(name.toLowerCase())) return []
  const pattern = new RegExp(`(?<![A-Za-z0-9])${quote(name)}(?![A-Za-z0-9])`, 'gi')
  return [{ pattern, kind: 'names', instead }]
}

/** The spellings of a folder, also in escaped JSON. */
function homeForms(home: string): string[] {
  const bare = home.replace(/[/\\]+$/, '')
  if (bare.length < 3) return []
  const forms = [bare, bare.replaceAll('\\', '\\\\'), bare.replaceAll('\\', '/'), bare.replaceAll('/', '\\/')]
  return [...new Set(forms)]
}

function count(text: string): number {
  return text.split(masked).length - 1
}

function quote(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
