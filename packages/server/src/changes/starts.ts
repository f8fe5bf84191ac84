import type { SessionKey } from '@remora/ledger'
import type { LiveInfo } from '@remora/protocol'
import type { Context } from '../core/context.ts'
import type { Collection } from '../core/store.ts'
import { gitStart } from '../git/git-start.ts'
import { tryGit } from '../git/git.ts'

interface Start {
  readonly commit?: string
  readonly cwd: string
  readonly at: number
}

/** Since when changes are told, and how sure that is. */
export interface SessionStart {
  readonly commit?: string
  /** Nobody looked when it began: the last commit before that time is taken. */
  readonly guessed?: true
}

export interface SessionStarts {
  of(key: SessionKey, cwd: string, startedAt: number): Promise<SessionStart>
}

/**
 * Remembers at which commit each session began. The first time counts, also when a session is resumed later.
 *
 * @example const starts = watchStarts(context); await starts.of(key, cwd, startedAt)
 */
export function watchStarts(context: Context): SessionStarts {
  const { live, store, env, signal, log } = context
  const collection: Collection<Start> = store.collection('git-starts')
  /** By live id and session, so that each is stored once, and again under the id that the agent gives it. */
  const stored = new Map<string, Promise<void>>()

  const remember = async (info: LiveInfo): Promise<void> => {
    const key = nameOf(info)
    if (await collection.get(key)) return
    const known =
      info.session === info.id ? undefined : await collection.get(nameOf({ ...info, session: info.id }))
    if (known) return collection.put(key, known)
    const commit = await gitStart(info.cwd, { env, signal })
    await collection.put(key, { cwd: info.cwd, at: Date.now(), ...(commit === undefined ? {} : { commit }) })
  }
  const see = (info: LiveInfo): void => {
    // Its folder is on another machine.
    if (info.node) return
    const name = `${info.id} ${info.session}`
    if (info.state === 'ended') {
      stored.delete(name)
      stored.delete(`${info.id} ${info.id}`)
      return
    }
    if (stored.has(name)) return
    // One after the other: the second name of a session takes what the first one knows.
    const before = stored.get(`${info.id} ${info.id}`) ?? Promise.resolve()
    const done = before
      .then(() => remember(info))
      .catch((error: unknown) =>
        log('warn', 'The start of a session could not be kept', { error: String(error) }),
      )
    stored.set(name, done)
  }
  for (const info of live.list()) see(info)
  const forget = live.on((change) => {
    if (change.type === 'live') see(change.live)
  })
  signal.addEventListener('abort', forget, { once: true })

  return {
    async of(key, cwd, startedAt) {
      await Promise.all(stored.values())
      const start = await collection.get(nameOf(key))
      if (start) return start.commit === undefined ? {} : { commit: start.commit }
      const before = `--before=${new Date(startedAt).toISOString()}`
      const commit = await tryGit(['rev-list', '-1', before, 'HEAD'], { cwd, env, signal }).catch(
        () => undefined,
      )
      return commit ? { commit, guessed: true } : {}
    },
  }
}

function nameOf({ agent, session }: SessionKey): string {
  return `${agent}/${session}`
}
