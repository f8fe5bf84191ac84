import type { Profile } from '../../contract/profile.ts'
import { modes } from './modes.ts'

export const profile = {
  id: 'kimi',
  title: 'Kimi Code',
  name: 'Kimi',
  aliases: ['kimi-code', 'kimi-cli'],
  brand: {
    hue: { light: '#9a3f6b', dark: '#f0a3c8' },
    icon: { path: 'M6 4v16M18 4l-9.5 8L18 20M14.5 4.5h.01', stroke: 2 },
  },
  variables: ['KIMI_'],
  modes,
} as const satisfies Profile
