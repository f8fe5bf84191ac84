import { chmodSync, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Server, type Socket, createServer } from 'node:net'
import { RemoraError } from '@remora/protocol/plain'
import { prepareSocketFolder } from './host-files.ts'
import { type HostMessage, type HostRequest, onMessages, sendMessage } from './host-wire.ts'

/** The socket on which a host publishes its state and takes requests. Only its user can open it. */
export class HostSocket {
  readonly #path: string
  readonly #act: (what: HostRequest['do']) => Promise<void>
  #server: Server
  readonly #clients = new Set<Socket>()
  #last: HostMessage | undefined

  static async open(path: string, act: (what: HostRequest['do']) => Promise<void>): Promise<HostSocket> {
    await prepareSocketFolder(path)
    // A killed host may have left its socket. The lease proves that no other host listens.
    await rm(path, { force: true })
    const socket = new HostSocket(path, act)
    await socket.#listen()
    return socket
  }

  private constructor(path: string, act: (what: HostRequest['do']) => Promise<void>) {
    this.#path = path
    this.#act = act
    this.#server = this.#create()
  }

  /** Listens again if the socket file was deleted. */
  async keep(): Promise<void> {
    if (existsSync(this.#path)) return
    await prepareSocketFolder(this.#path)
    this.#server.close()
    this.#server = this.#create()
    await this.#listen()
  }

  /** Sends a message to all clients, and to those that connect later. */
  publish(message: HostMessage): void {
    this.#last = message
    for (const client of this.#clients) sendMessage(client, message)
  }

  /** Closes the connections after all messages were sent. */
  async close(): Promise<void> {
    this.#server.close()
    await Promise.all(
      [...this.#clients].map(
        (client) =>
          new Promise<void>((resolve) => {
            client.once('close', resolve)
            client.end()
            setTimeout(() => client.destroy(), 200).unref()
          }),
      ),
    )
    await rm(this.#path, { force: true })
  }

  #create(): Server {
    return createServer((client) => {
      this.#clients.add(client)
      client.on('error', () => {})
      client.on('close', () => this.#clients.delete(client))
      const publish = (): void => {
        if (this.#last) sendMessage(client, this.#last)
      }
      publish()
      // A slow reader may have missed messages.
      client.on('drain', publish)
      onMessages<HostRequest>(client, ({ id, do: what }) => {
        this.#act(what).then(
          () => sendMessage(client, { type: 'reply', id }),
          (error: unknown) =>
            sendMessage(client, { type: 'reply', id, error: toRemoraError(error).toJSON() }),
        )
      })
    })
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#path, () => resolve())
    })
    this.#server.on('error', () => {})
    // The folder is private already; this makes the socket private too.
    chmodSync(this.#path, 0o600)
  }
}

function toRemoraError(error: unknown): RemoraError {
  return RemoraError.is(error)
    ? error
    : new RemoraError('unknown', error instanceof Error ? error.message : String(error))
}
