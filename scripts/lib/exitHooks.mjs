// @ts-check

/** @type {(() => void)[]} */
const hooks = [];

/** Runs the newest hook first: it stops a running command before another hook removes the command's folder. */
function runHooks() {
  for (const hook of hooks.splice(0).reverse()) {
    try {
      hook();
    } catch {
      // One failed clean-up must not prevent the others.
    }
  }
}

/** Turns a signal into an ordinary exit: by default, a signal ends Node without an "exit" event. */
function onInterrupt() {
  process.exit(130);
}

function onTerminate() {
  process.exit(143);
}

/**
 * Runs `hook` if this process ends, also by a signal (Ctrl-C), before the returned function is called.
 * Listeners exist only while there is something to clean up, so that they do not change how a program ends otherwise.
 *
 * @param {() => void} hook Must be synchronous.
 * @returns {() => void} Withdraws the hook.
 */
export function onExit(hook) {
  if (hooks.length === 0) process.on("exit", runHooks).on("SIGINT", onInterrupt).on("SIGTERM", onTerminate);
  hooks.push(hook);
  return () => {
    const index = hooks.indexOf(hook);
    if (index >= 0) hooks.splice(index, 1);
    if (hooks.length === 0) process.off("exit", runHooks).off("SIGINT", onInterrupt).off("SIGTERM", onTerminate);
  };
}
