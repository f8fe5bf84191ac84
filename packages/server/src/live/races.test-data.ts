import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type SessionKey, openLedger } from '@remora/ledger'
import type { Answer, Ask } from '@remora/protocol'
import { type TestClient, openSocket } from '../http/server.test-data.ts'
import type { Stage } from './live.test-data.ts'

export interface Told {
  readonly won: boolean
  /** The answer in the ledger, which another client may have given. */
  readonly answer: Answer
}

export interface Asked {
  readonly key: SessionKey
  readonly ask: Ask
}

/** A client that answers asks. */
export interface Racer {
  answer(key: SessionKey, ask: Ask, option: string): Promise<Told>
}

/** A phone with a WebSocket: it gets asks, answers them, and gets their results. */
export class Phone implements Racer {
  readonly client: TestClient
  #count = 0

  private constructor(client: TestClient) {
    this.client = client
  }

  /** Connects a paired device to the port, or a local client to the unix socket. */
  static async open(stage: Stage, paired: boolean): Promise<Phone> {
    const { listening } = stage.server
    if (!paired) return new Phone(await openSocket(listening, { unix: true }))
    const { code } = listening.pairing.create()
    const response = await fetch(`http://127.0.0.1:${listening.port}/api/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, name: 'phone', token: true }),
    })
    const { token } = (await response.json()) as { token: string }
    return new Phone(await openSocket(listening, { token }))
  }

  /** All asks that it got. */
  asked(): Asked[] {
    return this.client.received.flatMap((message) => {
      const { type, agent, session, ask } = message as unknown as { type: string } & SessionKey & { ask: Ask }
      return type === 'ask' ? [{ key: { agent, session }, ask }] : []
    })
  }

  /** All results of an ask that it got. */
  settled({ id }: Ask): Answer[] {
    return this.client.received
      .filter(({ type, answer }) => type === 'settled' && (answer as Answer).ask === id)
      .map(({ answer }) => answer as Answer)
  }

  async answer(target: SessionKey, { id: ask, digest }: Ask, option: string): Promise<Told> {
    const id = `answer-${++this.#count}`
    this.client.send({ type: 'command', id, target, body: { kind: 'answer', ask, digest, option } })
    const ack = await this.client.until<{ state: string; answer: Answer }>(
      (message) => message['type'] === 'ack' && message['id'] === id,
    )
    return { won: ack.state === 'done', answer: ack.answer }
  }
}

/** Another process that answers through the ledger, as `remora answer` does. */
export class OtherProcess implements Racer {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (told: Told) => void>()
  #count = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const { number, ...told } = JSON.parse(line) as Told & { number: number }
      this.#waiting.get(number)?.(told)
    })
  }

  static async start(ledger: string): Promise<OtherProcess> {
    const program = fileURLToPath(import.meta.url)
    const args = ['--import', import.meta.resolve('tsx'), program, ledger]
    const other = new OtherProcess(spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }))
    await new Promise<void>((resolve) => other.#waiting.set(0, () => resolve()))
    return other
  }

  answer(key: SessionKey, { id: ask, digest }: Ask, option: string): Promise<Told> {
    const number = ++this.#count
    const answer = { ask, digest, option, by: 'person', device: 'remora answer' } satisfies Answer
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve)
      this.#child.stdin!.write(`${JSON.stringify({ number, key, answer })}\n`)
    })
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.stdin!.end()
    await gone
  }
}

/** The keyboard of the user: keys through tmux, without Remora. */
export async function pressAtKeyboard(stage: Stage, live: string, key: string): Promise<void> {
  const socket = `${stage.remoraHome}/tmux.sock`
  await promisify(execFile)('tmux', ['-S', socket, 'send-keys', '-t', `remora-${live}`, key])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ledger = await openLedger({ file: process.argv[2]! })
  const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)
  say({ number: 0 })
  for await (const line of createInterface({ input: process.stdin })) {
    const { number, key, answer } = JSON.parse(line) as { number: number; key: SessionKey; answer: Answer }
    say({ number, ...(await ledger.asks.answer(key, answer)) })
  }
  await ledger.close()
}
