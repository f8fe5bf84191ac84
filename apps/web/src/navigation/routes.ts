import type { SessionKey } from '../wire/api.ts'

/** The addresses of the app's screens. */
export const routes = {
  sessions: '/',
  newSession: '/new',
  search: '/search',
  insights: '/insights',
  settings: '/settings',
  session: ({ agent, session }: SessionKey, part?: 'changes' | 'terminal' | 'files') =>
    `/session/${encodeURIComponent(agent)}/${encodeURIComponent(session)}${part ? `/${part}` : ''}`,
}
