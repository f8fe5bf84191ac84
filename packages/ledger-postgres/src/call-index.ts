import type { EventOf } from '@remora/protocol/plain'
import {
  type CallIndex,
  type CallEnd,
  type CallName,
  type CallDetails,
  type CallEventType,
  type CallEventRow,
  hashCall,
  getCallName,
} from '@remora/ledger/internal'
import { type KnownCall, type KnownName, saveCalls } from './call-rows.ts'
import type { Queries } from './connection.ts'
import { hashKey } from './hash.ts'

/** The events of a step with their rows. */
type Step = readonly (readonly [CallEventRow, EventOf<CallEventType>])[]

/** A call with the same id in another session, which may be a copy by a fork. */
interface Twin {
  readonly session: number
  readonly call: number
  readonly at: number
}

/**
 * Loads the part of the index that a step may need in a few queries; saving takes a few more. Single lookups, as in
 * SQLite, would each take a round trip.
 */
export async function openCallIndex(queries: Queries, step: Step): Promise<PostgresCallIndex> {
  const names = new Map<string, readonly [number, string]>()
  const hashes = new Map<string, readonly [number, string]>()
  const entities = new Set<string>()
  let uses = 0
  for (const [row, event] of step) {
    if (event.type === 'message') continue
    const entity = hashKey(getCallName(row))
    names.set(`${row.session_id} ${entity}`, [row.session_id, entity])
    entities.add(entity)
    if (event.type !== 'tool_use') continue
    uses++
    for (const hash of Object.values(hashCall(event)))
      hashes.set(`${row.session_id} ${hash}`, [row.session_id, hash])
  }
  const index = new PostgresCallIndex()
  const known = await queries.all<Omit<KnownName, 'fresh' | 'changed'>>(
    `SELECT n.session_id AS session, n.entity, n.channel, n.number, n.call_id AS call, n.ended
     FROM call_names n JOIN unnest($1::bigint[], $2::uuid[]) k (session_id, entity)
       ON n.session_id = k.session_id AND n.entity = k.entity ORDER BY n.channel, n.number`,
    ...toPairColumns(names.values()),
  )
  const alike = `SELECT id FROM calls c JOIN unnest($2::bigint[], $3::text[]) k (session_id, hash)
    ON c.session_id = k.session_id AND c.`
  const calls = await queries.all<Omit<KnownCall, 'channels' | 'fresh'>>(
    `SELECT id, session_id AS session, named, call, claude_call AS "claudeCall", channel, at,
       ended_channel AS "endedChannel" FROM calls
     WHERE id IN (SELECT unnest($1::bigint[]) UNION ${alike}call = k.hash UNION ${alike}claude_call = k.hash)`,
    known.flatMap(({ call }) => (call === null ? [] : [call])),
    ...toPairColumns(hashes.values()),
  )
  index.addKnown(known, calls)
  index.addReports(
    await queries.all<{ call: number; channel: number }>(
      'SELECT call_id AS call, channel FROM call_names WHERE call_id = ANY($1::bigint[])',
      calls.map(({ id }) => id),
    ),
  )
  index.addTwins(
    await queries.all<Twin & { entity: string }>(
      `SELECT n.session_id AS session, n.call_id AS call, n.entity, c.at
       FROM call_names n JOIN calls c ON c.id = n.call_id WHERE n.channel = 0 AND n.entity = ANY($1::uuid[])`,
      [...entities],
    ),
  )
  index.addAgents(
    await queries.all<{ id: number; agent: string }>(
      `SELECT id, agent FROM sessions WHERE id = ANY($1::bigint[])`,
      index.sessions(step.map(([row]) => row.session_id)),
    ),
  )
  index.setIds(
    await queries.all<{ id: number }>(
      `SELECT nextval(pg_get_serial_sequence('calls', 'id')) AS id FROM generate_series(1, $1)`,
      uses,
    ),
  )
  return index
}

function toPairColumns(pairs: Iterable<readonly [number, string]>): [number[], string[]] {
  const all = [...pairs]
  return [all.map(([first]) => first), all.map(([, second]) => second)]
}

/** The loaded part of the index. */
class PostgresCallIndex implements CallIndex {
  readonly #calls = new Map<number, KnownCall>()
  readonly #names = new Map<string, KnownName[]>()
  /** By session and hash, in the order of their ids. */
  readonly #alike = new Map<string, Set<KnownCall>>()
  readonly #twins = new Map<string, Twin[]>()
  readonly #agents = new Map<number, string>()
  readonly #prompts = new Map<string, readonly [number, number, number, string]>()
  #ids: number[] = []

  addKnown(
    names: readonly Omit<KnownName, 'fresh' | 'changed'>[],
    calls: readonly Omit<KnownCall, 'channels' | 'fresh'>[],
  ): void {
    for (const name of names) this.#keep({ ...name, fresh: false, changed: false })
    for (const call of [...calls].sort((left, right) => left.id - right.id))
      this.#add({ ...call, channels: new Set(), fresh: false })
  }

  addReports(reports: readonly { readonly call: number; readonly channel: number }[]): void {
    for (const { call, channel } of reports) this.#calls.get(call)?.channels.add(channel)
  }

  addTwins(twins: readonly (Twin & { readonly entity: string })[]): void {
    for (const { entity, ...twin } of twins) this.#addTwin(entity, twin)
  }

