#!/usr/bin/env node
// This file exists before anything is built, so that npm can link the command at install time.
import { existsSync } from 'node:fs'

const entry = new URL('../dist/bin.js', import.meta.url)
if (existsSync(entry)) await import(entry.href)
else {
  process.stderr.write('remora-scripted-model: this checkout is not built yet\n  Run: npm start\n')
  process.exitCode = 1
}
