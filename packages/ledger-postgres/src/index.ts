export { openHome } from './open-postgres.ts'
export { openPostgres } from './open-postgres.ts'
export type { OpenPostgresOptions } from './open-postgres.ts'
