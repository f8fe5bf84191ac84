import type { Message } from '@remora/protocol'
import { type ComponentType, createContext } from 'react'
import type { SessionKey } from '../wire/api.ts'

/** The session of the rendered message. */
export const SessionContext = createContext<SessionKey>({ agent: '', session: '' })

/** Renders a sub-agent message inside a tool card. Passed as context, because messages contain tool cards. */
export const NestedContext = createContext<ComponentType<{ readonly message: Message }>>(() => null)
