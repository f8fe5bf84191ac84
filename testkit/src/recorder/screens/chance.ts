/** A screen without what a terminal interface leaves to the clock and to chance. @example withoutChance('✻ Baked for 3s') */
export function withoutChance(screen: string): string {
  return chance.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), screen)
}

const chance: readonly (readonly [RegExp, string])[] = [
  [/\b\d+(?:\.\d+)?m?s\b/g, '0s'],
  [/\b\d\d:\d\d\b/g, '00:00'],
  // Claude's word for the work done, OpenCode's example of a question, Codex's moving picture.
  [/✻ \S+ for/g, '✻ Worked for'],
  // Claude's picture and word for the work that goes on, with how much of it there was.
  [/^[·✢✳✶✻✽*] \S+… \(.*\)$/gm, '✻ Working… (0s)'],
  [/^[·✢✳✶✻✽*] [A-Z]\S+…$/gm, '✻ Working…'],
  [/⎿\s+Tip: .*/g, '⎿  Tip: Be brief'],
  [/ · done \d{1,2}:\d\d [AP]M$/gm, ' · done 0:00 AM'],
  // What it shows for some seconds only, and the name that it makes up for a plan.
  [/ +[○◔◐◑◕●] \w+ · \/effort$/gm, ''],
  [/ (?:[○◔◐◑◕●] \w+ · \/effort|tmux focus-events off .*) ▔$/gm, ''],
  [/ +ctrl\+y to paste deleted text$/gm, ''],
  [/(?: ·)? ← for agents$/gm, ''],
  [/^ +tmux focus-events off .*\n?/gm, ''],
  [/plans\/[\w-]+\.md/g, 'plans/plan.md'],
  [/^(title: )?[⠀-⣿] (?=\S)/gm, '$1⠂ '],
  // Gemini's.
  [/^ [⠀-⣿] /gm, ' ⠋ '],
  [/^ ⠋ .*… \(esc to cancel/gm, ' ⠋ Thinking… (esc to cancel'],
  [/\(esc to cancel, [\dms ]+\)/g, '(esc to cancel, 0s)'],
  [/^Pane is dead .*/gm, 'Pane is dead'],
  [/Ask anything… ".*"/g, 'Ask anything… "Fix broken tests"'],
  // Qwen's hints, and its phrases for the current work.
  [/^ {2}Tips: .*\n(?: {2}[A-Za-z].*\n)?/gm, '  Tips: Be brief\n'],
  [/^ {2}(?:\.{1,3}|[⠀-⣿]) +.*(?= \(\d.* · esc to cancel\)$)/gm, '  .. Working...'],
  [/^ {2}(?:\.{1,3}|[⠀-⣿]) +.*(?=\n {2}\(\d.* · esc to cancel\)$)/gm, '  .. Working...'],
  [/^ {2}(?:\.{1,3}|[⠀-⣿]) +(?=Initializing)/gm, '  .. '],
  // Codex's blinking title and its hints, OpenCode's moving squares, signs and hints.
  [/\[ [.!] \] Action Required/g, '[ ! ] Action Required'],
  [/^ {2}└ Tip: .*\n(?: {4}.*\n)*/gm, ''],
  [/[■⬝]{8}/g, '⬝⬝⬝⬝⬝⬝⬝⬝'],
  [/^( {5})[⠁-⣿] (?=\S)/gm, '$1⠋ '],
  [/^ +● Tip .*$/gm, ''],
  [/\[retrying in \d+\S* attempt #\d+\]/g, '[retrying in 0s attempt #1]'],
  [/^[\s\u2800-\u28ff]*[\u2800-\u28ff]+$/gm, ''],
]
