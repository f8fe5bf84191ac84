import type { Profile } from '../../contract/profile.ts'
import { modes } from './modes.ts'

export const profile = {
  id: 'opencode',
  title: 'OpenCode',
  brand: {
    hue: { light: '#6b46b8', dark: '#bda2f5' },
    icon: {
      path: 'M9 6l-5 6 5 6M15 6l5 6-5 6',
      stroke: 2.4,
    },
  },
  modes,
} as const satisfies Profile
