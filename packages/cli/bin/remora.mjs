#!/usr/bin/env node
// Not built, so that npm can link the command at install time.
import { entry } from './entry.mjs'

const file = entry()
if (file) await import(file.href)
else {
  process.stderr.write('remora: this checkout is not built yet\n  Run: npm start\n')
  process.exitCode = 1
}
