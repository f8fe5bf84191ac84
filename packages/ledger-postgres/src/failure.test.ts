import { RemoraError } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { describeAddress } from './config.ts'
import { explain, isOffline, isConflict, isTransient } from './failure.ts'

const address = {
  url: 'postgres://me:secret@db.example/remora',
  host: 'db.example',
  port: 5432,
  database: 'remora',
  user: 'me',
}

describe('failures of a database', () => {
  it.each([
    ['28P01', 'auth'],
    ['3D000', 'config'],
    ['42501', 'permission'],
    ['25006', 'permission'],
    ['53300', 'overloaded'],
    ['53100', 'unknown'],
    ['40P01', 'conflict'],
    ['55P03', 'conflict'],
    ['57014', 'timeout_total'],
    ['57P01', 'network'],
    ['08006', 'network'],
    ['25P03', 'network'],
    ['ECONNREFUSED', 'network'],
    ['XX000', 'unknown'],
  ])('explains %s with a hint', (code, kind) => {
    const cause = Object.assign(new Error('from the server'), { code })
    const error = explain(cause, address)
    expect(error).toMatchObject({ code: kind, cause, hint: expect.any(String) })
    expect(error.message).toContain('the database remora at db.example:5432')
    expect(JSON.stringify(error) + error.message).not.toContain('secret')
    expect(explain(error, address)).toBe(error)
    expect(isOffline(error)).toBe(kind === 'network')
  })

  it("recognizes a lost connection by the library's message", () => {
    for (const words of ['Connection terminated unexpectedly', 'Query read timeout'])
      expect(explain(new Error(words), address)).toMatchObject({ code: 'network' })
    // All addresses failed: such an error has no message of its own.
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:5432'), { code: 'ECONNREFUSED' })
    const all = Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' })
    expect(explain(all, address).message).toContain('ECONNREFUSED ::1')
  })

  it('recognizes transient failures', () => {
    const passing = (code: 'overloaded' | 'conflict' | 'auth') => isTransient(new RemoraError(code, 'x'))
    expect([passing('overloaded'), passing('conflict'), passing('auth')]).toEqual([true, true, false])
    expect(isConflict(Object.assign(new Error('x'), { code: '40001' }))).toBe(true)
  })

  it('leaves other errors unchanged', () => {
    const ours = new Error('ours')
    expect(explain(ours, address)).toBe(ours)
    expect([isOffline(ours), isConflict(ours)]).toEqual([false, false])
  })

  it('formats sockets and IPv6 addresses', () => {
    expect(describeAddress({ ...address, host: '/run/postgresql' })).toBe(
      'the database remora at /run/postgresql',
    )
    expect(describeAddress({ ...address, host: '::1' })).toBe('the database remora at [::1]:5432')
  })
})
