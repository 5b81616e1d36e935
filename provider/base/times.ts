/** How long things may take, in milliseconds, each with its source. "Chosen" means that no document and no measurement gives it. */

// The rate limit of a key.

/** Specification, section 8: the limit counts the requests of a minute. */
export const rateWindowMs = 60_000;
/** The window, and an allowance for rounding to seconds. A longer time until a reset may come from a wrong local clock. */
export const maxResetMs = rateWindowMs + 5_000;
/** Chosen: the longest window where the local clock plays no part. A longer time probably has another unit. */
export const maxWindowMs = 5 * 60_000;
/** Chosen: the longest wait that a service can ask for before a request is sent again is two windows. */
export const maxRetryAfterMs = 2 * rateWindowMs;
/** The headers count whole seconds: so long is waited after a refusal, even if that names no time. */
export const minRefusedMs = 1_000;
/** Chosen: keeps the processes with one key from starting a window at the same moment. */
export const maxJitterMs = 500;
/** The shortest interval of polls: a request without an answer for so long may hang, and others do not wait for it any more. */
export const slowAnswerMs = 2_000;
/** Chosen: the first request of a window is waited for longer, because only its answer shows what is left. */
export const slowFirstAnswerMs = 10_000;

// One request.

/** Chosen: the limit of an attempt, from sending to the last byte. */
export const defaultAttemptMs = 60_000;
/** The default of undici: until a connection is open. */
export const maxConnectMs = 10_000;
/** As long as an attempt: until the headers of an answer. */
export const maxHeadersMs = defaultAttemptMs;
/** Chosen: between two parts of a body. */
export const maxBodyPauseMs = 30_000;
/** Chosen: the first pause before another attempt, which doubles from one to the next, and the longest. */
export const minBackoffMs = 500;
export const maxBackoffMs = 20_000;
/** Chosen: a create request is not sent so shortly before its deadline, because without its answer, an id is lost. */
export const createReserveMs = 2_000;
/** Chosen: the wait of a request without a deadline for the reset of the rate limit, two windows and more. */
export const defaultMaxQueueMs = 5 * 60_000;
/** As long as Pulumi's operations that read: the limit of a data function, all pages of a list together. */
export const maxCallMs = 20 * 60_000;

// The machine.

/** The longest timer of Node, 24 days; a longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;
/** Chosen: no run is longer, so the file that its processes share is deleted when none has written to it for so long. */
export const maxJournalAgeMs = 24 * 60 * 60_000;
