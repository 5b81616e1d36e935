import { Sleepers, turn } from "../support/sleepers";

/** A clock without real requests to wait for: as soon as nothing is left to do, it jumps to the next sleeper. */
export class LifeClock extends Sleepers {
  /** Lets time pass until the promise settles, and settles in the same way. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await turn();
      if (isSettled) return promise;
      if (this.sleeping === 0) throw new Error("stuck: nothing is left that could go on");
      this.wakeNext();
    }
  }
}
