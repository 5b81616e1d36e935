import { redactor } from "./redactor";
import { shortestFolded } from "./spelling";

/** Half of a key of this length does not occur by chance, in any spelling. */
const longKey = 16;

/**
 * A function that hides the API key in data. The names, ids, images and addresses in this data are compared afterwards. A
 * long key is found in any spelling and in part, a shorter key only as it is and encoded. A key as short as a word may occur
 * in a name by chance, so it is hidden only in texts with white space: no name has any.
 */
export function keyHider(key: string): (text: string) => string {
  if (key.length >= longKey) return redactor([key]);
  const hide = redactor([key], [], true);
  return key.length >= shortestFolded ? hide : (text) => (/\s/.test(text) ? hide(text) : text);
}
