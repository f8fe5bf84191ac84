import { afterAll } from 'vitest'
import { testLedger } from '../contract/index.test-data.ts'
import { removeFolders, sqliteEngine } from './engine.test-data.ts'

afterAll(removeFolders)
testLedger('sqlite', sqliteEngine)
