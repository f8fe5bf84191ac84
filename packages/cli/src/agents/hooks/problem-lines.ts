import type { Colors } from '../../output/colors.ts'

/** Formats each problem and its hint. */
export function formatProblems(
  problems: readonly { readonly message: string; readonly hint?: string | undefined }[],
  paint: Colors,
): string[] {
  return problems.flatMap(({ message, hint }) => [
    `    ${paint.yellow(message)}`,
    ...(hint ? [`    → ${hint}`] : []),
  ])
}
