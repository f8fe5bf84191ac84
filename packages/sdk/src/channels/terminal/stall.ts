import { readFile } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Agent } from '../../contract/agent.ts'
import { treeOf } from './agent-process.ts'
import { listProcesses, startedAt } from './process-list.ts'
import type { TerminalNow } from './terminal.ts'

/** So long an agent shows nothing and does nothing until that is told, where its CLI is not known to hang. */
const patienceMs = 60_000
/** One that waits wakes up now and then; one that works gets more than this of its time, however busy the machine is. */
const share = 0.03
const looks = 5
/** One that is older may have shown much, before we came. */
const youngMs = 300_000

/**
 * Notices that an agent hangs at its start: nothing on its screen, and no work behind it. One that is only slow, on a
 * machine that has much else to do, uses the processor whenever it may.
 *
 * @example stall.see(now.state === 'starting', pid) // again and again
 */
export class Stall {
  readonly #agent: Agent
  readonly #withinMs: number
  readonly #replace: () => boolean
  readonly #told: () => void
  #words: string | undefined
  #from: { readonly pid: number; readonly at: number; readonly used: number } | undefined
  #next = 0
  #looking = false
  /** The process that has shown something already. What becomes of it is no matter of its start. */
  #lived: number | undefined

  /** With what starts it again, if it may, and what is called when there is something to tell. */
  constructor(agent: Agent, replace: () => boolean, told: () => void) {
    this.#agent = agent
    this.#withinMs = agent.terminal?.hangsAfterMs ?? patienceMs
    this.#replace = replace
    this.#told = told
  }

  /** What the screen says, and that it hangs where it does. */
  mark(now: TerminalNow): TerminalNow {
    if (now.state !== 'starting') this.#words = undefined
    return this.#words === undefined ? now : { ...now, error: this.#words }
  }

  see(isStarting: boolean, pid: number): void {
    if (!isStarting) {
      this.#from = undefined
      this.#lived = pid
    }
    if (!isStarting || this.#looking || performance.now() < this.#next) return
    this.#next = performance.now() + this.#withinMs / looks
    this.#looking = true
    void this.#look(pid).finally(() => (this.#looking = false))
  }

  async #look(pid: number): Promise<void> {
    const processes = await listProcesses().catch(() => undefined)
    const used = processes && (await processorMs(treeOf(pid, processes)))
    if (!processes || used === undefined) return
    const at = performance.now()
    const from = this.#from
    const passed = at - (from?.at ?? at)
    if (from?.pid === pid && passed < this.#withinMs) return
    this.#from = { pid, at, used }
    if (from?.pid !== pid || used - from.used >= passed * share) return
    const entry = processes.get(pid)
    const began = entry && (await startedAt(entry))
    const isYoung = began !== undefined && Date.now() - began < youngMs && this.#lived !== pid
    this.#hangs(Math.round(passed / 1000), isYoung)
  }

  /** Started again only where its CLI is known for that: another one may wait for something that takes long. */
  #hangs(seconds: number, isYoung: boolean): void {
    const isKnown = this.#agent.terminal?.hangsAfterMs !== undefined
    if (isKnown && isYoung && this.#replace()) return
    this.#words ??= `${this.#agent.title} has shown nothing for ${seconds} seconds, and does nothing. End it and start it again.`
    this.#told()
  }
}

/** How long these processes ran or waited for a processor; undefined where the system does not report it. */
async function processorMs(tree: readonly number[]): Promise<number | undefined> {
  try {
    const used = await Promise.all(tree.map(process.platform === 'linux' ? fromProc : fromPs))
    return used.reduce((sum, each) => sum + each, 0)
  } catch {
    return undefined // One of them has just ended.
  }
}

async function fromProc(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // In hundredths of a second on every Linux that we know.
  return (Number(fields[11]) + Number(fields[12])) * 10 + (await readRunDelay(pid))
}

/** A process that waits for a processor is slow because of others, and does not hang. */
async function readRunDelay(pid: number): Promise<number> {
  // Kernels without scheduler statistics lack the file.
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) / 1_000_000
}

/** The same from `ps`, for macOS and the BSDs, as `1:02.50`. */
async function fromPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)])
  return (
    stdout
      .trim()
      .split(/[:-]/)
      .reduce((sum, part) => sum * 60 + Number(part), 0) * 1000
  )
}
