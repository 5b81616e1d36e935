/**
 * How long things may take, in milliseconds, each with its source. "Chosen" means that no document and no measurement gives it.
 * The tag `@shown` makes a row of docs/reference.md: what takes so long | what happens then | the setting.
 */

// The rate limit of a key.

/** Specification, section 8: the limit counts the requests of a minute. */
export const rateWindowMs = 60_000;
/** The window, and an allowance for rounding to seconds. A longer time until a reset may come from a wrong local clock. */
export const maxResetMs = rateWindowMs + 5_000;
/** Chosen: the longest window where the local clock plays no part. A longer time probably has another unit. */
export const maxWindowMs = 5 * 60_000;
/**
 * Chosen: the longest wait that a service can ask for before a request is sent again is two windows.
 * @shown a wait that the service requests by `Retry-After` | a longer one fails at once, and the error names the time | -
 */
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

/**
 * Chosen: the limit of an attempt, from sending to the last byte.
 * @shown one attempt of a request | a read is sent again; after any other, the provider looks what has happened | -
 */
export const defaultAttemptMs = 60_000;
/** The default of undici: until a connection is open. */
export const maxConnectMs = 10_000;
/** Chosen: between two parts of a body. */
export const maxBodyPauseMs = 30_000;
/** Chosen: the first pause before another attempt, which doubles from one to the next, and the longest. */
export const minBackoffMs = 500;
export const maxBackoffMs = 20_000;
/** Chosen: a create request is not sent so shortly before its deadline, because without its answer, an id is lost. */
export const createReserveMs = 2_000;
/** Chosen: the wait of a request without a deadline for the reset of the rate limit, two windows and more. */
export const defaultMaxQueueMs = 5 * 60_000;
/**
 * As long as Pulumi's operations that read: the limit of a data function, all pages of a list together.
 * @shown a data function | fails | -
 */
export const maxCallMs = 20 * 60_000;

// An operation.

/**
 * Chosen: the limits of operations, if the `customTimeouts` of the resource set none.
 * @shown an operation on a cluster | fails, and the next `pulumi up` continues | `customTimeouts`
 */
export const defaultTimeoutsMs = { create: 60 * 60_000, update: 20 * 60_000, delete: 20 * 60_000, read: 20 * 60_000 };
/** Chosen: a lookup may end so long after the deadline. It shows the effect of the last request, so that the error can name it. */
export const lookupGraceMs = 1_500;
/** Chosen: the age of the list in which a cluster is looked up before its deletion. Many deletions share one list. */
export const deletionListAgeMs = 30_000;

// A creation.

/**
 * Chosen: the age of the list before a creation, because another run of the program may create the name meanwhile. The creations
 * of a fleet that begin within this time share a list. A creation keeps its place in the queue of the rate limit.
 */
export const creationListAgeMs = 2_000;
/**
 * Chosen: before each lookup of a cluster whose create answer was lost, 20 s in all, because a list may lag behind.
 * @shown the search for a cluster whose create answer was lost | fails, and nothing is sent again | -
 */
export const lostAnswerPausesMs = [0, 2_000, 3_000, 5_000, 10_000];
/**
 * Chosen: the same if the service may still work on the request. Some services allocate GPUs before they answer.
 * @shown the same, if the service may still work on the request | fails, and nothing is sent again | -
 */
export const lateAnswerPausesMs = [...lostAnswerPausesMs, 20_000, 40_000, 60_000];
/** Chosen: after a refusal by a 503. One list is enough: it hardly ever shows a cluster, and waiting creations repeat it. */
export const refusalPausesMs = [20_000];
/** Chosen: the limit of the first lookup, which runs even after an interrupt, because it usually finds the id. */
export const firstLookupMs = 5_000;
/**
 * Chosen: a daily pipeline continues an interrupted run within two days. A difference of the two clocks does not matter then.
 * @shown the age of an interrupted creation that `resume` continues | its name is taken | `adopt`
 */
export const maxResumeAgeMs = 48 * 60 * 60_000;
/** Chosen: between two rounds of requests while a creation waits for GPUs. GPUs become free within minutes to hours. */
export const minCapacityPauseMs = 20_000;
/**
 * Chosen: the longest of these pauses, which double.
 * @shown the longest pause of a creation that waits for GPUs; the first is 20 s | the next try | `onNoCapacity`
 */
