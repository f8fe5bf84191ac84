import { RecentMap } from '../../dialects/claude-frame.ts'
import { asRecord, asString, defined } from '../../events/fields.ts'

/** The entries that are remembered. Going back beyond them leaves all branches visible. */
const limit = 2000

/** An entry: the one before it, and whether it is shown. */
type Node = readonly [parent: string, isShown: boolean]

/** What a `rewound` status is about. */
type Rewound = { readonly to: string } | { readonly keep: readonly string[]; readonly exact: true }

/**
 * The tree of a session. A new entry usually follows the last one. If it follows another, the user has gone back, or to
 * another branch.
 */
export class Branches {
  readonly #nodes: RecentMap<Node>
  /** The last entry; '' at the start. */
  #leaf: string
  /** The first entry that is shown. */
  #first: string | undefined

  constructor(state: unknown) {
    const { nodes, leaf, first } = asRecord(state) ?? {}
    this.#nodes = new RecentMap(limit, nodes)
    this.#leaf = asString(leaf) ?? ''
    this.#first = asString(first)
  }

  state(): object {
    return defined({ nodes: [...this.#nodes], leaf: this.#leaf, first: this.#first })
  }

  /** Adds an entry, and returns what is no longer part of the conversation with it. */
  add(id: string, parent: string, isShown: boolean): Rewound | undefined {
    const rewound = parent === this.#leaf ? undefined : this.#jump(parent)
    this.#nodes.set(id, [parent, isShown])
    this.#leaf = id
    if (isShown) this.#first ??= id
    return rewound
  }

  #jump(parent: string): Rewound | undefined {
    if (parent === '') return this.#first === undefined ? undefined : { to: this.#first }
    const left = this.#listPath(this.#leaf)
    const index = left.indexOf(parent)
    if (index !== -1) {
      const to = left.slice(index + 1).find((id) => this.#isShown(id))
      return to === undefined ? undefined : { to }
    }
    const path = this.#listPath(parent)
    const isWhole = this.#nodes.get(path[0] ?? '')?.[0] === ''
    return isWhole ? { keep: path.filter((id) => this.#isShown(id)), exact: true } : undefined
  }

  /** The known entries from the start to this one. */
  #listPath(id: string): string[] {
    const path = new Set<string>()
    // A damaged file may have a circle.
    for (let at = id; this.#nodes.has(at) && !path.has(at); at = this.#nodes.get(at)![0]) path.add(at)
    return [...path].toReversed()
  }

  #isShown(id: string): boolean {
    return this.#nodes.get(id)?.[1] === true
  }
}
