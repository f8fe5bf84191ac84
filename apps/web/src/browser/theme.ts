import { local } from '../state/local.ts'

export type Theme = 'system' | 'light' | 'dark'
export type TextSize = 'small' | 'normal' | 'large'

const rootSizes = { small: '93.75%', normal: '', large: '118.75%' } as const

export function readTheme(): Theme {
  return local.read<Theme>('theme') ?? 'system'
}

export function chooseTheme(theme: Theme): void {
  local.write('theme', theme === 'system' ? undefined : theme)
  applyTheme()
}

export function readTextSize(): TextSize {
  return local.read<TextSize>('text-size') ?? 'normal'
}

export function chooseTextSize(size: TextSize): void {
  local.write('text-size', size === 'normal' ? undefined : size)
  applyTheme()
}

const dark = matchMedia('(prefers-color-scheme: dark)')
dark.addEventListener('change', () => applyTheme())

export function applyTheme(): void {
  const theme = readTheme()
  document.documentElement.dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
  // All sizes are relative to the root font size.
  document.documentElement.style.fontSize = rootSizes[readTextSize()] ?? ''
}
