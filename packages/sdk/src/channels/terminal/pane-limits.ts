// A program draws in several pieces: the screen is read when it has been quiet for a moment, but not too seldom.
export const quietMs = 30
export const latestMs = 100

/** How many bytes may wait to be drawn before we read no more, and when we go on. */
export const highWater = 1024 * 1024
export const lowWater = 128 * 1024

/** How often to check that the program still runs: tmux does not report the end of a program in a pane that stays. */
export const aliveMs = 250

/** How long tmux may take to learn how a program ended. */
export const statusMs = 3_000

/** After how long a program whose process is gone counts as exited although tmux does not say so; soon if it was ended. */
export const goneMs = { ended: 400, usual: 8_000 }

/** After how long we come back to a tmux that cut us off. */
export const backMs = [0, 50, 250, 1_000]

/** How long an agent may take to draw its screen again after its window was resized. */
export const redrawMs = 10_000
