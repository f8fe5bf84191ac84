import type { Profile } from '../../contract/profile.ts'
import { modes } from './modes.ts'

export const profile = {
  id: 'codex',
  title: 'Codex',
  aliases: ['codex-cli'],
  brand: {
    hue: { light: '#17735a', dark: '#6ed1b1' },
    icon: {
      path: 'M12 4l6.9 4v8L12 20l-6.9-4V8zM12 8.5l3.2 1.8v3.6L12 15.7l-3.2-1.8v-3.6z',
      stroke: 1.9,
    },
  },
  modes,
} as const satisfies Profile
