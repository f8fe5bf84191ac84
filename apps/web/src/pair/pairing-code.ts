import { linkedCode } from './read-code.ts'

/** The code of the link that a QR picture holds. It stands behind the sign that no server sees, and is taken out of the address at once. */
const given = linkedCode(location.hash)
if (given !== undefined) history.replaceState(null, '', location.pathname + location.search)
// The link may be opened where the app is open already: then only this part of the address changes.
addEventListener('hashchange', () => {
  if (linkedCode(location.hash) !== undefined) location.reload()
})

export const pairingCode: { given: string | undefined } = { given }
