import type { Profile } from '../../contract/profile.ts'
import { modes } from './modes.ts'

export const profile = {
  id: 'claude',
  title: 'Claude Code',
  name: 'Claude',
  aliases: ['claude-code'],
  brand: {
    hue: { light: '#a8471f', dark: '#f29a72' },
    icon: {
      path: 'M12 4v16M4 12h16M6.3 6.3l11.4 11.4M17.7 6.3L6.3 17.7',
      stroke: 2.4,
    },
  },
  memoryFile: 'CLAUDE.md',
  modes,
} as const satisfies Profile
