import type { Event } from '@remora/protocol/plain'
import type { Agent, HeadlessReader, HeadlessRequest, Outcome, Place, Problem } from '../../contract/agent.ts'
import { guardTree } from '../../process/guard-tree.ts'
import { LineSplitter } from '../../process/lines.ts'
import { type Exit, type Tree, spawnTree } from '../../process/spawn-tree.ts'
import { BoundedText } from '../../runs/bounded-text.ts'
import type { Deadlines } from './deadlines.ts'
import type { Stop } from '../../runs/stop.ts'
import { Waiter } from '../../runs/waiter.ts'

/** One start of the CLI. */
export interface Attempt {
  readonly agent: Agent
  readonly command: string
  readonly request: HeadlessRequest
  readonly place: Place
  readonly reader: (request: HeadlessRequest) => HeadlessReader
  readonly deadlines: Deadlines
  readonly stop: Stop
  /** Receives the problems of the cleanup, whether the attempt succeeded or failed. */
  readonly report: (problems: readonly Problem[]) => void
}

export interface AttemptEnd {
  readonly outcome: Outcome
  readonly exit: Exit
  readonly stderr: string
}

const stderrLimit = 64 * 1024

/**
 * How long to wait for output after the process has exited, since a leftover process may hold the pipe open. Time without
 * a reader does not count.
 */
const lingerMs = 2_000

/**
 * Starts the CLI and yields its events, a batch for each chunk of output. It does not read ahead of the consumer, so a slow
 * consumer slows the CLI down. All temporary files and processes are removed at the end.
 */
export async function* attempt(input: Attempt): AsyncGenerator<Event[], AttemptEnd, void> {
  const { agent, place, stop } = input
  stop.signal.throwIfAborted()
  const prepared = await agent.headless!.prepare?.(input.request, place)
  let finishing: Promise<Problem[]> | undefined
  const finish = (): Promise<Problem[]> => (finishing ??= prepared?.finish() ?? Promise.resolve([]))
  let tree: Tree | undefined
  let release: (() => void) | undefined
  // Clean up immediately, because the consumer may not read again after a stop.
  const forget = stop.onStop(async () => {
    await tree?.kill()
    await finish()
  })
  try {
    const request = prepared?.request ?? input.request
    const { args, env, stdin } = agent.headless!.invocation(request, place.version)
    tree = await spawnTree({
      command: input.command,
      args: [...args, ...(prepared?.args ?? [])],
      cwd: place.cwd,
      // OpenCode trusts PWD more than its working directory.
      env: { ...place.env, PWD: place.cwd, ...env, ...prepared?.env },
      ...(stdin === undefined ? {} : { input: stdin }),
    })
    release = guardTree(tree)
    input.deadlines.begin()
    const end = yield* read(tree, input, input.reader(request))
    // A successful run may leave a server running on purpose; a failed run leaves nothing.
    if (end.outcome.ok) tree = undefined
    return end
  } finally {
    forget()
    await tree?.kill()
    release?.()
    input.report(await finish())
  }
}

async function* read(
  tree: Tree,
  { deadlines, stop: { signal } }: Attempt,
  reader: HeadlessReader,
): AsyncGenerator<Event[], AttemptEnd, void> {
  const waiter = new Waiter()
  const stderr = new BoundedText(stderrLimit)
  const output = tree.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const splitter = new LineSplitter()
  let asides: Event[] = []
  let chunk: IteratorResult<Buffer> | undefined
  let failure: { error: unknown } | undefined
  let asked = false
  let ended = false
  let remainingMs = lingerMs

  const abort = (): void => waiter.wake()
  signal.addEventListener('abort', abort)
  const errorsRead = readErrors(
    tree,
    (text, events) => {
      stderr.add(text)
      if (events.length === 0) return
      deadlines.heard()
      for (const event of events) asides.push(event)
      waiter.wake()
    },
    reader,
  )
  void tree.exited.then(() => {
    ended = true
    waiter.wake()
  })

  try {
    for (;;) {
      signal.throwIfAborted()
      if (failure) throw failure.error
      if (asides.length > 0) {
        const events = asides
        asides = []
        yield events
        continue
      }
      const reason = reader.findStopReason?.()
      if (reason) {
        await tree.kill()
        const exit = await tree.exited
        return {
          exit,
          stderr: stderr.toString(),
          outcome: { ...reader.end(exit, ''), ok: false, failure: reason },
        }
      }
      if (chunk?.done || (remainingMs <= 0 && !chunk)) break
      if (chunk) {
        const lines = splitter.push(chunk.value)
        chunk = undefined
        asked = false
        if (lines.length > 0) deadlines.heard()
        const events: Event[] = []
        for (const line of lines) for (const event of reader.read(line)) events.push(event)
        if (events.length > 0) yield events
        continue
      }
      if (!asked) {
        asked = true
        output.next().then(
          (next) => {
            chunk = next
            waiter.wake()
          },
          (error: unknown) => {
            failure = { error }
            waiter.wake()
          },
        )
      }
      if (!ended) await deadlines.wait(waiter.wait())
      else remainingMs -= await deadlines.wait(measureTime(waiter.wait(), remainingMs))
    }
    const last = splitter.end().flatMap((line) => reader.read(line))
    if (last.length > 0) yield last
    const exit = await deadlines.wait(tree.exited)
    // Standard error is small and usually complete; do not wait for a leftover process that holds it open.
    await measureTime(errorsRead, 200)
    if (asides.length > 0) yield asides
    return { exit, stderr: stderr.toString(), outcome: reader.end(exit, stderr.toString()) }
  } finally {
    signal.removeEventListener('abort', abort)
    tree.stdout.destroy()
    tree.stderr.destroy()
  }
}

/** Measures how long the promise takes, up to a limit. Data that is ready is read first, even if the limit has passed. */
async function measureTime(promise: Promise<void>, most: number): Promise<number> {
  const began = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve), most)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
  return performance.now() - began
}

async function readErrors(
  tree: Tree,
  heard: (text: string, events: Event[]) => void,
  reader: HeadlessReader,
): Promise<void> {
  const splitter = new LineSplitter(1024 * 1024)
  try {
    for await (const chunk of tree.stderr as AsyncIterable<Buffer>) {
      const lines = splitter.push(chunk)
      heard(
        chunk.toString('utf8'),
        lines.flatMap((line) => reader.readError?.(line) ?? []),
      )
    }
    heard(
      '',
      splitter.end().flatMap((line) => reader.readError?.(line) ?? []),
    )
  } catch {
    // Standard error was cut off or has an endless line. It is only informational.
  }
}
