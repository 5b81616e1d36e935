/** One minute takes two seconds. */
export const factor = 30;

/** The phase of the window in which runs begin: in its first half, so that creations wait long for the next window. */
export const phaseMs = 20_000;
