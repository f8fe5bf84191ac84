import type { HeadlessRequest } from '@remora/sdk'

/** What a CLI needs in an empty home so that it runs offline against the scripted model. */
export interface HomeRecipe {
  /** Files by their path below the home; an object is written as JSON. */
  files(place: RecipePlace): Readonly<Record<string, string | object>>
  env(place: RecipePlace): Readonly<Record<string, string>>
  /** What every headless run in such a home has to ask for. */
  readonly headless?: Partial<HeadlessRequest>
  /** What makes a headless run trust the hooks that are installed there. */
  readonly hookArguments?: readonly string[]
}

export interface RecipePlace {
  readonly home: string
  readonly cwd: string
  readonly version: string
  /** The scripted model, such as `http://127.0.0.1:4711`. */
  readonly url: string
}