export const maxCapacityPauseMs = 120_000;
/** The longest try, most of it for lists after a refusal by a 503. A round begins only if all its tries can end in time. */
export const maxCapacityTryMs = 25_000;

// What a service shows late.

/**
 * Chosen: for so long after a creation by this package, a 404 proves nothing, because reads may lag behind writes.
 * @shown a new cluster that the service does not show | it counts as gone | -
 */
export const creationGraceMs = 2 * 60_000;
/** Chosen: between two looks for such a cluster. */
export const creationGraceIntervalMs = 10_000;
/**
 * Chosen: until reads show the effect of a request, and until a service begins what it does by itself.
 * @shown an effect of a request that no read shows | the next step | -
 */
export const maxEffectMs = 10_000;
/** Chosen: between two looks for such an effect; the pause doubles. */
export const effectPausesMs = { first: 1_000, max: 10_000 };
/** Chosen: after the answer "not now" about a cluster; the pause doubles. */
export const busyPausesMs = { first: 1_000, max: 15_000 };

// A wait.

/**
 * Measured in virtual time: a cluster of 30 s is noticed 1.1 s late in the mean and one of 5 minutes 1.9 s, by 88 requests. A naive
 * poll every 5 s is 2.5 s late. After 10 minutes the interval grows again, with 0.67 % of the time waited.
 */
export const minPollIntervalMs = 2_000;
/**
 * The longest interval in the first ten minutes.
 * @shown between two polls, in the first ten minutes | the next poll | -
 */
export const usualPollIntervalMs = 4_000;
export const longWaitMs = 10 * 60_000;
/**
 * Chosen: the longest of all.
 * @shown the same, later or if little of the rate limit is left | the next poll | -
 */
export const maxPollIntervalMs = 15_000;
/** Chosen: polls that start within this time use the same list. */
export const sameTickMs = 500;
/**
 * Chosen: a vague condition has to stay the same for so long, because a cluster that starts shows other status words meanwhile.
 * @shown an unknown status that stays the same | it counts | `readinessProbe`
 */
export const holdMs = 30_000;
/**
 * An accepted rollout that no poll has seen for so long was too fast to be seen, or had no effect. No service documents such a
 * time: it is two holds, one for reads that lag and one for a rollout that begins late.
 * @shown an accepted rollout that no read shows | what is healthy is ready, with a warning | -
 */
export const maxUnseenRolloutMs = 2 * holdMs;
/**
 * Chosen: without change for so long, a wait warns, or ends if it recognizes nothing of what the service shows.
 * @shown a wait in which nothing changes | a warning; the end, if nothing is recognized | `readinessProbe`
 */
export const stallMs = 5 * 60_000;
/** Chosen: the age of the record while the endpoint is probed. */
export const probedRecordAgeMs = 30_000;

// Previews, and what a program asks.

/**
 * Chosen: all reads of the checks of a run together, because a preview must not wait for a service that is down.
 * @shown all reads of a preview | the rest counts as not read | `previewChecks`
 */
export const maxChecksMs = 5_000;
/**
 * The window of the rate limit: the same for checks that have a limit on costs, which depends on the answers.
 * @shown the same, with a limit on costs | the preview fails | `maxHourlyCost`
 */
export const maxPatientChecksMs = rateWindowMs;
/** Chosen: GPU types and prices are cached this long, for all modules of a program. The state of clusters is never cached. */
export const catalogKeptMs = 10_000;
/** Chosen: one read of the doctor, so that it takes less than a minute, whatever happens. */
export const doctorAttemptMs = 4_000;

// Progress and the end of the plugin.

/**
 * Chosen: how often unchanged progress is repeated, often for a person, seldom in a log file.
 * @shown progress that does not change, on a terminal | it is shown again | -
 */
export const progressRepeatMs = 15_000;
export const progressRepeatInLogMs = 60_000;
/**
 * More than the longest request and the lookups after it: an operation without an answer by then has none to give.
 * @shown the end of the plugin after Ctrl-C | it ends | -
 */
export const maxLastAnswersMs = 90_000;

// The machine.

/** The longest timer of Node, 24 days; a longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;
/** Chosen: no run is longer, so the file that its processes share is deleted when none has written to it for so long. */
export const maxJournalAgeMs = 24 * 60 * 60_000;
