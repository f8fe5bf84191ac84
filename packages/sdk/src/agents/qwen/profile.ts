import type { Profile } from '../../contract/profile.ts'
import { modes } from './modes.ts'

export const profile = {
  id: 'qwen',
  title: 'Qwen Code',
  name: 'Qwen',
  aliases: ['qwen-code'],
  brand: {
    hue: { light: '#7a3fd0', dark: '#c3a2ff' },
    icon: {
      path: 'M12 3l7.8 4.5v9L12 21l-7.8-4.5v-9zM12 8l-3.5 2v4l3.5 2 3.5-2v-4zM14 14.5l5 3',
      stroke: 1.8,
    },
  },
  memoryFile: 'QWEN.md',
  variables: ['QWEN_', 'OPENAI_'],
  mention: 'backslashes',
  modes,
} as const satisfies Profile
