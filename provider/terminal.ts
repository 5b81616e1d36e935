/** Removes escape sequences of terminals (ECMA-48): foreign texts must not control the terminal that prints them. */

/**
 * No alternative ever backtracks: no class contains a character that may follow it, and the end of a sequence may be
 * missing. The body of a string ends before the next introducer, so that each character is read twice at most.
 */
const sequences = new RegExp(
  [
    // OSC, DCS, SOS, PM and APC: a string up to its end; without an end, only its introducer.
    "(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])(?:[^\\u0007\\u001b\\u0080-\\u009f\\r\\n]*(?:\\u0007|\\u001b\\\\|\\u009c))?",
    // CSI: parameters, intermediates and a final character.
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?",
    // Any other escape: intermediates and a final character.
    "\\u001b[ -/]*[0-~]?",
  ].join("|"),
  "g",
);

/** A text without sequences, in linear time; other control characters stay. */
export function withoutSequences(text: string): string {
  return text.replace(sequences, "");
}
