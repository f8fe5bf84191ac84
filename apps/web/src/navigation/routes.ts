import type { SessionKey } from '../wire/api.ts'

/** The URLs of the screens. */
export const routes = {
  sessions: '/',
  newSession: '/new',
  search: '/search',
  insights: '/insights',
  settings: '/settings',
  session: ({ agent, session }: SessionKey, part?: 'changes' | 'terminal' | 'files') =>
    `/session/${encodeURIComponent(agent)}/${encodeURIComponent(session)}${part ? `/${part}` : ''}`,
}
