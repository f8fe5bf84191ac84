import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasMark, processTable, toMilliseconds } from './process-table.ts'
import type { Entry, ProcessTable } from './process-table.ts'

export interface KillOptions {
  /** How long processes may take to end by themselves, in milliseconds. */
  readonly grace?: number
  /** The gentle signal. */
  readonly signal?: NodeJS.Signals
  /** Ends the grace at once. */
  readonly abort?: AbortSignal
  /** Only descendants that were started after this time, in milliseconds since 1970; the first process stays. */
  readonly startedAfter?: number
}

export interface KillResult {
  /** Every process that was told to end. */
  readonly signalled: readonly number[]
  /** Those of them that had to be forced. */
  readonly forced: readonly number[]
  /** Those that run on nevertheless, such as another user's. */
  readonly left: readonly number[]
}

/** The first process of a tree, which may have ended already. */
export interface Root {
  readonly pid: number
  readonly startTime: string | undefined
  readonly run?: string
}

// How often to look again, and how long a forced process may take to vanish.
const interval = 25
const patience = 3000

const none: KillResult = { signalled: [], forced: [], left: [] }

/**
 * Ends a process and all its descendants, also those that left its group or lost their parent: gently, and by force
 * after the grace. Resolves when none is left, or none more can be done.
 *
 * @example await killTree({ pid, startTime, run }, { grace: 500 })
 */
export async function killTree(
  root: Root,
  options: KillOptions = {},
  table: ProcessTable = processTable,
): Promise<KillResult> {
  const { grace = 2000, signal = 'SIGTERM', abort, startedAfter } = options
  // taskkill knows only whole trees.
  if (process.platform === 'win32')
    return startedAfter === undefined ? killWindowsTree(root.pid, options) : none
  const family = new Family(root, table)
  const scan = async (): Promise<Entry[]> => {
    const members = await family.scan()
    if (startedAfter === undefined) return members
    return members.filter((entry) => entry.pid !== root.pid && toMilliseconds(entry.startTime) > startedAfter)
  }
  const signalled = new Set<number>()
  const forced = new Set<number>()

  // Processes that appear while the others end are told as well, each of them once.
  const end = Date.now() + grace
  let alive = await scan()
  while (alive.length > 0) {
    const fresh = alive.filter((entry) => !signalled.has(entry.pid))
    for (const entry of fresh) signalled.add(entry.pid)
    send(fresh, signal)
    if (Date.now() >= end || abort?.aborted) break
    await sleep(interval)
    alive = await scan()
    // A process in the moment of becoming another program shows nothing to know it by, so one look is not enough.
    if (alive.length === 0) {
      await sleep(interval)
      alive = await scan()
    }
  }

  const last = Date.now() + patience
  while (alive.length > 0 && Date.now() < last) {
    for (const entry of alive) {
      signalled.add(entry.pid)
      forced.add(entry.pid)
    }
    send(alive, 'SIGKILL')
    await sleep(interval)
    alive = await scan()
  }
  return { signalled: [...signalled], forced: [...forced], left: alive.map((entry) => entry.pid) }
}

/** Remembers who belongs to a tree, so that a process is still known after its parent has gone. */
class Family {
  readonly #root: Root
  readonly #table: ProcessTable
  readonly #known = new Map<number, string>()
  readonly #strangers = new Map<number, string>()

  constructor(root: Root, table: ProcessTable) {
    this.#root = root
    this.#table = table
    if (root.startTime !== undefined) this.#known.set(root.pid, root.startTime)
  }

  /** The members that run now. */
  async scan(): Promise<Entry[]> {
    const entries = (await this.#table()).filter((entry) => entry.pid > 1 && entry.pid !== process.pid)
    const members = new Map<number, Entry>()
    for (const entry of entries) {
      if (this.#known.get(entry.pid) === entry.startTime || this.#inGroup(entry, entries)) {
        members.set(entry.pid, entry)
      } else if (await this.#marked(entry)) {
        members.set(entry.pid, entry)
      }
    }
    addDescendants(members, entries)
    for (const entry of members.values()) this.#known.set(entry.pid, entry.startTime)
    return [...members.values()]
  }

  // A pid is not given out again while a group or session is named by it. So if the root's pid belongs to another
  // process now, then its group has gone, and a group of that name is a stranger's.
  #inGroup(entry: Entry, entries: readonly Entry[]): boolean {
    const { pid, startTime } = this.#root
    if (entry.group !== pid && entry.session !== pid) return false
    const holder = entries.find((other) => other.pid === pid)
    return holder === undefined || (startTime !== undefined && holder.startTime === startTime)
  }

  // The environment of a process changes only by exec, so those without the mark are read once.
  async #marked(entry: Entry): Promise<boolean> {
    const { run } = this.#root
    if (run === undefined || this.#strangers.get(entry.pid) === entry.startTime) return false
    const marked = await hasMark(entry.pid, run)
    if (marked === false) this.#strangers.set(entry.pid, entry.startTime)
    return marked === true
  }
}

function addDescendants(members: Map<number, Entry>, entries: readonly Entry[]): void {
  const byParent = new Map<number, Entry[]>()
  for (const entry of entries) {
    const siblings = byParent.get(entry.parent)
    if (siblings) siblings.push(entry)
    else byParent.set(entry.parent, [entry])
  }
  const queue = [...members.keys()]
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of byParent.get(pid) ?? []) {
      if (members.has(child.pid)) continue
      members.set(child.pid, child)
      queue.push(child.pid)
    }
  }
}

function send(entries: readonly Entry[], signal: NodeJS.Signals): void {
  for (const { pid } of entries) {
    try {
      process.kill(pid, signal)
    } catch {
      // Ended meanwhile, or not ours: the next look tells.
    }
  }
}

// Not tested: written from the documentation of taskkill.
async function killWindowsTree(pid: number, options: KillOptions): Promise<KillResult> {
  const taskkill = (...flags: string[]) =>
    new Promise<boolean>((resolve) => {
      execFile('taskkill', ['/PID', String(pid), '/T', ...flags], (error) => resolve(error === null))
    })
  const gentle = await taskkill()
  if (gentle) await sleep(options.grace ?? 2000)
  const forced = await taskkill('/F')
  return { signalled: [pid], forced: forced ? [pid] : [], left: [] }
}
