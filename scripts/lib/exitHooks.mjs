// @ts-check

/** @type {(() => void)[]} */
const hooks = [];

/** Newest first: a running command is stopped before the folder it writes to is removed. */
function runHooks() {
  for (const hook of hooks.splice(0).reverse()) {
    try {
      hook();
    } catch {
      // One failed clean-up must not keep the others from running.
    }
  }
}

/** By default a signal ends Node without an "exit" event; this turns it into an ordinary exit. */
function onInterrupt() {
  process.exit(130);
}

function onTerminate() {
  process.exit(143);
}

/**
 * Runs `hook` should this process end, by a signal too (Ctrl-C), before the returned function is called.
 * Listeners exist only while there is something to clean up, so that they never change how a program ends otherwise.
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
