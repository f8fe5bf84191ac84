export { openHome } from './open-home.ts'
export { openPostgres } from './open-postgres.ts'
export type { OpenPostgresOptions } from './open-postgres.ts'
