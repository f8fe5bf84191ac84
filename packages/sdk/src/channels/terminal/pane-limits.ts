// A program draws in several pieces: the screen is read after a quiet moment, but at the latest after `latestMs`.
export const quietMs = 30
export const latestMs = 100

/** How many bytes may wait to be drawn before reading stops, and at which it resumes. */
export const highWater = 1024 * 1024
export const lowWater = 128 * 1024

/** How often to check that the program still runs: tmux does not report the end of a program in a pane that stays. */
export const aliveMs = 250

/** How long tmux may take to get the exit status of a program. */
export const statusMs = 3_000

/** After how long a missing process counts as exited although tmux does not report it; soon if we ended it. */
export const goneMs = { ended: 400, usual: 8_000 }

/** Delays before reconnecting to a tmux that disconnected us. */
export const reconnectMs = [0, 50, 250, 1_000]

/**
 * How long an agent may take to draw its screen again after its window was resized. Output that arrives earlier than `own`
 * may have been written before that, so it counts only after `early`.
 */
export const redrawMs = { own: 200, early: 1_000, most: 10_000 }
