import type { SessionKey } from '@remora/ledger'
import type { LiveInfo } from '@remora/protocol'
import type { Context } from '../core/context.ts'
import type { Collection } from '../core/store.ts'
import { readHeadCommit } from '../git/repository.ts'
import { tryGit } from '../git/git.ts'

interface Start {
  readonly commit?: string
  readonly cwd: string
  readonly at: number
}

/** The commit that changes are compared with. */
export interface SessionStart {
  readonly commit?: string
  /** The server did not see the start, so this is the last commit before that time. */
  readonly guessed?: true
}

export interface SessionStarts {
  get(key: SessionKey, cwd: string, startedAt: number): Promise<SessionStart>
}

/**
 * Records the commit at which each session first started; a later resume does not change it.
 *
 * @example const starts = watchStarts(context); await starts.get(key, cwd, startedAt)
 */
export function watchStarts(context: Context): SessionStarts {
  const { live, store, env, signal, log } = context
  const collection: Collection<Start> = store.collection('git-starts')
  /** By live id and session, since a session is stored again under the id that the agent gives it. */
  const stored = new Map<string, Promise<void>>()

  const storeStart = async (info: LiveInfo): Promise<void> => {
    const key = toStoreKey(info)
    if (await collection.get(key)) return
    const earlier =
      info.session === info.id ? undefined : await collection.get(toStoreKey({ ...info, session: info.id }))
    if (earlier) return collection.put(key, earlier)
    const commit = await readHeadCommit(info.cwd, { env, signal })
    await collection.put(key, { cwd: info.cwd, at: Date.now(), commit })
  }
  const onLive = (info: LiveInfo): void => {
    // The folder of a remote session is on another machine.
    if (info.node) return
    const name = `${info.id} ${info.session}`
    if (info.state === 'ended') {
      stored.delete(name)
      stored.delete(`${info.id} ${info.id}`)
      return
    }
    if (stored.has(name)) return
    // In order, because the second id of a session copies the start of the first.
    const before = stored.get(`${info.id} ${info.id}`) ?? Promise.resolve()
    const done = before
      .then(() => storeStart(info))
      .catch((error: unknown) => log('warn', 'Cannot store the start of a session', { error: String(error) }))
    stored.set(name, done)
  }
  for (const info of live.list()) onLive(info)
  const unsubscribe = live.on((change) => {
    if (change.type === 'live') onLive(change.live)
  })
  signal.addEventListener('abort', unsubscribe, { once: true })

  return {
    async get(key, cwd, startedAt) {
      await Promise.all(stored.values())
      const start = await collection.get(toStoreKey(key))
      if (start) return { commit: start.commit }
      const before = `--before=${new Date(startedAt).toISOString()}`
      const commit = await tryGit(['rev-list', '-1', before, 'HEAD'], { cwd, env, signal }).catch(
        () => undefined,
      )
      return commit ? { commit, guessed: true } : {}
    },
  }
}

function toStoreKey({ agent, session }: SessionKey): string {
  return `${agent}/${session}`
}
