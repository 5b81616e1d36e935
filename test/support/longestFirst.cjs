const { default: Sequencer } = require("@jest/test-sequencer");

/**
 * The small files of the engine's tests that take longest, longest first. Without times of an earlier run, as in a fresh clone,
 * Jest begins with the largest files. These would come last, when most workers have nothing left to do.
 */
const longest = [
  "published",
  "kills1",
  "kills2",
  "nativePython",
  "sdks",
  "options",
  "nativePublished",
  "readable",
  "features",
  "resume1",
].map((name) => `/engine/${name}.test.ts`);

const rank = ({ path }) => {
  const index = longest.findIndex((end) => path.endsWith(end));
  return index < 0 ? longest.length : index;
};

/** Starts the longest test files first, so that no worker waits for another at the end. */
module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
};
