/** One minute takes two seconds. */
export const factor = 30;

/** Where runs begin in a window: somewhere in its first half, where creations have to wait long for the next one. */
export const phaseMs = 20_000;
