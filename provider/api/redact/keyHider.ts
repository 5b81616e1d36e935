import { redactor } from "./redactor";
import { shortestExact, shortestFolded } from "./spelling";

/** A shorter key could not be told from an ordinary word, and no service makes such a one. */
export const shortestKey = shortestExact;
/** Half of such a key is no accident, in whatever spelling. */
const longKey = 16;

/**
 * A function that hides the API key in data, of which names, ids, images and addresses are compared afterwards. A long key is
 * found in any spelling and in part, a shorter one only as it is and encoded. One that is as short as a word may stand in a
 * name by chance: it is hidden in sentences, for no name has white space.
 */
export function keyHider(key: string): (text: string) => string {
  if (key.length >= longKey) return redactor([key]);
  const hide = redactor([key], [], true);
  return key.length >= shortestFolded ? hide : (text) => (/\s/.test(text) ? hide(text) : text);
}
