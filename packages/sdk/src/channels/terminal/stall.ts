import { readFile } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Agent } from '../../contract/agent.ts'
import { listTree } from './agent-process.ts'
import { listProcesses, getStartedAt } from './process-list.ts'
import type { TerminalNow } from './terminal.ts'

/** After how long without output and work an agent is reported, if its CLI is not known to hang. */
const defaultHangMs = 60_000
/** A waiting process wakes up now and then; a working one uses a larger share of its time, however busy the machine is. */
const share = 0.03
const checks = 5
/** An older process may have shown a screen before we attached. */
const youngMs = 300_000

/**
 * Detects an agent that hangs at its start: its screen is empty and it does no work. An agent that is only slow on a busy
 * machine uses the processor whenever it can.
 *
 * @example stall.see(now.state === 'starting', pid) // at an interval
 */
export class Stall {
  readonly #agent: Agent
  readonly #withinMs: number
  readonly #replace: () => boolean
  readonly #notify: () => void
  #error: string | undefined
  #from: { readonly pid: number; readonly at: number; readonly used: number } | undefined
  #next = 0
  #isChecking = false
  /** The process that has shown a screen, and so has started. */
  #started: number | undefined

  /** `replace` restarts the agent if allowed; `notify` is called when an error is to be reported. */
  constructor(agent: Agent, replace: () => boolean, notify: () => void) {
    this.#agent = agent
    this.#withinMs = agent.terminal?.hangsAfterMs ?? defaultHangMs
    this.#replace = replace
    this.#notify = notify
  }

  /** Adds the error to the state if the agent hangs. */
  mark(now: TerminalNow): TerminalNow {
    if (now.state !== 'starting') this.#error = undefined
    return this.#error === undefined ? now : { ...now, error: this.#error }
  }

  see(isStarting: boolean, pid: number): void {
    if (!isStarting) {
      this.#from = undefined
      this.#started = pid
    }
    if (!isStarting || this.#isChecking || performance.now() < this.#next) return
    this.#next = performance.now() + this.#withinMs / checks
    this.#isChecking = true
    void this.#check(pid).finally(() => (this.#isChecking = false))
  }

  async #check(pid: number): Promise<void> {
    const processes = await listProcesses().catch(() => undefined)
    const used = processes && (await readProcessorMs(listTree(pid, processes)))
    if (!processes || used === undefined) return
    const at = performance.now()
    const from = this.#from
    const passed = at - (from?.at ?? at)
    if (from?.pid === pid && passed < this.#withinMs) return
    this.#from = { pid, at, used }
    if (from?.pid !== pid || used - from.used >= passed * share) return
    const entry = processes.get(pid)
    const since = entry && (await getStartedAt(entry))
    const isYoung = since !== undefined && Date.now() - since < youngMs && this.#started !== pid
    this.#hangs(Math.round(passed / 1000), isYoung)
  }

  /** Restarts only a CLI that is known to hang: another one may wait for something slow. */
  #hangs(seconds: number, isYoung: boolean): void {
    const isKnown = this.#agent.terminal?.hangsAfterMs !== undefined
    if (isKnown && isYoung && this.#replace()) return
    this.#error ??= `${this.#agent.title} has shown nothing for ${seconds} seconds, and does nothing. End it and start it again.`
    this.#notify()
  }
}

/** How long these processes ran or waited for a processor; undefined where the system does not report it. */
async function readProcessorMs(tree: readonly number[]): Promise<number | undefined> {
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
  // In hundredths of a second on every known Linux.
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
