/** The CLI assumes this context window for every Gemini model. Other models may have a smaller one. */
const window = 1_048_576

/** @example getContextWindow('gemini-2.5-pro') // 1048576 */
export function getContextWindow(model: string): number | undefined {
  return model.startsWith('gemini-') ? window : undefined
}
