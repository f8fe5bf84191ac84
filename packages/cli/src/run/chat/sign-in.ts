import { RemoraError } from '@remora/protocol/plain'
import type { AuthMethod, Connection, Session } from '@remora/sdk'
import { oneLine } from '../../output/one-line.ts'

/** Asks by which of the agent's methods to sign in; undefined if the user declines. */
export type AskSignIn = (methods: readonly AuthMethod[], reason: string) => Promise<AuthMethod | undefined>

/** Opens a session. If the agent demands that the user signs in, offers its methods; no method is ever used without the user. */
export async function openSignedIn(
  connection: Connection,
  options: Parameters<Connection['open']>[0],
  ask: AskSignIn | undefined,
): Promise<Session> {
  try {
    return await connection.open(options)
  } catch (error) {
    const method =
      RemoraError.is(error) && error.signIn ? await ask?.(error.signIn, error.message) : undefined
    if (!method) throw error
    return connection.open({ ...options, signIn: method.id })
  }
}

/** The methods of an agent, numbered. @example formatMethods([{ id: 'key', name: 'API key' }]) // '  1  API key\n' */
export function formatMethods(methods: readonly AuthMethod[]): string {
  return methods
    .map(({ name, description }, index) => {
      const about = description === undefined || description === name ? name : `${name}: ${description}`
      return `  ${index + 1}  ${oneLine(about, 200)}\n`
    })
    .join('')
}
