/** What a program left on its screen, without what tmux says of it. */
export function lastWords(lines: readonly string[]): string {
  const said = lines.filter((line) => line.trim() !== '' && !line.startsWith('Pane is dead'))
  return said.slice(-8).join('\n').slice(0, 2_000)
}
