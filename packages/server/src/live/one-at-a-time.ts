import { RemoraError } from '@remora/protocol'

/** Lets one do what two must not do at the same time: the second would find half of it. @example once('%3', () => adopt()) */
export function oneAtATime(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const begun = new Set<string>()
  return async (name, work) => {
    if (begun.has(name))
      throw new RemoraError('conflict', 'Another client is opening this session', {
        hint: 'See: remora ls',
      })
    begun.add(name)
    try {
      return await work()
    } finally {
      begun.delete(name)
    }
  }
}
