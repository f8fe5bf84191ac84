import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasMark, processTable, toMilliseconds } from './process-table.ts'
import type { Entry, ProcessTable } from './process-table.ts'

/** How a process tree is ended. */
export interface KillOptions {
  /** The grace period before processes are killed, in milliseconds. */
  readonly grace?: number
  /** The signal that asks processes to end. */
  readonly signal?: NodeJS.Signals
  /** Ends the grace period immediately. */
  readonly abort?: AbortSignal
  /** End only descendants that started after this time, in milliseconds since 1970, and not the root. */
  readonly startedAfter?: number
}

/** The processes that were ended. */
export interface KillResult {
  /** All processes that were signalled. */
  readonly signalled: readonly number[]
  /** The processes that had to be killed. */
  readonly forced: readonly number[]
  /** The processes that still run, such as another user's. */
  readonly left: readonly number[]
}

/** The root process of a tree, which may have ended already. */
export interface Root {
  readonly pid: number
  readonly startTime: string | undefined
  readonly run?: string
}

// The poll interval, and how long a killed process may take to disappear.
const interval = 25
const patience = 3000

const none: KillResult = { signalled: [], forced: [], left: [] }

/**
 * Ends a process and all its descendants, including those that left its group or lost their parent: first by a signal,
 * and after the grace period by SIGKILL. Resolves when no process is left, or nothing more can be done.
 *
 * @example await killTree({ pid, startTime, run }, { grace: 500 })
 */
export async function killTree(
  root: Root,
  options: KillOptions = {},
  table: ProcessTable = processTable,
): Promise<KillResult> {
  const { grace = 2000, signal = 'SIGTERM', abort, startedAfter } = options
  // taskkill can only end whole trees.
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

  // Processes that appear meanwhile are signalled too, once each.
  const end = Date.now() + grace
  let alive = await scan()
  while (alive.length > 0) {
    const fresh = alive.filter((entry) => !signalled.has(entry.pid))
    for (const entry of fresh) signalled.add(entry.pid)
    send(fresh, signal)
    if (Date.now() >= end || abort?.aborted) break
    await sleep(interval)
    alive = await scan()
    // A process during exec has no readable environment, so one scan is not enough.
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

/** Remembers the members of a tree, so that a process is still recognized after its parent has exited. */
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

  /** The running members. */
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

  // The system does not reuse a pid while a group or session has it as its id. So if the root's pid belongs to another
  // process now, the old group is gone, and a group with that id is unrelated.
  #inGroup(entry: Entry, entries: readonly Entry[]): boolean {
    const { pid, startTime } = this.#root
    if (entry.group !== pid && entry.session !== pid) return false
    const holder = entries.find((other) => other.pid === pid)
    return holder === undefined || (startTime !== undefined && holder.startTime === startTime)
  }

  // The environment changes only by exec, so processes without the mark are read once.
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
      // Already ended, or not permitted: the next scan shows which.
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
