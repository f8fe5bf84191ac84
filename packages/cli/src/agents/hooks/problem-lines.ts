import type { Colors } from '../../output/colors.ts'

/** What is in the way, and what to do about it. */
export function formatProblems(
  problems: readonly { readonly message: string; readonly hint?: string | undefined }[],
  paint: Colors,
): string[] {
  return problems.flatMap(({ message, hint }) => [
    `    ${paint.yellow(message)}`,
    ...(hint ? [`    → ${hint}`] : []),
  ])
}
