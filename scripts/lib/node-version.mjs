const minimum = [20, 19]

/** Reports a too old Node before anything fails because of it. */
export function checkNodeVersion(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  if (major > minimum[0] || (major === minimum[0] && minor >= minimum[1])) return
  console.error(
    `Remora needs Node ${minimum.join('.')} or newer; this is Node ${version} (${process.execPath}).`,
  )
  console.error(
    'Install a newer one from https://nodejs.org or with your version manager, then run this again.',
  )
  process.exit(1)
}
