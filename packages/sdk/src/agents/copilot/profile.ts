import type { Profile } from '../../contract/profile.ts'
import { modes } from './modes.ts'

export const profile = {
  id: 'copilot',
  title: 'GitHub Copilot CLI',
  name: 'Copilot',
  aliases: ['copilot-cli', 'github-copilot'],
  brand: {
    hue: { light: '#1f6f8b', dark: '#7fd0ea' },
    icon: {
      path: 'M4 13a8 7 0 0 1 16 0v3.5c0 1.4-3.6 3-8 3s-8-1.6-8-3zM4 13h16M9.2 15.4v1.8M14.8 15.4v1.8',
      stroke: 1.8,
    },
  },
  variables: ['COPILOT_', 'GH_', 'GITHUB_'],
  modes,
} as const satisfies Profile
