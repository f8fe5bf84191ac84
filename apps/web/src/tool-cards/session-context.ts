import type { Message } from '@remora/protocol'
import { type ComponentType, createContext } from 'react'
import type { SessionKey } from '../wire/api.ts'

/** The session whose message is drawn. */
export const SessionContext = createContext<SessionKey>({ agent: '', session: '' })

/** What draws a message within a tool's card, as of a sub-agent: cards are in messages, so that one is given the other. */
export const NestedContext = createContext<ComponentType<{ readonly message: Message }>>(() => null)
