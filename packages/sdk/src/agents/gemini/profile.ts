import type { Profile } from '../../contract/profile.ts'
import { modes } from './modes.ts'

export const profile = {
  id: 'gemini',
  title: 'Gemini CLI',
  name: 'Gemini',
  aliases: ['gemini-cli'],
  brand: {
    hue: { light: '#3858d6', dark: '#93acff' },
    icon: {
      path: 'M12 3c.8 5.2 3.8 8.2 9 9-5.2.8-8.2 3.8-9 9-.8-5.2-3.8-8.2-9-9 5.2-.8 8.2-3.8 9-9z',
    },
  },
  memoryFile: 'GEMINI.md',
  mention: 'backslashes',
  modes,
} as const satisfies Profile
