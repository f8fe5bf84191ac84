import type { Profile } from '../../contract/profile.ts'

export const profile = {
  id: 'kiro',
  title: 'Kiro CLI',
  name: 'Kiro',
  aliases: ['kiro-cli'],
  brand: {
    hue: { light: '#8a3ea8', dark: '#dc9df5' },
    icon: {
      path: 'M6 20V11a6 6 0 0112 0v9l-3-2-3 2-3-2zM10 11v1.5M14 11v1.5',
      stroke: 1.9,
    },
  },
} as const satisfies Profile
