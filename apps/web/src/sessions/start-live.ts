import type { LiveInfo, SignInMethod, StartRequest } from '@remora/protocol'
import { create } from 'zustand'
import { ApiError, api } from '../wire/api.ts'

/** An agent that demands that the user signs in. */
export interface SignInDemand {
  readonly agent: string
  readonly reason: string
  readonly methods: readonly SignInMethod[]
  /** Starts with a method, or gives up. */
  readonly choose: (method: string | undefined) => void
}

/** What the sign-in sheet shows. */
export const useSignIn = create<{ readonly demand: SignInDemand | undefined }>(() => ({ demand: undefined }))

/** Starts or resumes a session. If the agent demands it, the user chooses how to sign in; no method is used otherwise. */
export async function startLive(request: StartRequest): Promise<LiveInfo> {
  try {
    return await api.post('/api/live', { body: request })
  } catch (error) {
    if (!(error instanceof ApiError) || !error.signIn || request.signIn !== undefined) throw error
    const signIn = await askSignIn(request.agent, error.message, error.signIn)
    if (signIn === undefined) throw error
    return api.post('/api/live', { body: { ...request, signIn } })
  }
}

function askSignIn(
  agent: string,
  reason: string,
  methods: readonly SignInMethod[],
): Promise<string | undefined> {
  // A second start replaces the question of the first.
  useSignIn.getState().demand?.choose(undefined)
  return new Promise((resolve) => {
    const choose = (method: string | undefined): void => {
      useSignIn.setState({ demand: undefined })
      resolve(method)
    }
    useSignIn.setState({ demand: { agent, reason, methods, choose } })
  })
}
