import type { Profile } from '../../contract/profile.ts'
import { modes } from './modes.ts'

export const title = 'pi'

export const profile = {
  id: 'pi',
  title,
  brand: {
    hue: { light: '#726100', dark: '#d8c75e' },
    icon: {
      path: 'M4.5 9.5C5.5 7 7 6.5 9 6.5h10.5M9.5 6.5c0 4.5-.6 8-3 11M15 6.5v8c0 2 1 3 2.5 3 .9 0 1.6-.4 2-1',
      stroke: 2,
    },
  },
  variables: ['PI_'],
  modes,
} as const satisfies Profile
