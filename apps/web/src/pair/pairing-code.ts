import { linkedCode } from './read-code.ts'

/** The code in a scanned link. It is in the fragment, which no server sees, and is removed from the URL at once. */
const given = linkedCode(location.hash)
if (given !== undefined) history.replaceState(null, '', location.pathname + location.search)
// A link opened in the running app changes only the fragment.
addEventListener('hashchange', () => {
  if (linkedCode(location.hash) !== undefined) location.reload()
})

export const pairingCode: { given: string | undefined } = { given }
