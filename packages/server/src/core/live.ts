import type { SessionKey } from '@remora/ledger'
import type { Command, CommandBody, LiveFrame, LiveInfo, StartRequest } from '@remora/protocol'
import type { FoundTerminal, Terminal } from '@remora/sdk/terminal'

/** The live sessions. */
export interface Live {
  /** Waits, up to a timeout, until a session is restored after a restart; without a name, until all are. */
  restored?(name?: string | SessionKey): Promise<void>
  /** Waits, up to a timeout, until the sessions of other machines are known. */
  listed?(): Promise<void>
  list(): LiveInfo[]
  /** Finds a session by live id, agent id, or a unique prefix. */
  find(word: string): LiveInfo | undefined
  of(key: SessionKey): LiveInfo | undefined
  start(request: StartRequest): Promise<LiveInfo>
  /** Lists agents that the user started in tmux and that are not managed yet. */
  adoptable(): Promise<FoundTerminal[]>
  adopt(found: FoundTerminal): Promise<LiveInfo>
  /** Detaches from an adopted session, which keeps running. */
  release(id: string): Promise<void>
  /**
   * Stores a command and executes it when it is due; a repeated id of the same client has no effect. A prompt for a
   * session that is not live is refused. Answers go through `Approvals` instead.
   */
  submit(command: Omit<Command, 'state' | 'at'>): Promise<Command>
  /** Changes a queued prompt; throws `conflict` if it is no longer queued. */
  edit(id: Pick<Command, 'id' | 'client'>, body: CommandBody): Promise<Command>
  withdraw(id: Pick<Command, 'id' | 'client'>): Promise<Command>
  terminal(id: string): Terminal | undefined
  frame(id: string): LiveFrame | undefined
  /** Notifies of every change until the returned function is called. */
  on(listener: (change: LiveChange) => void): () => void
}

export type LiveChange =
  | { readonly type: 'live'; readonly live: LiveInfo }
  | { readonly type: 'frame'; readonly frame: LiveFrame }
  | { readonly type: 'command'; readonly command: Command }
