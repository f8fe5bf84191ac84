/** The CLI itself takes this for every Gemini model; others that it can be made to use hold less. */
const window = 1_048_576

/** @example getContextWindow('gemini-2.5-pro') // 1048576 */
export function getContextWindow(model: string): number | undefined {
  return model.startsWith('gemini-') ? window : undefined
}
