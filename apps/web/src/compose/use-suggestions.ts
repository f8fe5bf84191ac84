import type { CommandHint, FileHint } from '@remora/protocol/api'
import { useEffect, useMemo, useState } from 'react'
import { findAgentInfo } from '../state/agents.ts'
import { type SessionKey, api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { type Token, filterCommands, formatMention } from './completion.ts'

/** An entry of the completion list. */
export interface Suggestion {
  readonly key: string
  readonly label: string
  readonly detail?: string | undefined
  /** The source, if it is not obvious. */
  readonly badge?: string | undefined
  readonly isFolder?: boolean | undefined
  /** The text to insert. */
  readonly insert: string
}

export interface Suggestions {
  readonly list: readonly Suggestion[]
  readonly state: 'loading' | 'ready' | 'failed'
}

const none: Suggestions = { list: [], state: 'ready' }
const maxShown = 60
/** Waits for a pause in typing. */
const pauseMs = 120

/** Suggests commands of the agent or files of its folder. */
export function useSuggestions(session: SessionKey, token: Token | undefined): Suggestions {
  const commands = useCommands(session, token?.kind === 'command')
  const files = useFiles(session, token?.kind === 'file' ? token.typed : undefined)
  const typed = token?.typed ?? ''
  const kind = token?.kind
  const fitting = useMemo(
    () =>
      commands.list === undefined
        ? { list: [], state: commands.state }
        : {
            list: filterCommands(commands.list, typed).slice(0, maxShown).map(asSuggestion),
            state: 'ready' as const,
          },
    [commands, typed],
  )
  if (kind === undefined) return none
  return kind === 'command' ? fitting : files
}

export interface Commands {
  readonly list?: readonly CommandHint[]
  readonly state: Suggestions['state']
}

/** The slash commands of the agent, loaded when needed. */
export function useCommands({ agent, session }: SessionKey, isWanted: boolean): Commands {
  const [commands, setCommands] = useState<Commands>({ state: 'loading' })
  useEffect(() => {
    if (!isWanted) return undefined
    const abort = new AbortController()
    api
      .get('/api/sessions/:agent/:session/commands', { params: { agent, session }, signal: abort.signal })
      .then(
        ({ commands: list }) => setCommands({ list, state: 'ready' }),
        () => {
          // Earlier commands are kept.
          if (!abort.signal.aborted) setCommands((before) => (before.list ? before : { state: 'failed' }))
        },
      )
    return () => abort.abort()
  }, [agent, session, isWanted])
  return commands
}

function useFiles({ agent, session }: SessionKey, typed: string | undefined): Suggestions {
  const [files, setFiles] = useState<Suggestions>({ list: [], state: 'loading' })
  useEffect(() => {
    if (typed === undefined) {
      setFiles({ list: [], state: 'loading' })
      return undefined
    }
    const abort = new AbortController()
    const timer = setTimeout(() => {
      api
        .get('/api/sessions/:agent/:session/files', {
          params: { agent, session },
          query: { text: typed, limit: maxShown },
          signal: abort.signal,
        })
        .then(
          (answer) =>
            setFiles({ list: answer.files.map((file) => fileSuggestion(agent, file)), state: 'ready' }),
          () => {
            if (!abort.signal.aborted) setFiles({ list: [], state: 'failed' })
          },
        )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [agent, session, typed])
  return files
}

function asSuggestion({ name, description, hint, from }: CommandHint): Suggestion {
  const badges = { agent: undefined, user: words.compose.fromUser, project: words.compose.fromProject }
  return {
    key: name,
    label: `/${name}${hint ? ` ${hint}` : ''}`,
    detail: description,
    badge: badges[from],
    insert: `/${name} `,
  }
}

function fileSuggestion(agent: string, { path, folder }: FileHint): Suggestion {
  const cut = path.lastIndexOf('/')
  return {
    key: path,
    label: folder ? `${path.slice(cut + 1)}/` : path.slice(cut + 1),
    detail: cut === -1 ? undefined : path.slice(0, cut),
    isFolder: folder,
    insert: formatMention(findAgentInfo(agent)?.mention, path, folder),
  }
}