  addAgents(agents: readonly { readonly id: number; readonly agent: string }[]): void {
    for (const { id, agent } of agents) this.#agents.set(id, agent)
  }

  /** Sets the ids for new calls. */
  setIds(rows: readonly { readonly id: number }[]): void {
    this.#ids = rows.map(({ id }) => id).sort((left, right) => right - left)
  }

  /** All sessions whose agent must be loaded. */
  sessions(own: readonly number[]): number[] {
    return [...new Set([...own, ...[...this.#twins.values()].flat().map(({ session }) => session)])]
  }

  addPrompt(session: number, channel: number, at: number, entity: string): void {
    const hash = hashKey(entity)
    this.#prompts.set(`${session} ${channel} ${at} ${hash}`, [session, channel, at, hash])
  }

  findNamed(session: number, entity: string): number | null | undefined {
    return this.#named(session, hashKey(entity))[0]?.call
  }

  findUnnamed(session: number, call: string, claudeCall: string): number | undefined {
    const found = [call, claudeCall].flatMap((hash) =>
      [...(this.#alike.get(`${session} ${hash}`) ?? [])].filter(
        (each) => !each.named && (each.call === call || each.claudeCall === claudeCall),
      ),
    )
    return findLowest(found)
  }

  findUnreported(session: number, call: string, after: number, channel: number): number | undefined {
    const found = [...(this.#alike.get(`${session} ${call}`) ?? [])].filter(
      (each) =>
        (each.call === call || each.claudeCall === call) && each.id > after && !each.channels.has(channel),
    )
    return findLowest(found)
  }

  findLast({ session, entity, channel }: CallName): number {
    return this.#named(session, hashKey(entity)).findLast((name) => name.channel === channel)?.call ?? 0
  }

  endNext({ session, entity, channel }: CallName): number | undefined {
    const found = this.#named(session, hashKey(entity)).find(
      (name) => name.channel === channel && !name.ended,
    )
    if (!found) return undefined
    found.ended = true
    found.changed = true
    return found.call ?? undefined
  }

  addName({ session, entity, channel }: CallName, repeats: boolean, call: number | null): void {
    const hash = hashKey(entity)
    const before = this.#named(session, hash).filter((name) => name.channel === channel)
    if (!repeats && before.length > 0) return
    const number = before.reduce((highest, name) => Math.max(highest, name.number), -1) + 1
    this.#keep({ session, entity: hash, channel, number, call, ended: false, fresh: true, changed: false })
    if (call === null) return
    const known = this.#calls.get(call)!
    known.channels.add(channel)
    if (channel === 0) this.#addTwin(hash, { session, call, at: known.at })
  }

  isCopy(session: number, entity: string, at: number): boolean {
    const agent = this.#agents.get(session)
    return (this.#twins.get(hashKey(entity)) ?? []).some(
      (twin) =>
        twin.session !== session &&
        this.#agents.get(twin.session) === agent &&
        (this.#calls.get(twin.call)?.at ?? twin.at) === at,
    )
  }

  create(session: number, details: CallDetails): number {
    const id = this.#ids.pop()!
    const { named, call, claudeCall, channel, at } = details
    this.#add({
      id,
      session,
      named,
      call,
      claudeCall,
      channel,
      at,
      endedChannel: null,
      channels: new Set(),
      fresh: true,
      details,
    })
    return id
  }

  update(id: number, details: CallDetails): void {
    const known = this.#calls.get(id)!
    known.at = Math.min(known.at, details.at)
    known.named ||= details.named
    known.reportedAgain = true
    if (known.channel < details.channel) return
    known.details = details
    known.channel = details.channel
    known.call = details.call
    known.claudeCall = details.claudeCall
    this.#index(known)
  }

  setEnd(id: number, end: CallEnd): void {
    const known = this.#calls.get(id)!
    if ((known.endedChannel ?? 99) < end.channel) return
    known.end = end
    known.endedChannel = end.channel
  }

  async save(queries: Queries): Promise<void> {
    await saveCalls(queries, {
      calls: [...this.#calls.values()],
      names: [...this.#names.values()].flat(),
      prompts: [...this.#prompts.values()],
    })
  }

  #named(session: number, hash: string): readonly KnownName[] {
    return this.#names.get(`${session} ${hash}`) ?? []
  }

  /** Keeps names sorted by channel, then by number. */
  #keep(name: KnownName): void {
    const id = `${name.session} ${name.entity}`
    const names = this.#names.get(id) ?? []
    const behind = names.findIndex((each) => each.channel > name.channel)
    names.splice(behind === -1 ? names.length : behind, 0, name)
    this.#names.set(id, names)
  }

  #add(call: KnownCall): void {
    this.#calls.set(call.id, call)
    this.#index(call)
  }

  #index(call: KnownCall): void {
    for (const hash of [call.call, call.claudeCall]) {
      const id = `${call.session} ${hash}`
      const alike = this.#alike.get(id) ?? new Set()
      this.#alike.set(id, alike.add(call))
    }
  }

  #addTwin(entity: string, twin: Twin): void {
    const twins = this.#twins.get(entity) ?? []
    this.#twins.set(entity, [...twins, twin])
  }
}

function findLowest(calls: readonly KnownCall[]): number | undefined {
  return calls.length === 0 ? undefined : Math.min(...calls.map(({ id }) => id))
}
