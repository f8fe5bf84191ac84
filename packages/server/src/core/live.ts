import type { SessionKey } from '@remora/ledger'
import type { Command, CommandBody, LiveFrame, LiveInfo, StartRequest } from '@remora/protocol'
import type { FoundTerminal, Terminal } from '@remora/sdk/terminal'

/** The sessions that go on now. */
export interface Live {
  /** Waits while a session, or without a name any session, is restored after a restart of the server. Gives up in time. */
  restored?(name?: string | SessionKey): Promise<void>
  /** Waits until the sessions of other machines are known, but not for long. */
  listed?(): Promise<void>
  list(): LiveInfo[]
  /** By its live id, the agent's own id, or the beginning of one that fits nobody else. */
  find(word: string): LiveInfo | undefined
  of(key: SessionKey): LiveInfo | undefined
  start(request: StartRequest): Promise<LiveInfo>
  /** Agents that somebody started in a tmux of his own, and that we do not hold yet. */
  adoptable(): Promise<FoundTerminal[]>
  adopt(found: FoundTerminal): Promise<LiveInfo>
  /** Lets go of an adopted one, which goes on without us. */
  release(id: string): Promise<void>
  /**
   * Stores a command and does it when its time has come; the same id of the same client again does nothing. A prompt
   * for a session that is not live is refused. Answers do not come this way: they are the approvals'.
   */
  submit(command: Omit<Command, 'state' | 'at'>): Promise<Command>
  /** Other words for a prompt that waits; throws `conflict` if it waits no longer. */
  edit(id: Pick<Command, 'id' | 'client'>, body: CommandBody): Promise<Command>
  withdraw(id: Pick<Command, 'id' | 'client'>): Promise<Command>
  terminal(id: string): Terminal | undefined
  frame(id: string): LiveFrame | undefined
  /** Tells of every change until the returned function is called. */
  on(listener: (change: LiveChange) => void): () => void
}

export type LiveChange =
  | { readonly type: 'live'; readonly live: LiveInfo }
  | { readonly type: 'frame'; readonly frame: LiveFrame }
  | { readonly type: 'command'; readonly command: Command }
