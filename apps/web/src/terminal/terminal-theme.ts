import type { ITheme } from '@xterm/xterm'

/** The sixteen terminal colours by theme variable. */
const both = {
  background: 'paper',
  foreground: 'ink',
  cursor: 'accent',
  cursorAccent: 'on-accent',
  red: 'bad',
  green: 'good',
  yellow: 'warn',
  blue: 'code-function',
  magenta: 'code-keyword',
  cyan: 'accent',
  brightBlack: 'faint',
  brightRed: 'bad',
  brightGreen: 'good',
  brightYellow: 'warn',
  brightBlue: 'code-function',
  brightMagenta: 'code-keyword',
  brightCyan: 'accent',
} as const
const light = { black: 'ink', white: 'line', brightWhite: 'raised' } as const
const dark = { black: 'line', white: 'dim', brightWhite: 'ink' } as const

/** The current colours. */
export function terminalTheme(root: HTMLElement = document.documentElement): ITheme {
  const styles = getComputedStyle(root)
  const names = { ...both, ...(root.dataset['theme'] === 'dark' ? dark : light) }
  const colours = Object.entries(names).map(([name, token]) => [
    name,
    styles.getPropertyValue(`--${token}`).trim(),
  ])
  return {
    ...(Object.fromEntries(colours) as ITheme),
    selectionBackground: styles.getPropertyValue('--accent-soft').trim(),
  }
}
